/** A session that is run several times: `query()` with a scripted model, one journal and one clock for all runs. */
import { randomUUID } from 'node:crypto';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { SDKMessage, SDKUserMessage } from '@turnwright/engine/protocol/stream/sdk-messages.ts';
import type { SDKSessionParked } from '@turnwright/engine/protocol/stream/session-messages.ts';
import type { CanUseTool, CanUseToolContext } from '@turnwright/engine/protocol/tools/can-use-tool.ts';
import type { AnyTool } from '@turnwright/engine/protocol/tools/tool.ts';
import {
  type RecordingStore,
  recordingStore,
  type ScriptedModel,
  type ScriptStep,
  scriptedModel,
  type VirtualClock,
  virtualClock,
} from '@turnwright/testing';
import { type Query, query } from '../../../packages/engine/src/sdk/query/query.ts';
import type { Options } from '../../../packages/engine/src/sdk/query-options.ts';

export const PARK_AFTER_MS = 30_000;

export interface Run {
  readonly query: Query;
  readonly model: ScriptedModel;
  /** Every message, once the iterator has ended. Time passes as far as it has to. */
  readonly messages: readonly SDKMessage[];
}

export interface Lives {
  readonly sessionId: string;
  readonly store: RecordingStore;
  readonly clock: VirtualClock;
  /** A run to its end. Without a prompt it resumes what is open. */
  run(how: HowToRun): Promise<Run>;
  /** The same, without waiting for its end; nothing moves the clock. */
  start(how: HowToRun): Omit<Run, 'messages'> & { readonly ended: Promise<readonly SDKMessage[]> };
}

export interface HowToRun {
  readonly prompt?: string | AsyncIterable<SDKUserMessage>;
  readonly script?: readonly ScriptStep[];
  readonly tools?: readonly AnyTool[];
  /** `tools` of them names built-in ones, which come with `builtIn`. */
  readonly options?: Options;
  readonly builtIn?: boolean;
}

export function lives(store: RecordingStore = recordingStore(), sessionId: string = randomUUID()): Lives {
  const clock = virtualClock();
  const start: Lives['start'] = ({ prompt, script = [], tools = [], options = {}, builtIn = false }) => {
    const model = scriptedModel(script);
    const begins = prompt !== undefined && store.entries(sessionId).length === 0;
    const started = query({
      prompt,
      options: {
        cwd: '/work',
        env: {},
        tools: [],
        parkAfterMs: PARK_AFTER_MS,
        ...(begins ? { sessionId } : { resume: sessionId }),
        ...options,
        engine: { callModel: model.callModel, store, clock, ...(!builtIn && { tools }), ...options.engine },
      },
    });
    return { query: started, model, ended: gathered(started) };
  };
  return {
    sessionId,
    store,
    clock,
    start,
    async run(how) {
      const { ended, ...run } = start(how);
      return { ...run, messages: await clock.runUntil(ended) };
    },
  };
}

async function gathered(messages: AsyncIterable<SDKMessage>): Promise<readonly SDKMessage[]> {
  const all: SDKMessage[] = [];
  try {
    for await (const message of messages) all.push(message);
  } catch (error) {
    // A query throws behind a last result that is an error.
    if (!(error instanceof TurnwrightError) || error.code !== 'error_result') throw error;
  }
  return all;
}

/** The last message, which says that the run was parked. */
export function parkedIn({ messages }: Pick<Run, 'messages'>): SDKSessionParked {
  const last = messages.at(-1);
  if (last?.type === 'system' && last.subtype === 'session_parked') return last;
  throw new Error(`The last message is ${JSON.stringify(last)}.`);
}

/** The last message, which is the result. */
export function resultIn({ messages }: Pick<Run, 'messages'>) {
  const last = messages.at(-1);
  if (last?.type === 'result') return last;
  throw new Error(`The last message is ${JSON.stringify(last)}.`);
}

/** A host that answers no question, and notes what it is asked. */
export function silentHost() {
  const asked: { readonly tool: string; readonly input: unknown; readonly context: CanUseToolContext }[] = [];
  const canUseTool: CanUseTool = (tool, input, context) => {
    asked.push({ tool, input, context });
    return new Promise(() => {});
  };
  return { asked, canUseTool };
}

export const allowing: CanUseTool = async (_, updatedInput) => ({ behavior: 'allow', updatedInput });
