/** A decoder on a clock of the test, and its events in short forms. */

import { virtualClock } from '@turnwright/testing';
import { createDecoder, type PasteMarks } from '../../src/input/decoder.ts';
import type { InputEvent, KeyEvent } from '../../src/input/events.ts';

/** Longer than everything the decoder waits for. */
export const LONG_MS = 5_000;

export function startDecoder(pasteMarks: PasteMarks = 'unmarked') {
  const clock = virtualClock();
  const events: InputEvent[] = [];
  const decoder = createDecoder({
    clock,
    pasteMarks: () => pasteMarks,
    onEvent: (event) => events.push(event),
  });
  return { clock, events, decoder };
}

/** What a terminal that sends this in these reads, without a pause, makes happen. */
export async function eventsOf(...reads: readonly (string | Uint8Array)[]): Promise<readonly InputEvent[]> {
  const { clock, events, decoder } = startDecoder();
  for (const read of reads) decoder.push(Buffer.from(read));
  await clock.advance(LONG_MS);
  return events;
}

/** `ctrl+alt+shift+up`, `'A'` for a key that types something, `paste "text"`, `cursor 3 7`. */
export function shortForm(event: InputEvent): string {
  if (event.kind === 'paste') return `paste ${JSON.stringify(event.text)}`;
  if (event.kind === 'reply') return [event.of, ...event.values].join(' ');
  return keyForm(event);
}

function keyForm({ name, text, ctrl, alt, shift }: KeyEvent): string {
  if (text !== undefined) return `'${text}'`;
  return [ctrl && 'ctrl', alt && 'alt', shift && 'shift', name].filter(Boolean).join('+');
}

export const shortForms = async (...reads: readonly (string | Uint8Array)[]) =>
  (await eventsOf(...reads)).map(shortForm);
