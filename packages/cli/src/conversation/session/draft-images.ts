/**
 * Images of a draft, each in a file of its own beside it: written once, however often the text changes.
 * Synchronous, as the draft is: what was typed survives a kill.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DraftImage } from '@turnwright/terminal/editor/buffer.ts';

/** An image as a draft on disk names it. */
interface ImageReference {
  readonly mediaType: string;
  /** By its content. */
  readonly file: string;
}

const FILE = /^[0-9a-f]{32}$/;
const names = new WeakMap<DraftImage, string>();

export function referenceTo(image: DraftImage): ImageReference {
  const file = names.get(image) ?? createHash('sha256').update(image.data).digest('hex').slice(0, 32);
  names.set(image, file);
  return { mediaType: image.mediaType, file };
}

/** Writes those that are not there yet. */
export function writeImages(folder: string, images: readonly DraftImage[]): void {
  if (images.length === 0) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const image of images) {
    const path = join(folder, referenceTo(image).file);
    if (!existsSync(path)) writeFileSync(path, Buffer.from(image.data, 'base64'), { mode: 0o600 });
  }
}

/** Removes the files of all other images. */
export function keepImages(folder: string, images: readonly DraftImage[]): void {
  const kept = new Set(images.map((image) => referenceTo(image).file));
  if (kept.size === 0) rmSync(folder, { recursive: true, force: true });
  else
    for (const name of readdirSync(folder)) if (!kept.has(name)) rmSync(join(folder, name), { force: true });
}

/** Those of them that can be read; an image may also be in the draft itself, as earlier versions wrote it. */
export function readImages(folder: string, references: unknown): readonly DraftImage[] {
  if (!Array.isArray(references)) return [];
  return references.flatMap((given: Partial<ImageReference & DraftImage> | null): DraftImage[] => {
    const { mediaType, file, data } = given ?? {};
    if (typeof mediaType !== 'string') return [];
    if (typeof data === 'string') return [{ mediaType, data }];
    if (typeof file !== 'string' || !FILE.test(file)) return [];
    try {
      return [{ mediaType, data: readFileSync(join(folder, file)).toString('base64') }];
    } catch {
      return [];
    }
  });
}
