import type { ParkedRun } from '../protocol/session/parking.ts';
import type { Terminal } from '../protocol/session/terminal.ts';
import type { State } from './state.ts';

/** How a run ends. `stop`: with the submission. `park`: without it, which waits for an answer or a time. */
export type LoopEnd =
  | { readonly kind: 'stop'; readonly terminal: Terminal }
  | { readonly kind: 'park'; readonly parked: ParkedRun };

export type Decision = { readonly kind: 'continue'; readonly next: State } | LoopEnd;

export const goOn = (next: State): Decision => ({ kind: 'continue', next });

type More = Omit<Terminal, 'reason' | 'turnCount'> & { readonly turnCount?: number };

export const buildTerminal = (state: State, reason: Terminal['reason'], more: More = {}): Terminal => ({
  reason,
  turnCount: state.turnCount,
  ...more,
});

export const stop = (state: State, reason: Terminal['reason'], more?: More): Decision => ({
  kind: 'stop',
  terminal: buildTerminal(state, reason, more),
});
