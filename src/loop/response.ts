/** What one iteration has received of the model so far. Stage 3 fills it; facts are read from it. */
import type { ModelFailure } from '../protocol/failure.ts';
import type { AssistantMessage } from '../protocol/messages.ts';
import type { ToolCall } from '../protocol/tool.ts';
import { EMPTY_USAGE, type StopReason, type Usage } from '../protocol/wire.ts';

export interface ResponseSoFar {
  messageId: string | undefined;
  model: string;
  requestId: string | undefined;
  /** Finished blocks that were yielded and not taken back. */
  messages: AssistantMessage[];
  /** Complete calls, in the model's order; every one of them gets a result. */
  calls: ToolCall[];
  /** The output cap cut a call while complete ones stand beside it. */
  cutBesideTools: boolean;
  stopReason: StopReason | null;
  usage: Usage;
  /** Characters of output received: the estimate for a response that never reported its usage. */
  outputChars: number;
  /** Edits that the API reports to have applied to its copy of the context. */
  appliedEdits: unknown;
  ended: boolean;
  settled: boolean;
  failure: ModelFailure | undefined;
}

export function emptyResponse(model: string): ResponseSoFar {
  return {
    messageId: undefined,
    model,
    requestId: undefined,
    messages: [],
    calls: [],
    cutBesideTools: false,
    stopReason: null,
    usage: EMPTY_USAGE,
    outputChars: 0,
    appliedEdits: undefined,
    ended: false,
    settled: false,
    failure: undefined,
  };
}

/** Tokens the response stands for: what it was asked with, and what it said. */
export function contextTokens(usage: Usage): number {
  return (
    usage.input_tokens +
    usage.cache_creation_input_tokens +
    usage.cache_read_input_tokens +
    usage.output_tokens
  );
}
