/** Which model makes the summary, and how much it can be given to read (F17). */
import type { StepInput } from '../../protocol/context.ts';
import type { FixedOverhead } from '../estimate/fixed-overhead.ts';
import { limitsFor, type ModelSize } from '../estimate/thresholds.ts';
import type { RequestBase } from './summarise.ts';

export interface SummaryRoom {
  readonly model: string;
  /** What messages and answer may take together, in tokens. */
  readonly tokens: number;
  /** Kept free for the answer at least; and at most asked for. */
  readonly leastAnswer: number;
  readonly mostAnswer: number;
}

/** In the order in which they are tried. */
export type SummaryRooms = (input: StepInput) => Promise<readonly SummaryRoom[]>;

export interface SummaryRoomOptions {
  /** Another model than the one that works: cheaper, or larger. The working one stands in when it fails. */
  readonly summaryModel?: string;
  readonly modelSize: (model: string) => ModelSize;
  readonly mainRequest: (model: string) => RequestBase | Promise<RequestBase>;
  readonly overhead: FixedOverhead;
}

/** A summary shorter than this is none, unless the window is tiny. */
const LEAST_ANSWER = 4_000;
const LEAST_ANSWER_SHARE = 1 / 8;

export function createSummaryRooms(options: SummaryRoomOptions): SummaryRooms {
  const roomOf = async (model: string, { model: working, limits }: StepInput): Promise<SummaryRoom> => {
    const { window, maxOutput } = model === working ? limits : limitsFor(options.modelSize(model));
    const { maxTokens, thinking } = await options.mainRequest(model);
    const mostAnswer = Math.min(maxTokens, maxOutput);
    // An explicit thinking budget must fit into the output cap, so that cap is not lowered.
    const least = thinking?.type === 'enabled' ? mostAnswer : LEAST_ANSWER;
    return {
      model,
      tokens: window - (await options.overhead(model)),
      leastAnswer: Math.min(least, mostAnswer, Math.floor(window * LEAST_ANSWER_SHARE)),
      mostAnswer,
    };
  };
  return (input) => {
    const models = new Set([options.summaryModel ?? input.model, input.model]);
    return Promise.all([...models].map((model) => roomOf(model, input)));
  };
}
