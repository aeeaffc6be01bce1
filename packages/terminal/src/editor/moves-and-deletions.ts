/** What the actions of the table do to a text: where the cursor goes, and what is deleted. */
import type { ActionName } from '../input/actions.ts';
import { type Buffer, lineEnd, lineStart, nextBoundary, previousBoundary } from './buffer.ts';
import { blankWordLeft, wordLeft, wordRight } from './words.ts';

type Place = (buffer: Buffer) => number;

/** Actions that only move. */
export const MOVES: Partial<Record<ActionName, Place>> = {
  left: ({ text, cursor }) => previousBoundary(text, cursor),
  right: ({ text, cursor }) => nextBoundary(text, cursor),
  wordLeft: ({ text, cursor }) => wordLeft(text, cursor),
  wordRight: ({ text, cursor }) => wordRight(text, cursor),
  lineStart: ({ text, cursor }) => lineStart(text, cursor),
  lineEnd: ({ text, cursor }) => lineEnd(text, cursor),
  textStart: () => 0,
  textEnd: ({ text }) => text.length,
};

interface Deletion {
  /** The other end of what is deleted. */
  readonly to: Place;
  /** It can be inserted again, by Ctrl+Y. */
  readonly isKept: boolean;
}

/** Actions that delete from the cursor to another place. At the end of a line that is the line break. */
export const DELETIONS: Partial<Record<ActionName, Deletion>> = {
  deleteBack: { to: ({ text, cursor }) => previousBoundary(text, cursor), isKept: false },
  deleteForward: { to: ({ text, cursor }) => nextBoundary(text, cursor), isKept: false },
  killToEnd: {
    to: ({ text, cursor }) => Math.max(lineEnd(text, cursor), nextBoundary(text, cursor)),
    isKept: true,
  },
  killToStart: {
    to: ({ text, cursor }) => Math.min(lineStart(text, cursor), previousBoundary(text, cursor)),
    isKept: true,
  },
  killBlankWord: { to: ({ text, cursor }) => blankWordLeft(text, cursor), isKept: true },
  killWordBack: { to: ({ text, cursor }) => wordLeft(text, cursor), isKept: true },
  killWordForward: { to: ({ text, cursor }) => wordRight(text, cursor), isKept: true },
};
