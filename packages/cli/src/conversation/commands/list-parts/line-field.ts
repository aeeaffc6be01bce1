/** One line of text with a cursor, as the search of a list and short questions need it. */
import type { InputEvent } from '@turnwright/terminal/input/events.ts';

export interface LineField {
  readonly text: string;
  /** Index in `text`, between two characters. */
  readonly cursor: number;
}

export function createLineField(text: string): LineField {
  return { text, cursor: text.length };
}

/** The field after a key or a paste; undefined: the event does not edit a line. */
export function edited(field: LineField, event: InputEvent): LineField | undefined {
  if (event.kind === 'paste') return inserted(field, event.text.replaceAll(/\s+/g, ' '));
  if (event.kind !== 'key') return undefined;
  if (event.text !== undefined && !event.ctrl && !event.alt) return inserted(field, event.text);
  const edit = EDITS[`${event.ctrl ? 'ctrl+' : ''}${event.alt ? 'alt+' : ''}${event.name}`];
  return edit?.(field);
}

const EDITS: Readonly<Record<string, (field: LineField) => LineField>> = {
  backspace: (field) => removed(field, before(field)),
  'ctrl+h': (field) => removed(field, before(field)),
  'ctrl+w': (field) => removed(field, wordStart(field)),
  'alt+backspace': (field) => removed(field, wordStart(field)),
  'ctrl+u': (field) => removed(field, 0),
  'ctrl+k': ({ text, cursor }) => ({ text: text.slice(0, cursor), cursor }),
  delete: ({ text, cursor }) => ({
    text: text.slice(0, cursor) + text.slice(after({ text, cursor })),
    cursor,
  }),
  left: (field) => ({ ...field, cursor: before(field) }),
  right: (field) => ({ ...field, cursor: after(field) }),
  'ctrl+a': (field) => ({ ...field, cursor: 0 }),
  'ctrl+e': ({ text }) => createLineField(text),
};

function inserted({ text, cursor }: LineField, more: string): LineField {
  return { text: text.slice(0, cursor) + more + text.slice(cursor), cursor: cursor + more.length };
}

function removed({ text, cursor }: LineField, from: number): LineField {
  return { text: text.slice(0, from) + text.slice(cursor), cursor: from };
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function before({ text, cursor }: LineField): number {
  let start = 0;
  for (const { index } of graphemes.segment(text.slice(0, cursor))) start = index;
  return start;
}

function after({ text, cursor }: LineField): number {
  const [next] = graphemes.segment(text.slice(cursor));
  return cursor + (next?.segment.length ?? 0);
}

function wordStart({ text, cursor }: LineField): number {
  return text.slice(0, cursor).replace(/\S+\s*$/, '').length;
}
