/**
 * What has happened, as lines that are printed once: items become rows, streamed Markdown is printed as its
 * blocks close, and everything is kept for the viewer.
 */
import type { MarkdownStream } from '../../../terminal/markup/markdown-stream.ts';
import type { Row } from '../../../terminal/renderer/frame.ts';
import type { Theme } from '../../../terminal/text/theme.ts';
import { oneLine, visible } from '../../../terminal/text/visible.ts';
import { wrap } from '../../../terminal/text/wrap.ts';
import { errorLines, stopSentence } from '../../screen/summary.ts';
import { cost, counted, duration } from '../../screen/units.ts';
import type { ViewDocument, ViewPart } from '../overlay.ts';
import { type DiffOf, toolRows } from './tool-rows.ts';
import type { EndItem, NoteItem, PromptItem, ToolItem, TranscriptItem } from './transcript-item.ts';

interface Transcript {
  add(items: readonly TranscriptItem[]): void;
  /** Prints the blocks that have closed; called before each frame. */
  flush(): void;
  /** The last rows of the unfinished block. */
  open(columns: number, most: number): readonly Row[];
  /** Prints lines that are not part of the conversation: output of commands. */
  print(rows: readonly Row[]): void;
  /** All of it, for the viewer. */
  document(): ViewDocument;
}

export interface TranscriptOptions {
  readonly theme: Theme;
  /** For text. */
  columns(): number;
  cwd(): string;
  commit(rows: readonly Row[]): void;
  markdown(): MarkdownStream;
  readonly diff: DiffOf;
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
      block ??= { stream: options.markdown(), text: '' };
      block.stream.push(item.text);
      block.text += item.text;
      return;
    }
    endBlock();
    if (item.kind === 'textEnd') return;
    if (item.kind === 'prompt') printedErrors = [];
    if (item.kind === 'note' && item.tone === 'error') printedErrors.push(item.text);
    const rows = rowsOf(item.kind === 'end' ? without(printedErrors, item) : item, options);
    if (item.kind !== 'tool' || item.isSaid !== true) commit(rows);
    keep(partOf(item, rows));
  };

  return {
    flush,
    add: (items) => items.forEach(addOne),
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

type PrintedItem = Exclude<TranscriptItem, { readonly kind: 'delta' | 'textEnd' }>;

/** The rows of one item; streamed text is the caller's. */
function rowsOf(item: PrintedItem, options: TranscriptOptions): readonly Row[] {
  const theme = options.theme;
  switch (item.kind) {
    case 'prompt':
      return promptRows(item, theme);
    case 'thought':
      return [theme.dim(`· thought for ${duration(item.ms)}`)];
    case 'tool':
      return toolRows(item, { theme, columns: options.columns(), cwd: options.cwd(), diff: options.diff });
    case 'note':
      return noteRows(item, options.columns(), theme);
    case 'end':
      return endRows(item, options.columns(), theme);
  }
}

function promptRows({ text, images }: PromptItem, theme: Theme): readonly Row[] {
  const lines = text.split('\n');
  // A long paste must not push everything else out of the terminal's history.
  const shown = lines.length > PROMPT_LINES ? lines.slice(0, SHOWN_OF_LONG) : lines;
  const left = lines.length - shown.length;
  return [
    '',
    ...shown.map((line, at) => {
      const start = visible(line.slice(0, PROMPT_LINE_CHARS));
      const cutOff = line.length > PROMPT_LINE_CHARS ? theme.dim(' … ^O') : '';
      return `${theme.accent(at === 0 ? '>' : ' ')} ${theme.bold(start)}${cutOff}`;
    }),
    ...(left === 0 ? [] : [theme.dim(`  … ${counted(left, 'more line')}, ^O shows all`)]),
    ...(images === 0 ? [] : [theme.dim(`  [${counted(images, 'image')}]`)]),
  ];
}

/** A prompt with more lines is printed with the first ones; the viewer shows all of it. */
const PROMPT_LINES = 40;
const SHOWN_OF_LONG = 20;
const PROMPT_LINE_CHARS = 4_000;

const NOTE_MARKS = { quiet: '· ', notice: '', warning: '! ', error: '✗ ' } as const;
const NOTE_TONES = { quiet: 'dim', notice: 'warn', warning: 'warn', error: 'bad' } as const;

function noteRows({ tone, text }: NoteItem, columns: number, theme: Theme): readonly Row[] {
  const rows = wrap(`${NOTE_MARKS[tone]}${oneLine(text)}`, columns, { hang: '  ' });
  return rows.map((row) => theme[NOTE_TONES[tone]](row));
}

/** `done · 6 turns · 41 s · $0.18`, or why it stopped before that. */
function endRows(
  { result, turns, ms, usd, isUnpriced }: EndItem,
  columns: number,
  theme: Theme,
): readonly Row[] {
  const reason = stopSentence(result);
  const figures = [counted(turns, 'turn'), duration(ms), cost({ usd, isUnpriced })].join(' · ');
  if (reason === undefined) return [theme.dim(`done · ${figures}`)];
  const paint = result.is_error ? theme.bad : theme.warn;
  const stopped = wrap(`stopped: ${reason} · ${figures}`, columns, { hang: '  ' });
  const errors = errorLines(result).flatMap((line) => wrap(line, columns));
  return [...errors.map((row) => theme.bad(row)), ...stopped.map((row) => paint(row))];
}

/** What the viewer shows of an item: a call with all that it was given and answered. */
function partOf(item: PrintedItem, rows: readonly Row[]): ViewPart {
  const [heading = '', ...lines] = rows.filter((row) => row !== '');
  if (item.kind === 'prompt') return promptPart(item, heading, lines);
  if (item.kind !== 'tool') return { heading, lines };
  return { heading, lines: wholeCall(item), folded: true };
}

function promptPart({ text }: PromptItem, heading: string, printed: readonly string[]): ViewPart {
  const lines = text.split('\n');
  return lines.length > PROMPT_LINES ? { heading, lines, folded: true } : { heading, lines: printed };
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
