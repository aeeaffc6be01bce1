/** Files that were dropped on the terminal: it types their paths, quoted in the way of a shell. */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { absolutePath } from '@turnwright/base/files/home-path.ts';
import { imageHeader } from '@turnwright/base/files/image-header.ts';
import type { NamedImage } from './chips.ts';

const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp)$/i;
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const MAX_PATHS_CHARS = 4_096;

interface ImageFiles {
  /** The images that a pasted text names; undefined unless it is nothing but paths of images. */
  named(text: string): readonly NamedImage[] | undefined;
}

export function createImageFiles(cwd: string, home: string | undefined): ImageFiles {
  const place = (path: string) => absolutePath(path, { cwd, home });
  return {
    named(text) {
      const paths = pathsIn(text);
      if (paths === undefined || !paths.every((path) => IMAGE_NAME.test(path))) return undefined;
      const images = paths.map((path) => readImage(place(path)));
      return images.every((image) => image !== undefined) ? images : undefined;
    },
  };
}

/** Words of a shell, or `file:` addresses; undefined when it is no list of paths. */
export function pathsIn(text: string): readonly string[] | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.length > MAX_PATHS_CHARS || !IMAGE_NAME.test(trimmed.replace(/['"]$/, '')))
    return undefined;
  // One path with blanks that nothing quotes, as some file managers copy it.
  if (
    !trimmed.includes('\n') &&
    isAbsolute(trimmed) &&
    !/\\|['"]/.test(trimmed) &&
    !/\.\w+\s+\//.test(trimmed)
  )
    return [trimmed];
  const words = trimmed.match(/(?:'[^'\n]*'|"[^"\n]*"|\\[^\n]|[^\s'"\\])+/g);
  return words?.map((word) => plainPath(unquoted(word)));
}

function unquoted(word: string): string {
  // A path of Windows keeps its backslashes.
  if (/^[A-Za-z]:\\/.test(word)) return word;
  return word.replace(
    /'([^'\n]*)'|"([^"\n]*)"|\\([^\n])/g,
    (_, single, double, escaped) => single ?? double ?? escaped,
  );
}

function plainPath(path: string): string {
  if (!path.startsWith('file://')) return path;
  try {
    return fileURLToPath(path);
  } catch {
    return path;
  }
}

function readImage(path: string): NamedImage | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const stat = fstatSync(file);
      if (!stat.isFile() || stat.size > MAX_IMAGE_BYTES) return undefined;
      return toNamedImage(readFileSync(file), basename(path));
    } finally {
      closeSync(file);
    }
  } catch {
    // A text that only looks like a path of ours.
    return undefined;
  }
}

/** Undefined when the bytes are no image of a kind that models take. */
export function toNamedImage(bytes: Buffer, name?: string): NamedImage | undefined {
  const data = bytes.toString('base64');
  const header = imageHeader(data);
  return header && { data, name, ...header };
}
