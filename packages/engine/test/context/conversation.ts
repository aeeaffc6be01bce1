/** Conversations to compact, and a pass over them. */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import {
  countingLedger,
  idleHooks,
  type ScriptStep,
  scriptedModel,
  sequentialIds,
  virtualClock,
} from '@turnwright/testing';
import { type ContextOptions, createContext } from '../../src/context/context-port.ts';
import { limitsFor } from '../../src/context/estimate/thresholds.ts';
import { estimateTokens } from '../../src/context/estimate/token-estimate.ts';
import type {
  ContextLimits,
  ContextPort,
  ContextWork,
  RecoveryOutcome,
  StepInput,
  StepOutcome,
} from '../../src/protocol/model/context.ts';
import type {
  AssistantMessage,
  AttachmentMessage,
  LoopMessage,
  UserMessage,
  ViewMessage,
} from '../../src/protocol/model/messages.ts';
import type { ViewEdit } from '../../src/protocol/model/view.ts';
import { type AssistantBlock, EMPTY_USAGE, type ToolResultBlock } from '../../src/protocol/model/wire.ts';
import { applyEdits } from '../../src/view/edits.ts';

const timestamp = '2026-01-01T00:00:00.000Z';

export function prompt(uuid: string, content: UserMessage['message']['content']): UserMessage {
  return { type: 'user', kind: 'prompt', uuid, timestamp, message: { role: 'user', content } };
}

/** One finished block of the response with this id. */
export function answer(response: string, uuid: string, block: AssistantBlock): AssistantMessage {
  return {
    type: 'assistant',
    uuid,
    timestamp,
    message: {
      id: response,
      type: 'message',
      role: 'assistant',
      model: 'test-model',
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      usage: EMPTY_USAGE,
    },
  };
}

export function text(response: string, words: string): AssistantMessage {
  return answer(response, `${response}-text`, { type: 'text', text: words });
}

export function call(
  response: string,
  id: string,
  name = 'Bash',
  input: Record<string, unknown> = {},
): AssistantMessage {
  return answer(response, `call-${id}`, { type: 'tool_use', id, name, input });
}

export function result(
  id: string,
  content: NonNullable<ToolResultBlock['content']>,
  more: Partial<UserMessage> = {},
): UserMessage {
  return {
    type: 'user',
    kind: 'tool_result',
    uuid: `result-${id}`,
    timestamp,
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
    ...more,
  };
}

export function queued(uuid: string, words: string): AttachmentMessage {
  return {
    type: 'attachment',
    uuid,
    timestamp,
    attachment: { type: 'queued_command', prompt: words },
    rendered: [{ type: 'text', text: words }],
  };
}

/** So many words of prose: a token each, about. */
export function prose(tokens: number): string {
  return 'wide '.repeat(tokens);
}

/** A prompt, `rounds` calls with results of so many tokens, and an answer. */
export function session(name: string, rounds: number, tokens: number): ViewMessage[] {
  const messages: ViewMessage[] = [prompt(`${name}-prompt`, `Do ${name}.`)];
  for (let i = 1; i <= rounds; i++) {
    messages.push(call(`${name}-${i}`, `${name}-${i}`), result(`${name}-${i}`, prose(tokens)));
  }
  messages.push(text(`${name}-end`, `${name} is done.`));
  return messages;
}

export function input(messages: readonly ViewMessage[], more: Partial<StepInput> = {}): StepInput {
  const view = PersistentList.from(messages);
  return {
    view,
    fresh: view.slice(),
    estimateTokens: estimateTokens(messages),
    compactedInThisPass: false,
    limits: limitsFor({ contextWindow: 200_000, maxOutputTokens: 64_000 }),
    compaction: { rapidRefills: 0, consecutiveFailures: 0, switchedOff: false, warned: false },
    turnCount: 1,
    model: 'test-model',
    querySource: 'main',
    effectKey: 'submission-1/1',
    life: new AbortController(),
    ...more,
  };
}

export interface Ran<T> {
  readonly yielded: LoopMessage[];
  readonly outcome: T;
}

export async function run<T extends StepOutcome | RecoveryOutcome>(
  work: T | ContextWork<T>,
): Promise<Ran<T>> {
  const yielded: LoopMessage[] = [];
  if (typeof work !== 'function') return { yielded, outcome: work };
  const outcome = await work({ emit: (batch) => void yielded.push(...batch) });
  return { yielded, outcome };
}

export function runStep(context: ContextPort, name: string, given: StepInput): Promise<Ran<StepOutcome>> {
  const step = context.steps.find((candidate) => candidate.name === name);
  if (step === undefined) throw new Error(`There is no step ${name}.`);
  return run(step.run(given));
}

export function applied(
  messages: readonly ViewMessage[],
  outcome: { kind: string; edits?: readonly ViewEdit[] },
): ViewMessage[] {
  return applyEdits(PersistentList.from(messages), outcome.edits ?? []).slice();
}

export function context(script: readonly ScriptStep[] = [], more: Partial<ContextOptions> = {}) {
  const clock = virtualClock();
  const model = scriptedModel(script, { clock });
  const ledger = countingLedger();
  const port = createContext({
    callModel: model.callModel,
    ledger,
    clock,
    ids: sequentialIds(),
    hooks: idleHooks,
    spill: async ({ toolUseId }) => ({ path: `/tool-results/${toolUseId}.txt` }),
    modelSize: () => ({ contextWindow: 200_000, maxOutputTokens: 64_000 }),
    mainRequest: () => ({
      sessionId: 'session-1',
      foreground: true,
      system: ['You are a test.'],
      tools: [],
      maxTokens: 8_000,
      thinking: { type: 'adaptive' },
    }),
    ...more,
  });
  return { port, model, ledger, clock };
}

export const SMALL: ContextLimits = limitsFor({ contextWindow: 20_000, maxOutputTokens: 4_000 });

/** Every call stands before its result, and neither without the other. */
export function isWhole(messages: readonly ViewMessage[]): boolean {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.type === 'attachment') continue;
    if (typeof message.message.content === 'string') continue;
    for (const block of message.message.content) {
      if (block.type === 'tool_use') open.add(String(block['id']));
      if (block.type === 'tool_result' && !open.delete(block.tool_use_id)) return false;
    }
  }
  return open.size === 0;
}
