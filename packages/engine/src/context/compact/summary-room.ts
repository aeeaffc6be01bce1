/** Which model makes the summary, and its input limit (F17). */
import type { StepInput } from '../../protocol/model/context.ts';
import type { FixedOverhead } from '../estimate/fixed-overhead.ts';
import { limitsFor, type ModelSize } from '../estimate/thresholds.ts';
import type { RequestBase } from './summarise.ts';

interface SummaryRoom {
  readonly model: string;
  /** Limit of messages and answer together, in tokens. */
  readonly tokens: number;
  /** Minimum reserved for the answer, and its maximum. */
  readonly leastAnswer: number;
  readonly mostAnswer: number;
}

/** In the order in which they are tried. */
export type SummaryRooms = (input: StepInput) => Promise<readonly SummaryRoom[]>;

interface SummaryRoomOptions {
  /**
   * Another model than the main one: cheaper, or with a larger window. The main model is used when it fails.
   */
  readonly summaryModel?: string;
  readonly modelSize: (model: string) => ModelSize;
  readonly mainRequest: (model: string) => RequestBase | Promise<RequestBase>;
  readonly overhead: FixedOverhead;
}

/** Minimum tokens of a useful summary, unless the window is tiny. */
const LEAST_ANSWER = 4_000;
const LEAST_ANSWER_SHARE = 1 / 8;

export function createSummaryRooms(options: SummaryRoomOptions): SummaryRooms {
  const roomOf = async (model: string, { model: working, limits }: StepInput): Promise<SummaryRoom> => {
    const { window, maxOutput } = model === working ? limits : limitsFor(options.modelSize(model));
    const { maxTokens, thinking } = await options.mainRequest(model);
    const mostAnswer = Math.min(maxTokens, maxOutput);
    // An explicit thinking budget must fit into the output cap, so the cap is not lowered.
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
