/** Answers that were paid for and are no part of the conversation's result. */
import type { DecisionRecord } from '../protocol/session/decision-record.ts';
import { describeTerminal } from '../protocol/session/terminal.ts';

type Decided = Pick<DecisionRecord, 'decision'>;

/** What a record says of money. */
export type PaidAnswer = Pick<DecisionRecord, 'cache' | 'costUsd' | 'decision' | 'wastedCostUsd'>;

/** Its answer was retracted, and asked for with a higher cap. */
export const isRetracted = ({ decision }: Decided): boolean =>
  decision?.kind === 'continue' && decision.transition === 'max_output_tokens_escalate';

export const isInterrupted = ({ decision }: Decided): boolean =>
  decision?.kind === 'stop' && describeTerminal(decision.terminal)?.isAborted === true;
