/** Names of what is shown. */
import type { InspectedIteration, IterationMark } from '@turnwright/engine';

export const MARKS: Readonly<Record<IterationMark, string>> = {
  retried: 'retried',
  fell_back: 'other model',
  compacted: 'compacted',
  asked: 'asked',
  denied: 'not allowed',
  failed: 'failed call',
  cache_break: 'cache break',
  wasted: 'wasted',
  recovered: 'recovered',
  cut_off: 'cut off',
  running: 'running',
  left: 'gone back',
};

const OUTS: Readonly<Record<string, string>> = {
  next_turn: 'next turn',
  collapse_drain_retry: 'folded, again',
  reactive_compact_retry: 'shortened, again',
  max_output_tokens_escalate: 'longer answer',
  max_output_tokens_recovery: 'go on',
  stop_hook_blocking: 'sent back',
  token_budget_continuation: 'go on',
  unusable_answer_retry: 'asked again',
  completed: 'done',
  cut_off: 'cut off',
};

export const outName = (out: string): string => OUTS[out] ?? out.replaceAll('_', ' ');

type Tone = 'plain' | 'recovered' | 'good' | 'bad' | 'parked' | 'running';

/** The colour of an iteration: how it ended. */
export function toneOf({ out, marks }: Pick<InspectedIteration, 'out' | 'marks'>): Tone {
  if (out === 'running') return 'running';
  if (out === 'parked') return 'parked';
  if (out === 'completed') return 'good';
  if (out === 'next_turn') return 'plain';
  return marks.includes('recovered') ? 'recovered' : 'bad';
}

export const STATES = {
  empty: 'empty',
  running: 'running',
  stopped: 'stopped',
  parked: 'waits',
  cut_off: 'cut off',
  foreign: 'other program',
} as const;

/** Of an agent's iteration, where the agent is known. */
export const shortStep = ({ step }: Pick<InspectedIteration, 'step'>): string =>
  step.split(':').at(-1) ?? step;
