/** Names of what is shown. */
import type { InspectedIteration, IterationMark, SessionInspection } from '@turnwright/engine';

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
  next_turn: 'went on',
  collapse_drain_retry: 'folded, again',
  reactive_compact_retry: 'shortened, again',
  max_output_tokens_escalate: 'cut, asked again',
  max_output_tokens_recovery: 'go on',
  stop_hook_blocking: 'sent back',
  token_budget_continuation: 'go on',
  unusable_answer_retry: 'asked again',
  verify_failed: 'sent back',
  completed: 'done',
  aborted_streaming: 'interrupted',
  aborted_tools: 'interrupted',
  max_turns: 'turn limit',
  budget_exhausted: 'budget spent',
  api_error: 'API error',
  model_error: 'model failed',
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

interface Outcome {
  readonly word: string;
  readonly tone: 'good' | 'warn' | 'bad';
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  completed: { word: 'done', tone: 'good' },
  success: { word: 'done', tone: 'good' },
  max_turns: { word: 'turn limit', tone: 'warn' },
  budget_exhausted: { word: 'budget spent', tone: 'warn' },
  aborted_streaming: { word: 'interrupted', tone: 'warn' },
  aborted_tools: { word: 'interrupted', tone: 'warn' },
  hook_stopped: { word: 'stopped by a hook', tone: 'warn' },
  stop_hook_prevented: { word: 'stopped by a hook', tone: 'warn' },
  unverified: { word: 'unverified', tone: 'bad' },
};

/** How a session that is over went. */
export const findOutcome = ({ terminal }: Pick<SessionInspection, 'terminal'>): Outcome =>
  terminal === undefined
    ? { word: 'stopped', tone: 'warn' }
    : (OUTCOMES[terminal] ?? { word: 'failed', tone: 'bad' });

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
