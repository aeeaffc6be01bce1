/** An engine with a scripted model, time that stands still and a journal that can be read. */

import type { SDKResultMessage } from '@turnwright/engine/protocol/stream/result-message.ts';
import type { SDKMessage } from '@turnwright/engine/protocol/stream/sdk-messages.ts';
import {
  type Deferred,
  type RecordingStore,
  recordingStore,
  type ScriptedModel,
  type ScriptStep,
  type Step,
  scriptedModel,
  sequentialIds,
  virtualClock,
} from '@turnwright/testing';
import type { QueryEngineConfig } from '../../packages/engine/src/engine/config.ts';
import { QueryEngine } from '../../packages/engine/src/engine/query-engine.ts';

export interface EngineUnderTest {
  readonly engine: QueryEngine;
  readonly model: ScriptedModel;
  readonly store: RecordingStore;
  run(prompt: string): Promise<SDKMessage[]>;
}

export function engineUnderTest(
  script: readonly ScriptStep[],
  config: Partial<QueryEngineConfig> = {},
): EngineUnderTest {
  const model = scriptedModel(script);
  const store = recordingStore();
  const engine = new QueryEngine({
    cwd: '/work',
    tools: [],
    systemPrompt: [],
    callModel: model.callModel,
    clock: virtualClock(),
    ids: sequentialIds(),
    random: () => 0.5,
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    store,
    ...config,
  });
  return { engine, model, store, run: (prompt) => collect(engine.submitMessage(prompt)) };
}

export async function collect(messages: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const all: SDKMessage[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

export function resultIn(messages: readonly SDKMessage[]): SDKResultMessage {
  const last = messages.at(-1);
  if (last?.type !== 'result') throw new Error(`The last message is ${last?.type}, not a result.`);
  return last;
}

/** A step of a script that tells when it is asked for. */
export function telling(asked: Deferred<void>, step: Step): ScriptStep {
  return () => {
    asked.resolve();
    return step;
  };
}
