/** Views, requests and runs of calls, short to write. */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type {
  AssistantMessage,
  AttachmentMessage,
  UserMessage,
  ViewMessage,
} from '@turnwright/engine/protocol/model/messages.ts';
import {
  type CallOptions,
  FRESH_RETRY_STATE,
  type ModelOutcome,
  type ModelOutput,
  type ModelRequest,
} from '@turnwright/engine/protocol/model/model.ts';
import type { ModelClient } from '@turnwright/engine/protocol/model/model-client.ts';
import type {
  AssistantBlock,
  StreamEvent,
  ToolResultBlock,
  UserBlock,
} from '@turnwright/engine/protocol/model/wire.ts';
import { EMPTY_USAGE } from '@turnwright/engine/protocol/model/wire.ts';
import {
  createModelClient,
  type ModelClientOptions,
} from '../../packages/engine/src/model/create-model-client.ts';
import { skippingClock } from './skipping-clock.ts';

let count = 0;
const common = () => ({ uuid: `u${++count}`, timestamp: '2026-11-01T00:00:00.000Z' });

export function user(content: string | readonly UserBlock[]): UserMessage {
  return { type: 'user', ...common(), message: { role: 'user', content } };
}

export function result(
  id: string,
  content: NonNullable<ToolResultBlock['content']>,
  isError = false,
): UserMessage {
  return user([{ type: 'tool_result', tool_use_id: id, content, ...(isError && { is_error: true }) }]);
}

export function attachment(...rendered: UserBlock[]): AttachmentMessage {
  return { type: 'attachment', ...common(), attachment: { type: 'note' }, rendered };
}

export function assistant(
  id: string,
  block: AssistantBlock,
  more: { model?: string; stop?: string; synthetic?: AssistantMessage['synthetic'] } = {},
): AssistantMessage {
  return {
    type: 'assistant',
    ...common(),
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: more.model ?? 'claude-sonnet-5',
      content: [block],
      stop_reason: more.stop ?? null,
      stop_sequence: null,
      usage: EMPTY_USAGE,
    },
    ...(more.synthetic && { synthetic: more.synthetic }),
  };
}

export const says = (id: string, text: string) => assistant(id, { type: 'text', text });
export const thinks = (id: string, thinking: string, model?: string) =>
  assistant(id, { type: 'thinking', thinking, signature: 'c2ln' }, model === undefined ? {} : { model });
export const calls = (id: string, callId: string, input: Record<string, unknown> = {}) =>
  assistant(id, { type: 'tool_use', id: callId, name: 'Read', input });

export function viewOf(...messages: ViewMessage[]): PersistentList<ViewMessage> {
  return PersistentList.from(messages);
}

const NO_TOOLS: ModelRequest['tools'] = [];
const NO_SYSTEM: ModelRequest['system'] = [];

export function requestOf(
  view: ModelRequest['view'] = viewOf(user('hi')),
  more: Partial<ModelRequest> = {},
): ModelRequest {
  return {
    querySource: 'main',
    foreground: true,
    effectKey: 's/1/1/request',
    sessionId: 'session-1',
    model: 'claude-sonnet-5',
    system: NO_SYSTEM,
    view,
    tools: NO_TOOLS,
    maxTokens: 8000,
    stream: true,
    ...more,
  };
}

export function clientFor(baseUrl: string, more: Partial<ModelClientOptions> = {}): ModelClient {
  return createModelClient({ baseUrl, apiKey: 'sk-test', clock: skippingClock(), random: () => 0, ...more });
}

export interface Ran {
  readonly outputs: ModelOutput[];
  readonly events: StreamEvent[];
  readonly notices: Extract<ModelOutput, { kind: 'retry' }>['notice'][];
  readonly outcome: ModelOutcome;
}

/** Runs a call to its end. */
export async function run(
  client: ModelClient,
  request: ModelRequest = requestOf(),
  options: Partial<CallOptions> = {},
  onOutput: (output: ModelOutput) => unknown = () => {},
): Promise<Ran> {
  const call = client.call(request, {
    signal: new AbortController().signal,
    retry: FRESH_RETRY_STATE,
    ...options,
  });
  const outputs: ModelOutput[] = [];
  for (;;) {
    const step = await call.next();
    if (step.done) {
      return {
        outputs,
        events: outputs.flatMap((output) => (output.kind === 'events' ? output.events : [])),
        notices: outputs.flatMap((output) => (output.kind === 'retry' ? [output.notice] : [])),
        outcome: step.value,
      };
    }
    outputs.push(step.value);
    await onOutput(step.value);
  }
}

/** The failure of an outcome that has one. */
export function failureOf(outcome: ModelOutcome) {
  if (!('failure' in outcome)) throw new Error(`the outcome is ${outcome.kind}`);
  return outcome.failure;
}
