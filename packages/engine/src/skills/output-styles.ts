/**
 * Output styles: instructions for the style of answers, in Markdown. One file each,
 * `output-styles/<name>.md`.
 */

import { basename } from 'node:path';
import { markdownIn } from '@turnwright/base/files/folders.ts';
import { isReallyInside } from '@turnwright/base/files/inside.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { readFrontmatter } from '@turnwright/base/text/frontmatter.ts';
import { toOneLine } from './skill.ts';

export const DEFAULT_STYLE = 'default';

export interface OutputStyle {
  readonly name: string;
  /** Replaces the part of the system prompt about the style of answers. */
  readonly prompt: string;
}

export interface StyleDirectory {
  /** Absolute path of a folder, or of one Markdown file; need not exist. */
  readonly path: string;
  /** Prefix of the names, followed by a colon: a plugin's. */
  readonly prefix?: string | undefined;
  /** Resolved files must be in this folder; absent: anywhere. */
  readonly within?: string | undefined;
}

interface StyleRoom {
  readonly files: Pick<PersistentFiles, 'readDir' | 'readRange' | 'realpath'>;
  readonly warn?: ((line: string) => void) | undefined;
}

const MAX_CHARS = 60_000;
/** Of the file no more is read, the fields in front included. */
const MAX_BYTES = 4 * MAX_CHARS + 48 * 1024;

/** The styles of these folders; the first of a name counts. Never rejects. */
export async function readOutputStyles(
  directories: readonly StyleDirectory[],
  room: StyleRoom,
): Promise<readonly OutputStyle[]> {
  const found = await Promise.all(directories.map((directory) => stylesIn(directory, room)));
  const taken = new Set([DEFAULT_STYLE]);
  return found.flat().filter(({ name }) => !taken.has(name) && taken.add(name));
}

async function stylesIn(directory: StyleDirectory, room: StyleRoom): Promise<readonly OutputStyle[]> {
  const { path } = directory;
  const paths = path.endsWith('.md') ? [path] : await markdownIn(path, room.files);
  const styles = await Promise.all(paths.map((path) => readStyle(path, directory, room)));
  return styles.flatMap((style) => style ?? []);
}

async function readStyle(
  path: string,
  { prefix, within }: StyleDirectory,
  { files, warn }: StyleRoom,
): Promise<OutputStyle | undefined> {
  const passOver = (why: string) => void warn?.(`The output style ${path} was passed over: ${why}.`);
  try {
    if (within !== undefined && !(await isReallyInside(path, within, files)))
      return passOver(`it lies outside of ${within}`);
    const bytes = await files.readRange(path, 0, MAX_BYTES + 1);
    if (bytes.length > MAX_BYTES) return passOver(`it has more than ${MAX_CHARS} characters`);
    const { fields, body, problem } = await readFrontmatter(new TextDecoder().decode(bytes));
    if (problem !== undefined) return passOver(problem);
    const prompt = body.trim();
    if (prompt === '') return passOver('it says nothing');
    if (prompt.length > MAX_CHARS) return passOver(`it has more than ${MAX_CHARS} characters`);
    const own = toOneLine(fields['name']) || basename(path, '.md');
    return { name: prefix === undefined ? own : `${prefix}:${own}`, prompt };
  } catch (error) {
    return passOver(errorText(error));
  }
}
