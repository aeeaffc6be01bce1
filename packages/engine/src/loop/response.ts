/** What one iteration receives from the model. Stage 3 fills it in and returns it. */
import type { CacheReport } from '../protocol/model/cache.ts';
import type { ModelFailure } from '../protocol/model/failure.ts';
import type { AssistantMessage } from '../protocol/model/messages.ts';
import { EMPTY_USAGE, type RefusalDetails, type StopReason, type Usage } from '../protocol/model/wire.ts';
import type { Wait } from '../protocol/session/parking.ts';
import type { ToolCall } from '../protocol/tools/tool-call.ts';
import type { Thrown } from './stages/stage-error.ts';
import type { ModelState } from './state.ts';

/** One attempt's response while it is being read; only stage 3 holds it. */
export interface ResponseSoFar {
  messageId: string | undefined;
  model: string;
  requestId: string | undefined;
  /** What else the API says of the message, such as its container. */
  more: Readonly<Record<string, unknown>>;
  /** Finished blocks that were emitted and not retracted. */
  messages: AssistantMessage[];
  /** Complete calls, in the model's order; every one of them gets a result. */
  calls: ToolCall[];
  /** Calls of a refused answer that were not handed on, as another model may take over. */
  held: readonly ToolCall[];
  /** The output cap truncated a call, and complete calls precede it. */
  cutBesideTools: boolean;
  /** Output cap of the request as it was sent; undefined before the first attempt. */
  maxTokens: number | undefined;
  /** Whether that is less than was asked for: a higher cap would be lowered again. */
  capWasLowered: boolean;
  stopReason: StopReason | null;
  /** What the API says about a refusal. */
  stopDetails: RefusalDetails | undefined;
  usage: Usage;
  /** Characters of output received: the estimate for a response that never reported its usage. */
  outputChars: number;
  /** Edits that the API reports to have applied to its copy of the context. */
  appliedEdits: unknown;
  /** What was found out about the prompt cache once the response ended. */
  cache: CacheReport | undefined;
  ended: boolean;
  settled: boolean;
  failure: ModelFailure | undefined;
}

/** Stage 3: the response that the iteration ends up with, whatever it took to get it. */
export interface Response extends Readonly<ResponseSoFar> {
  /** The model from here on, after a fallback another one than stage 1 had. */
  readonly models: ModelState;
  readonly thrown?: Thrown | undefined;
  /** The request can be repeated at this time, which is too far away to be waited for. */
  readonly wait?: Wait | undefined;
}

export function emptyResponse(model: string): ResponseSoFar {
  return {
    messageId: undefined,
    model,
    requestId: undefined,
    messages: [],
    calls: [],
    held: [],
    cutBesideTools: false,
    maxTokens: undefined,
    capWasLowered: false,
    stopReason: null,
    stopDetails: undefined,
    usage: EMPTY_USAGE,
    more: {},
    outputChars: 0,
    appliedEdits: undefined,
    cache: undefined,
    ended: false,
    settled: false,
    failure: undefined,
  };
}
