/** `query()` with a scripted model and nothing of this machine: no home, no keys, a journal in memory. */

import type { SDKResultMessage } from '@turnwright/engine/protocol/stream/result-message.ts';
import type { SDKMessage, SDKUserMessage } from '@turnwright/engine/protocol/stream/sdk-messages.ts';
import {
  type RecordingStore,
  recordingStore,
  type ScriptedModel,
  type ScriptStep,
  scriptedModel,
} from '@turnwright/testing';
import { createPromptLine } from '../../packages/cli/src/control/prompt-line.ts';
import { type Query, query } from '../../packages/engine/src/sdk/query/query.ts';
import type { Options } from '../../packages/engine/src/sdk/query-options.ts';

export interface QueryUnderTest {
  readonly query: Query;
  readonly model: ScriptedModel;
  readonly store: RecordingStore;
}

export function queryUnderTest(
  script: readonly ScriptStep[],
  prompt: string | AsyncIterable<SDKUserMessage>,
  options: Options = {},
): QueryUnderTest {
  const model = scriptedModel(script);
  const store = recordingStore();
  const engine = { callModel: model.callModel, store, ...options.engine };
  return {
    model,
    store,
    query: query({ prompt, options: { cwd: '/work', env: {}, tools: [], ...options, engine } }),
  };
}

export interface Gathered {
  readonly messages: readonly SDKMessage[];
  readonly results: readonly SDKResultMessage[];
  /** What the iterator threw. */
  readonly error?: unknown;
}

export async function gather(
  messages: AsyncIterable<SDKMessage>,
  onMessage?: (message: SDKMessage) => void,
): Promise<Gathered> {
  const all: SDKMessage[] = [];
  const done = (more: { readonly error?: unknown } = {}): Gathered => ({
    messages: all,
    results: all.filter((message): message is SDKResultMessage => message.type === 'result'),
    ...more,
  });
  try {
    for await (const message of messages) {
      all.push(message);
      onMessage?.(message);
    }
    return done();
  } catch (error) {
    return done({ error });
  }
}

export function prompt(content: string, more: Partial<SDKUserMessage> = {}): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more };
}

/** A stream of prompts that is pushed by hand. */
export function pushable() {
  const input = createPromptLine();
  return { input, push: input.push, end: input.end };
}
