/** What the checks of a model client are given, and how they make a call with it. */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type {
  AssistantMessage,
  UserMessage,
  ViewMessage,
} from '@turnwright/engine/protocol/model/messages.ts';
import {
  type CallOptions,
  FRESH_RETRY_STATE,
  type ModelOutcome,
  type ModelOutput,
  type ModelRequest,
  type RetryNotice,
} from '@turnwright/engine/protocol/model/model.ts';
import type { ModelClient } from '@turnwright/engine/protocol/model/model-client.ts';
import {
  type AssistantBlock,
  EMPTY_USAGE,
  type StreamEvent,
  type UserBlock,
} from '@turnwright/engine/protocol/model/wire.ts';
import type { Clock, RandomPort } from '@turnwright/engine/protocol/ports.ts';
import { equal, holds } from '../demand.ts';
import type { ModelServer } from './model-server.ts';

/** What the client has to be made with. */
export interface ModelClientSetup {
  /** Real time, except that sleeps end at once and are noted. */
  readonly clock: Clock;
  readonly random: RandomPort;
  /** In ms; absent: the defaults of the client. */
  readonly timeouts?: {
    readonly headersMs?: number;
    readonly answerMs?: number;
    readonly idleMs?: number;
    readonly firstByteMs?: number;
  };
  /** Absent: the default. */
  readonly maxRetries?: number;
  readonly persistentRetry?: boolean;
  /**
   * The credential that takes the place of a refused one; undefined: there is none. Absent: it cannot be
   * renewed.
   */
  readonly renewCredential?: (why: 'expired' | 'revoked') => Promise<string | undefined>;
}

export interface OpenedModel {
  readonly client: ModelClient;
  readonly server: ModelServer;
  /** A model of this server, with a window of 200,000 tokens or more. */
  readonly model: string;
  /** Another one of the same server. */
  readonly otherModel: string;
  dispose(): Promise<void>;
}

/** What the API has by its documentation; each check holds either way, and says what it expects then. */
export interface WireTraits {
  /** `marks`: requests carry marks for the prompt cache. `none`: the client must send none. */
  readonly caching: 'marks' | 'none';
  /**
   * How thinking is sent back to the model that made it. `signed`: byte for byte, with its signature.
   * `plain`: its text. `none`: not at all.
   */
  readonly thinking: 'signed' | 'plain' | 'none';
  /** `details`: cache reads and writes are reported as well. */
  readonly usage: 'details' | 'totals';
  /**
   * Where streamed usage stands: `early`, in the first event as well, so that a cut answer has some;
   * `end`.
   */
  readonly usageComes: 'early' | 'end';
  /**
   * What an answer is that ends without usage. `broken`: it cannot be distinguished from a cut one. Default
   * `complete`.
   */
  readonly withoutUsage?: 'complete' | 'broken';
  /**
   * `renewable`: a credential is renewed by the setup's `renewCredential`. `own`: the client has other
   * means.
   */
  readonly credential: 'renewable' | 'own';
  /**
   * `status`: overload has a status of its own. `none`: the API words it as a server error or a rate
   * limit.
   */
  readonly overload: 'status' | 'none';
  /** `counted`: the refusal of a prompt that is too long states its tokens and the window. */
  readonly tooLong: 'counted' | 'plain';
  /**
   * `pooled`: another library does the HTTP. It keeps connections for later requests, and drops what it has
   * read of an answer when the connection breaks. `none`: the client is a double that plays
   * a script: nothing is rendered or sent, and no wait takes time. Default `own`.
   */
  readonly http?: 'own' | 'pooled' | 'none';
  /**
   * `exact`: the size that the client reports is that of the body. `estimated`: another library writes it.
   */
  readonly body: 'exact' | 'estimated';
}

interface Call {
  readonly outputs: readonly ModelOutput[];
  readonly events: readonly StreamEvent[];
  readonly notices: readonly RetryNotice[];
  readonly outcome: ModelOutcome;
}

/**
 * Runs a call to its end, which must be as the contract says. `onOutput` sees each output before the next one
 * is asked for.
 */
export async function callModel(
  client: ModelClient,
  request: ModelRequest,
  options: Partial<CallOptions> = {},
  onOutput: (output: ModelOutput) => void = () => {},
): Promise<Call> {
  const signal = options.signal ?? new AbortController().signal;
  const call = client.call(request, { retry: FRESH_RETRY_STATE, ...options, signal });
  const outputs: ModelOutput[] = [];
  for (;;) {
    const step = await call.next();
    if (step.done) {
      demandWellFormed(request, outputs, step.value);
      return { outputs, outcome: step.value, ...splitOutputs(outputs) };
    }
    outputs.push(step.value);
    onOutput(step.value);
  }
}

/** What holds for every call, whatever became of it. */
function demandWellFormed(
  { model, stream }: ModelRequest,
  outputs: readonly ModelOutput[],
  outcome: ModelOutcome,
): void {
  const batches = outputs.flatMap((output) => (output.kind === 'events' ? [output] : []));
  const [first, ...later] = batches;
  if (first !== undefined) holds((first.ttftMs ?? -1) >= 0, 'the time to the first event on the first batch');
  for (const { ttftMs, requestId } of later)
    equal([ttftMs, requestId], [undefined, first?.requestId], 'time to the first event, and request id');
  if (first?.requestId !== undefined) equal(outcome.requestId, first.requestId, 'request id of the outcome');
  if (!stream) holds(later.length === 0, 'one batch of an answer that does not stream');
  for (const attempt of outcome.attempts) {
    equal([attempt.model, attempt.stream], [model, stream], 'model and stream of the record');
    const isWaste = attempt.usage !== undefined && attempt.outcome !== 'complete';
    equal(attempt.wasted === true, isWaste, 'wasted');
  }
  const announced = outputs.filter(({ kind }) => kind === 'attempt').length;
  holds(announced >= outcome.attempts.length, 'a notice of each attempt');
  const last = outcome.attempts.at(-1);
  if (outcome.kind === 'complete') equal(last?.outcome, 'complete', 'the last attempt');
  else if ('failure' in outcome && last !== undefined)
    equal(last.outcome, outcome.failure.kind, 'the last attempt');
}

function splitOutputs(outputs: readonly ModelOutput[]) {
  return {
    events: outputs.flatMap((output) => (output.kind === 'events' ? output.events : [])),
    notices: outputs.flatMap((output) => (output.kind === 'retry' ? [output.notice] : [])),
  };
}

/** A request with one user message, unless stated. */
export function requestFor(model: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    querySource: 'main',
    foreground: true,
    effectKey: 'checks/1/1/request',
    sessionId: 'session-checks',
    model,
    system: ['You are being checked.'],
    view: createView(user('Hello.')),
    tools: [],
    maxTokens: 8000,
    stream: true,
    ...more,
  };
}

export function createView(...messages: readonly ViewMessage[]): ModelRequest['view'] {
  return PersistentList.from(messages);
}

const stamped = () => ({ uuid: crypto.randomUUID(), timestamp: '2026-01-01T00:00:00.000Z' });

export function user(content: string | readonly UserBlock[]): UserMessage {
  return { type: 'user', ...stamped(), message: { role: 'user', content } };
}

export function result(id: string, content: string, isError = false): UserMessage {
  return user([{ type: 'tool_result', tool_use_id: id, content, ...(isError && { is_error: true }) }]);
}

/** One block of the answer `id` of a model. */
export function answered(model: string, id: string, block: AssistantBlock): AssistantMessage {
  return {
    type: 'assistant',
    ...stamped(),
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model,
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      usage: EMPTY_USAGE,
    },
  };
}
