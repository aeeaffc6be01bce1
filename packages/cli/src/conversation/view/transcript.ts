/**
 * What has happened, as lines that are printed once: items become rows, streamed Markdown is printed as its
 * blocks close, and everything is kept for the viewer.
 */
import type { Highlighter } from '@turnwright/terminal/markup/highlight.ts';
import { createMarkdown, type MarkdownStream } from '@turnwright/terminal/markup/markdown-stream.ts';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { duration } from '../../words/units.ts';
import type { ViewDocument, ViewPart } from '../overlay.ts';
import { type ItemOf, LONG_PROMPT_LINES, rowsOf } from './item-rows.ts';
import type { DiffOf } from './tool-rows.ts';
import type { EndItem, PromptItem, ThoughtItem, ToolItem, TranscriptItem } from './transcript-item.ts';

interface Transcript {
  add(items: readonly TranscriptItem[]): void;
  /** Keeps items for the viewer, and prints nothing. */
  keep(items: readonly TranscriptItem[]): void;
  /** Prints the blocks that have closed; called before each frame. */
  flush(): void;
  /** The last rows of the unfinished block. */
  open(columns: number, most: number): readonly Row[];
  /** Prints lines that are not part of the conversation: output of commands. */
  print(rows: readonly Row[]): void;
  /** All of it, for the viewer. */
  document(): ViewDocument;
}

interface TranscriptOptions {
  readonly theme: Theme;
  /** For text. */
  columns(): number;
  cwd(): string;
  commit(rows: readonly Row[]): void;
  readonly diff: DiffOf;
  readonly highlighter: Highlighter;
}

/** Parts that are kept for the viewer; older ones are in the terminal's own history and in the session. */
const KEPT_PARTS = 2_000;

export function createTranscript(options: TranscriptOptions): Transcript {
  const { commit } = options;
  const parts: ViewPart[] = [];
  let block: { readonly stream: MarkdownStream; text: string } | undefined;
  /** Errors that were printed since the last prompt. */
  let printedErrors: string[] = [];

  const keep = (part: ViewPart) => {
    parts.push(part);
    if (parts.length > KEPT_PARTS) parts.splice(0, parts.length - KEPT_PARTS);
  };
  const flush = () => {
    const rows = block?.stream.takeClosed(options.columns()) ?? [];
    if (rows.length > 0) commit(rows);
  };
  const endBlock = () => {
    if (block === undefined) return;
    const { stream, text } = block;
    block = undefined;
    commit(stream.end(options.columns()));
    keep(answerPart(text));
  };
  const addOne = (item: TranscriptItem) => {
    if (item.kind === 'delta') {
      block ??= { stream: createMarkdown(options), text: '' };
      block.stream.push(item.text);
      block.text += item.text;
      return;
    }
    // The live region has them.
    if (item.kind === 'agentCall' || item.kind === 'detail') return;
    endBlock();
    if (item.kind === 'textEnd') return;
    if (item.kind === 'prompt') printedErrors = [];
    if (item.kind === 'note' && item.tone === 'error') printedErrors.push(item.text);
    const rows = rowsOf(item.kind === 'end' ? without(printedErrors, item) : item, {
      theme: options.theme,
      columns: options.columns(),
      cwd: options.cwd(),
      diff: options.diff,
      highlighter: options.highlighter,
    });
    if (item.kind !== 'tool' || item.isSaid !== true) commit(rows);
    keep(toViewPart(item, rows));
  };

  return {
    flush,
    add: (items) => items.forEach(addOne),
    keep(items) {
      const unseen = createTranscript({ ...options, commit: () => {} });
      unseen.add(items);
      unseen.document().parts.forEach(keep);
    },
    open: (columns, most) => (most < 1 ? [] : (block?.stream.open(columns, most) ?? [])),
    print(rows) {
      endBlock();
      commit(rows);
    },
    document: () => ({
      title: 'Transcript',
      parts: block === undefined ? parts : [...parts, answerPart(block.text)],
    }),
  };
}

/** The end of a submission whose errors are those that were not printed before it. */
function without(printed: readonly string[], end: EndItem): EndItem {
  const { result } = end;
  if (result.subtype === 'success') return end;
  return { ...end, result: { ...result, errors: result.errors.filter((error) => !printed.includes(error)) } };
}

/** Its first line says what it is about. */
function answerPart(text: string): ViewPart {
  const [heading = '', ...lines] = text.trim().split('\n');
  return { heading, lines };
}

type KeptItem = ItemOf<'prompt' | 'thought' | 'tool' | 'note' | 'end'>;

/** What the viewer shows of an item: a call with all that it was given and answered. */
function toViewPart(item: KeptItem, rows: readonly Row[]): ViewPart {
  const [heading = '', ...lines] = rows.filter((row) => row !== '');
  if (item.kind === 'prompt') return promptPart(item, heading, lines);
  if (item.kind === 'thought') return thoughtPart(item);
  if (item.kind !== 'tool') return { heading, lines };
  return { heading, lines: wholeCall(item), folded: true };
}

/** Folded: who reads the answers does not always want what led to them. */
export function thoughtPart({ ms, text }: Pick<ThoughtItem, 'ms' | 'text'>): ViewPart {
  const heading = ms === 0 ? '· thought' : `· thought for ${duration(ms)}`;
  return { heading, lines: text === '' ? [] : text.split('\n'), folded: true };
}

function promptPart({ text }: PromptItem, heading: string, printed: readonly string[]): ViewPart {
  const lines = text.split('\n');
  return lines.length > LONG_PROMPT_LINES ? { heading, lines, folded: true } : { heading, lines: printed };
}

function wholeCall({ input, text }: ToolItem): readonly string[] {
  const given = Object.entries(input).flatMap(([key, value]) => {
    const shown = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    return shown.includes('\n')
      ? [`${key}:`, ...shown.split('\n').map((line) => `  ${line}`)]
      : [`${key}: ${shown}`];
  });
  return [...given, '', ...text.trimEnd().split('\n')];
}
