import type { Terminal } from '../protocol/session/terminal.ts';
import type { State } from './state.ts';

export type Decision =
  | { readonly kind: 'continue'; readonly next: State }
  | { readonly kind: 'stop'; readonly terminal: Terminal };

export const goOn = (next: State): Decision => ({ kind: 'continue', next });

type More = Omit<Terminal, 'reason' | 'turnCount'> & { readonly turnCount?: number };

export const terminalOf = (state: State, reason: Terminal['reason'], more: More = {}): Terminal => ({
  reason,
  turnCount: state.turnCount,
  ...more,
});

export const stop = (state: State, reason: Terminal['reason'], more?: More): Decision => ({
  kind: 'stop',
  terminal: terminalOf(state, reason, more),
});
