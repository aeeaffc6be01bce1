/** What happened in this iteration, as the rules see it. Which rule read what goes into the decision record. */
import type { ModelFailure } from '../protocol/failure.ts';
import type { AssistantMessage, AttachmentMessage, UserMessage } from '../protocol/messages.ts';
import type { ToolCall } from '../protocol/tool.ts';
import type { StopReason } from '../protocol/wire.ts';

export interface Facts {
  /** The abort's reason when the submission was aborted; undefined while it was not. */
  readonly abortReason: string | undefined;
  /** A host denied a call and asked to interrupt. */
  readonly deniedWithInterrupt: boolean;
  readonly thrown: { readonly error: unknown } | undefined;
  /** Withheld or final failure of the model call. */
  readonly failure: ModelFailure | undefined;
  readonly responseEnded: boolean;
  readonly stopReason: StopReason | null;
  readonly messages: readonly AssistantMessage[];
  readonly calls: readonly ToolCall[];
  /** What the answer holds, when it holds no call. */
  readonly answer: 'text' | 'empty' | 'thinking_only';
  readonly outputTokens: number;
  readonly results: readonly UserMessage[];
  readonly attachments: readonly AttachmentMessage[];
  /** PostToolUse hooks asked to stop. */
  readonly preventContinuation: { readonly stopReason: string; readonly hookName?: string } | undefined;
  readonly endsTurn: boolean;
  readonly structuredOutputOwed: boolean;
}

/** The same facts, remembering which of them were read since the last look. */
export interface WatchedFacts {
  readonly facts: Facts;
  /** From here on the reads are another rule's: they go into the object that it returns. */
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
function brief(value: unknown): unknown {
  if (Array.isArray(value)) return value.length;
  if (value === null || value === undefined || typeof value !== 'object') return value ?? null;
  if ('kind' in value) return value.kind;
  if ('stopReason' in value) return value.stopReason;
  if ('error' in value) return value.error instanceof Error ? value.error.name : 'error';
  return true;
}
