/** What happened in this iteration, as the rules see it. The decision record names what each rule read. */
import type { ModelFailure } from '../protocol/model/failure.ts';
import type { AssistantMessage, AttachmentMessage, UserMessage } from '../protocol/model/messages.ts';
import type { StopReason } from '../protocol/model/wire.ts';
import type { Wait } from '../protocol/session/parking.ts';
import type { ToolCall } from '../protocol/tools/tool-call.ts';
import type { Iteration } from './iteration.ts';
import type { StageOutput } from './stage-output.ts';
import type { Thrown } from './stages/stage-error.ts';

export interface Facts {
  /** Why the caller aborted the submission; undefined while it did not. */
  readonly abortReason: string | undefined;
  /** A host denied a call and asked to interrupt. */
  readonly deniedWithInterrupt: boolean;
  readonly thrown: Thrown | undefined;
  /** Withheld or final failure of the model call. */
  readonly failure: ModelFailure | undefined;
  readonly responseEnded: boolean;
  readonly stopReason: StopReason | null;
  readonly messages: readonly AssistantMessage[];
  readonly calls: readonly ToolCall[];
  /** What the response holds, when it holds no call. */
  readonly answer: 'text' | 'empty' | 'thinking_only';
  readonly outputTokens: number;
  readonly results: readonly UserMessage[];
  readonly attachments: readonly AttachmentMessage[];
  /** A PostToolUse or PostToolBatch hook asked to stop. */
  readonly preventContinuation: { readonly stopReason: string; readonly hookName?: string } | undefined;
  readonly endsTurn: boolean;
  /** What the run would have to wait for longer than it may. */
  readonly waits: readonly Wait[];
  readonly structuredOutputOwed: boolean;
}

/** `thrown`: of a rule; an error of a stage comes first. */
export function collectFacts(output: StageOutput, iteration: Iteration, thrown?: Thrown): Facts {
  const { prepared, response, results, attachments } = output;
  const { params, deps } = iteration;
  const blocks = response.messages.flatMap((message) => message.message.content);
  const hasText = blocks.some((block) => block.type !== 'thinking' && block.type !== 'redacted_thinking');
  return {
    abortReason: iteration.abortReason,
    deniedWithInterrupt: results.deniedWithInterrupt,
    thrown: prepared.thrown ?? response.thrown ?? results.thrown ?? attachments.thrown ?? thrown,
    failure: response.failure,
    responseEnded: response.ended,
    stopReason: response.stopReason,
    messages: response.messages,
    calls: response.calls,
    answer: blocks.length === 0 ? 'empty' : hasText ? 'text' : 'thinking_only',
    outputTokens: response.usage.output_tokens,
    results: results.messages,
    attachments: attachments.messages,
    preventContinuation: results.preventContinuation ?? attachments.preventContinuation,
    endsTurn: results.endsTurn,
    waits: response.wait === undefined ? results.waits : [response.wait],
    structuredOutputOwed: params.structuredOutput !== undefined && !deps.guard.structuredOutput().accepted,
  };
}

/** Facts that remember which of them were read. */
export interface WatchedFacts {
  readonly facts: Facts;
  /** Starts to collect the reads of another rule: they are added to the returned object. */
  watch(): Record<string, unknown>;
}

export function watchReads(facts: Facts): WatchedFacts {
  let read: Record<string, unknown> = {};
  const proxy = new Proxy(facts, {
    get(target, name: keyof Facts & string) {
      const value = target[name];
      read[name] = brief(value);
      return value;
    },
  });
  return {
    facts: proxy,
    watch() {
      read = {};
      return read;
    },
  };
}

/** Records keep counts and words, never contents. */
function brief(value: Facts[keyof Facts]): unknown {
  if (typeof value !== 'object' || value === null) return value ?? null;
  if ('length' in value) return value.length;
  if ('kind' in value) return value.kind;
  if ('stopReason' in value) return value.stopReason;
  return value.error instanceof Error ? value.error.name : 'error';
}
