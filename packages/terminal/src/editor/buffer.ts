/**
 * The text that is being written, and the place in it: a value, so that undo and history are lists of values.
 * What is too long to show, or is no text, is a chip: one character of the text, shown by its label.
 */

import { graphemes } from '../text/graphemes.ts';

/** An image, as the model gets it. */
export interface DraftImage {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

export interface LongPaste {
  readonly kind: 'paste';
  readonly label: string;
  readonly text: string;
}

export type Chip = LongPaste | { readonly kind: 'image'; readonly label: string; readonly image: DraftImage };

/** What is sent. */
export interface Draft {
  /** With pastes in full, and images by their labels. */
  readonly text: string;
  readonly images: readonly DraftImage[];
}

/** A piece of text with the chips in it. */
export interface Piece {
  /** Each `CHIP` in it is the next one of `chips`. */
  readonly text: string;
  readonly chips: readonly Chip[];
}

export interface Buffer extends Piece {
  /** In UTF-16 units; never within a grapheme cluster. */
  readonly cursor: number;
}

/** The object replacement character: text that holds it becomes a chip, so that it means nothing else. */
export const CHIP = '\ufffc';

export const EMPTY: Buffer = { text: '', chips: [], cursor: 0 };

const ASCII = /^[\x20-\x7e\t]*$/;

/** The grapheme clusters of one line; a chip is one by itself. */
export function splitClusters(line: string): readonly string[] {
  if (ASCII.test(line)) return line.split('');
  return line.split(CHIP).flatMap((piece, index) => [...(index === 0 ? [] : [CHIP]), ...graphemes(piece)]);
}

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

export function nextBoundary(text: string, at: number): number {
  if (at >= text.length) return text.length;
  if (text[at] === '\n') return at + 1;
  let boundary = lineStart(text, at);
  for (const cluster of splitClusters(text.slice(boundary, lineEnd(text, at)))) {
    boundary += cluster.length;
    if (boundary > at) break;
  }
  return boundary;
}

export function previousBoundary(text: string, at: number): number {
  if (at <= 0) return 0;
  if (text[at - 1] === '\n') return at - 1;
  let boundary = lineStart(text, at);
  for (const cluster of splitClusters(text.slice(boundary, lineEnd(text, at)))) {
    if (boundary + cluster.length >= at) break;
    boundary += cluster.length;
  }
  return boundary;
}

/** `at`, or the end of the cluster that it is within: characters that come together may become one. */
function onBoundary(text: string, at: number): number {
  return at <= 0 ? 0 : nextBoundary(text, previousBoundary(text, at));
}

export function moveTo(buffer: Buffer, at: number): Buffer {
  const cursor = onBoundary(buffer.text, Math.max(0, Math.min(at, buffer.text.length)));
  return cursor === buffer.cursor ? buffer : { ...buffer, cursor };
}

/** Replaces a range. The cursor is behind what was inserted. */
export function splice(buffer: Buffer, from: number, to: number, { text, chips }: Piece): Buffer {
  const before = buffer.text.slice(0, from);
  const whole = before + text + buffer.text.slice(to);
  const first = chipsIn(before);
  const last = first + chipsIn(buffer.text.slice(from, to));
  return {
    text: whole,
    chips: [...buffer.chips.slice(0, first), ...chips, ...buffer.chips.slice(last)],
    cursor: onBoundary(whole, from + text.length),
  };
}

/** What is between two places, as it can be inserted again. */
export function pieceBetween({ text, chips }: Piece, from: number, to: number): Piece {
  const first = chipsIn(text.slice(0, from));
  const taken = text.slice(from, to);
  return { text: taken, chips: chips.slice(first, first + chipsIn(taken)) };
}

function chipsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf(CHIP); at >= 0; at = text.indexOf(CHIP, at + 1)) count += 1;
  return count;
}

/** One before the other on lines of their own, with the cursor of the second. */
export function joined(first: Buffer, second: Buffer): Buffer {
  const gap = first.text === '' || second.text === '' ? '' : '\n';
  return {
    text: first.text + gap + second.text,
    chips: [...first.chips, ...second.chips],
    cursor: first.text.length + gap.length + second.cursor,
  };
}

/** With the labels of its chips. */
export function shownText(piece: Piece): string {
  return filled(piece, ({ label }) => label);
}

export function toDraft(piece: Piece): Draft {
  return {
    text: filled(piece, (chip) => (chip.kind === 'paste' ? chip.text : chip.label)),
    images: piece.chips.flatMap((chip) => (chip.kind === 'image' ? [chip.image] : [])),
  };
}

function filled({ text, chips }: Piece, show: (chip: Chip) => string): string {
  if (chips.length === 0) return text;
  const [first = '', ...rest] = text.split(CHIP);
  return first + rest.map((after, index) => (chips[index] ? show(chips[index]) : '') + after).join('');
}
