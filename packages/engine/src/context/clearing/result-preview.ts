/** A tool result that is too large: stored in a file and replaced by a preview. */

import type { FileData } from '@turnwright/base/persistent-files.ts';
import { splitPieces } from '@turnwright/base/text/cut-text.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { grouped } from '@turnwright/base/text/figures-and-times.ts';
import type { TextBlock, ToolResultBlock } from '../../protocol/model/wire.ts';

/** Writes a file to the session's `tool-results/` folder. Rejects on failure. */
export type Spill = (result: {
  readonly toolUseId: string;
  readonly toolName: string;
  /** Of the file. */
  readonly data: Exclude<FileData, Uint8Array>;
  /** Of its name. Default `txt`. */
  readonly ending?: 'json' | 'txt';
}) => Promise<{ readonly path: string }>;

export const PREVIEW_BYTES = 2_048;

const utf8 = new TextEncoder();

/** The file with the complete text, or why there is none. */
type FullText =
  | { readonly kind: 'spilled'; readonly path: string }
  | { readonly kind: 'source'; readonly path: string }
  | { readonly kind: 'lost'; readonly why: string };

/**
 * Names file and size and shows the beginning; at most 2 KB, and the same for the same input. `shown`: the
 * beginning of the file, if the file is not the text.
 */
export function resultPreview(text: string, full: FullText, shown = text): string {
  const size = `${grouped(text.length)} characters`;
  const head = `<persisted-output>\nThe result is too large to show (${size}). ${whereabouts(full)}\n\nIt begins:\n`;
  const foot = '\n…\n</persisted-output>';
  const room = PREVIEW_BYTES - utf8.encode(head + foot).length;
  return head + beginning(shown, Math.max(0, room)) + foot;
}

/** A full disk must not end the run, and the complete text must not be sent either (F71). */
export async function spilled(spill: Spill, result: Parameters<Spill>[0]): Promise<FullText> {
  try {
    const { path } = await spill(result);
    return { kind: 'spilled', path };
  } catch (error) {
    return { kind: 'lost', why: errorText(error) };
  }
}

export function resultText({ content }: ToolResultBlock): string {
  if (content === undefined || typeof content === 'string') return content ?? '';
  return content.flatMap((inner) => (inner.type === 'text' ? [inner.text] : [])).join('\n');
}

/**
 * The result as stored in the file: a text unchanged, text blocks as JSON; media are not stored. `shown`: the
 * beginning of the file.
 */
export function keptForm(
  block: ToolResultBlock,
  text: string,
): Pick<Parameters<Spill>[0], 'data' | 'ending'> & { readonly shown: string } {
  const { content } = block;
  if (typeof content !== 'object' || !content.every((inner) => inner.type === 'text'))
    return { data: text, shown: text, ending: 'txt' };
  const cut = content.map((inner) => ({ ...inner, text: inner.text.slice(0, PREVIEW_BYTES) }));
  return {
    data: { [Symbol.iterator]: () => jsonPieces(content) },
    shown: [...jsonPieces(cut)].join(''),
    ending: 'json',
  };
}

/** What JSON writes as it is. A text on one line is found to be such in a third of the time of its JSON. */
const NOTHING_TO_ESCAPE = /^[ !#-[\]-~]*$/;

/** Blocks as `JSON.stringify(blocks, undefined, 2)` prints them, without a copy of a long text. */
function* jsonPieces(blocks: readonly TextBlock[]): Generator<string, void> {
  let opening = '[';
  for (const { type, text, ...more } of blocks) {
    yield `${opening}\n  {\n    "type": "${type}",\n    "text": "`;
    for (const piece of splitPieces(text))
      yield NOTHING_TO_ESCAPE.test(piece) ? piece : JSON.stringify(piece).slice(1, -1);
    const fields = Object.entries(more).map(([key, value]) => `,\n    "${key}": ${JSON.stringify(value)}`);
    yield `"${fields.join('')}\n  }`;
    opening = ',';
  }
  yield '\n]';
}

/** Keeps media and replaces text by the preview. */
export function withPreview(block: ToolResultBlock, preview: string): ToolResultBlock {
  const { content } = block;
  if (content === undefined || typeof content === 'string') return { ...block, content: preview };
  const media = content.filter((inner) => inner.type !== 'text');
  if (media.length === 0) return { ...block, content: preview };
  return { ...block, content: [{ type: 'text', text: preview }, ...media] };
}

function whereabouts(full: FullText): string {
  switch (full.kind) {
    case 'spilled':
      return `All of it is stored in: ${full.path}`;
    case 'source':
      return `It came from ${full.path}: read the part that is needed from there.`;
    case 'lost':
      return `The rest could not be kept (${full.why}).`;
  }
}

/** The longest prefix that fits into so many bytes of UTF-8; ends at a line end where that loses little. */
function beginning(text: string, bytes: number): string {
  const { read } = utf8.encodeInto(text.slice(0, bytes), new Uint8Array(bytes));
  const cut = text.slice(0, read);
  const line = cut.lastIndexOf('\n');
  return line > cut.length / 2 ? cut.slice(0, line) : cut;
}
