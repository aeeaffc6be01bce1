import type { ModelFailure } from '@turnwright/engine/protocol/model/failure.ts';
import type { ModelOutcome } from '@turnwright/engine/protocol/model/model.ts';
import { equal } from '../demand.ts';
import type { ModelClientSetup, OpenedModel } from './opened-model.ts';

/** One requirement of a model client. */
export interface ModelCheck {
  readonly name: string;
  /** What the client is made with besides clock and randomness. */
  readonly setup?: Omit<ModelClientSetup, 'clock' | 'random'>;
  /** Rejects when the requirement is not met. `sleeps`: how long was slept, in ms, in order. */
  run(opened: OpenedModel & { readonly sleeps: readonly number[] }): Promise<void>;
}

export function check(
  name: string,
  run: ModelCheck['run'],
  setup: NonNullable<ModelCheck['setup']> = {},
): ModelCheck {
  return { name, run, setup };
}

export function failed(outcome: ModelOutcome): ModelFailure {
  equal(outcome.kind, 'failed', 'outcome');
  return (outcome as Extract<ModelOutcome, { kind: 'failed' }>).failure;
}
