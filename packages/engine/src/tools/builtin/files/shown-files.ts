/** Filters search results: a search is judged by its start folder, its results one by one. */

import { isSecretFile } from '@turnwright/base/files/secret-files.ts';
import type { ToolContext } from '../../../protocol/tools/tool.ts';
import type { SearchPlace } from '../search/search-place.ts';
import { decodeText } from './text-file.ts';

interface ShownFiles {
  /** Whether the record's file may be shown; synchronous if no rule denies reading. */
  filter(file: FoundFile, onRecord: () => boolean): boolean | Promise<boolean>;
  /**
   * Sentences for the model: if rules deny reading files, the same whether or not any were found; and how
   * many files were left out for their names.
   */
  note(): string;
}

export type FoundFile = ReturnType<SearchPlace['found']>;

export function shownFiles(context: ToolContext): ShownFiles {
  const isDenied = context.readFilter?.();
  /** Names whose bytes are no UTF-8: no text names these files, so that they cannot be checked or opened. */
  const unnamed = new Set<string>();
  return {
    filter({ spelled, real }, onRecord) {
      if (spelled.includes('\ufffd')) {
        unnamed.add(spelled);
        return true;
      }
      if (isSecretFile(real)) return true;
      return isDenied === undefined ? onRecord() : isDenied(spelled).then((denied) => denied || onRecord());
    },
    note: () =>
      (isDenied === undefined ? '' : '\n\n(Files that a permission rule denies reading are not searched.)') +
      (unnamed.size === 0
        ? ''
        : `\n\n(${unnamed.size === 1 ? 'One more file has' : `${unnamed.size} more files have`} a name that is not UTF-8. Find and rename it with Bash: ls -b.)`),
  };
}

/**
 * Files that are still where they were found. ripgrep opens by name, so a link may have replaced them for a
 * moment.
 */
export async function stillThere<T extends { readonly found: FoundFile }>(
  each: readonly T[],
  { files }: ToolContext,
): Promise<readonly T[]> {
  const there = await Promise.all(
    each.map(async ({ found }) => (await files.realpath(found.real).catch(() => undefined)) === found.real),
  );
  return each.filter((_, at) => there[at]);
}

/** A larger file is identified by its path only. */
const MAX_COMPARED_BYTES = 32 * 1024 * 1024;

/** Lines that the permitted files really contain: content that a link brought in meanwhile is dropped. */
export async function heldLines<T extends { readonly found: FoundFile; readonly text: string }>(
  lines: readonly T[],
  context: ToolContext,
): Promise<readonly T[]> {
  const texts = new Map<string, Promise<string | undefined>>();
  for (const { found } of lines)
    if (!texts.has(found.real)) texts.set(found.real, heldText(found.real, context));
  const kept = await Promise.all(
    lines.map(async ({ found, text }) => (await texts.get(found.real))?.includes(textAlone(text)) === true),
  );
  return lines.filter((_, at) => kept[at]);
}

async function heldText(real: string, { files }: ToolContext): Promise<string | undefined> {
  try {
    const held = await files.readPlain(real, MAX_COMPARED_BYTES, { cut: true });
    if (held?.bytes === undefined) return undefined;
    const text = Buffer.from(held.bytes).toString('utf8');
    return /^(?:\ufffd\ufffd|\ufeff)/.test(text) ? (decodeText(held.bytes)?.text ?? text) : text;
  } catch {
    return undefined;
  }
}

/** Without its number, and without what ripgrep says about a line that it cuts. */
function textAlone(line: string): string {
  return line
    .replace(/^\d+[:-]/, '')
    .replace(/ \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/, '');
}
