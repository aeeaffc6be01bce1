/** An item of the transcript as rows, for eyes. */
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import { cutRow } from '@turnwright/terminal/text/cells.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { errorLines, stopSentence } from '../../words/summary.ts';
import { cost, counted, duration } from '../../words/units.ts';
import { agentCallRows, type ToolRowsOptions, toolRows } from './tool-rows.ts';
import {
  type EndItem,
  type NoteItem,
  noteText,
  type PromptItem,
  type ThoughtItem,
  type TranscriptItem,
} from './transcript-item.ts';

export type ItemOf<Kind extends TranscriptItem['kind']> = Extract<TranscriptItem, { readonly kind: Kind }>;

/** What is printed in one piece. */
export type WholeItem = ItemOf<Exclude<TranscriptItem['kind'], 'delta' | 'textEnd'>>;

export function rowsOf(item: WholeItem, options: ToolRowsOptions): readonly Row[] {
  const { theme, columns } = options;
  switch (item.kind) {
    case 'prompt':
      return promptRows(item, theme);
    case 'thought':
      return [theme.dim(cutRow(thoughtRow(item), columns))];
    case 'tool':
      return toolRows(item, options);
    case 'agentCall':
      return agentCallRows(item, options);
    case 'detail':
      return noteRows({ kind: 'note', tone: 'quiet', text: item.text }, columns, theme);
    case 'note':
      return noteRows(item, columns, theme);
    case 'end':
      return endRows(item, columns, theme);
  }
}

/** `· thought for 1.7 s: The user wants …` */
function thoughtRow({ ms, text }: ThoughtItem): string {
  const time = ms === 0 ? '' : ` for ${duration(ms)}`;
  return `· thought${time}${text === '' ? '' : `: ${oneLine(text.replace(/\s+/g, ' '))}`}`;
}

function promptRows({ text, images }: PromptItem, theme: Theme): readonly Row[] {
  const lines = text.split('\n');
  // A long paste must not push everything else out of the terminal's history.
  const shown = lines.length > LONG_PROMPT_LINES ? lines.slice(0, SHOWN_OF_LONG) : lines;
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
export const LONG_PROMPT_LINES = 40;
const SHOWN_OF_LONG = 20;
const PROMPT_LINE_CHARS = 4_000;

const NOTE_TONES = { quiet: 'dim', notice: 'warn', warning: 'warn', error: 'bad' } as const;

function noteRows(note: NoteItem, columns: number, theme: Theme): readonly Row[] {
  const rows = wrap(noteText(note), columns, { hang: '  ' });
  return rows.map((row) => theme[NOTE_TONES[note.tone]](row));
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
