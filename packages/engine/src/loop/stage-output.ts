/**
 * What the stages of one iteration return: plain values, which the decision at the end of the iteration
 * takes.
 */
import type { RequestEstimate } from '../protocol/model/context.ts';
import type { AttachmentMessage, UserMessage } from '../protocol/model/messages.ts';
import type { WireTool } from '../protocol/model/wire.ts';
import type { CollectedOfCalls, Wait } from '../protocol/session/parking.ts';
import type { Terminal } from '../protocol/session/terminal.ts';
import type { Response } from './response.ts';
import type { Thrown } from './stages/stage-error.ts';
import type { State } from './state.ts';

/** Stage 1. A limit for which no recovery is left ends the run before a request is made. */
export interface LimitReached {
  readonly kind: 'stop';
  readonly terminal: Terminal;
}

/** Stage 1: the view of the next request, and what it costs. */
export interface Prepared {
  /**
   * `ready`: the request can be made. `resumed`: the response was recorded by an earlier process. `aborted`,
   * `failed`: no request is made.
   */
  readonly kind: 'ready' | 'resumed' | 'aborted' | 'failed';
  /** The state with the view that the steps left. */
  readonly state: State;
  /** Tokens of the request: the provider's count as far as there is one, else by estimate. */
  readonly tokens: number;
  readonly estimate: RequestEstimate;
  /** The tools that the model may call. */
  readonly tools: readonly WireTool[];
  /** Names of the steps that changed the view. */
  readonly editedBy: readonly string[];
  /** What the API shall clear on its side (cached microcompact). */
  readonly contextManagement: unknown;
  readonly thrown?: Thrown;
}

/** Stage 4: what the calls of the response returned. */
export interface ToolResults extends CollectedOfCalls {
  /** As recorded, in the order in which they arrived. */
  readonly messages: readonly UserMessage[];
  /** What calls wait for that have no result, because the run must not wait as long. */
  readonly waits: readonly Wait[];
  /** A host denied a call and asked to interrupt. */
  readonly deniedWithInterrupt: boolean;
  readonly thrown?: Thrown | undefined;
}

/** Stage 5: what else the model is to know. */
export interface Attachments {
  readonly messages: readonly AttachmentMessage[];
  /** A PostToolBatch hook ended the run. */
  readonly preventContinuation?: CollectedOfCalls['preventContinuation'];
  readonly thrown?: Thrown | undefined;
}

export const NO_ATTACHMENTS: Attachments = Object.freeze({ messages: Object.freeze([]) });

/** What the stages returned, one by one. */
export interface StageValues {
  readonly prepared: Prepared;
  readonly response: Response;
  readonly results: ToolResults;
  readonly attachments: Attachments;
}

/** Everything that the rules look at. */
export interface StageOutput extends StageValues {
  /** The view as stage 1 left it, and the model that stage 3 ended with: the next state is made of it. */
  readonly state: State;
}

export function stageOutput(values: StageValues): StageOutput {
  const { state } = values.prepared;
  const { models } = values.response;
  return { state: models === state.model ? state : { ...state, model: models }, ...values };
}
