/** Defaults for everything that the loop needs, so that a test sets only what it is about. */

import { openScope } from '@turnwright/base/async/scope.ts';
import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { LoopEnd } from '@turnwright/engine/loop/decision.ts';
import type { AttachmentPort, LoopDeps, LoopParams, OuterGuard } from '@turnwright/engine/loop/deps.ts';
import type { ContextPort } from '@turnwright/engine/protocol/model/context.ts';
import type { LoopMessage, UserMessage, ViewMessage } from '@turnwright/engine/protocol/model/messages.ts';
import type { UserBlock } from '@turnwright/engine/protocol/model/wire.ts';
import type { Ledger } from '@turnwright/engine/protocol/ports.ts';
import type { Terminal } from '@turnwright/engine/protocol/session/terminal.ts';
import { type HookPort, NO_HOOK_VERDICT } from '@turnwright/engine/protocol/tools/hook.ts';
import { sequentialIds } from './predictable.ts';
import { recorder } from './recording-store.ts';
import { scriptedModel } from './scripted-model.ts';
import { scriptedTools } from './scripted-tools.ts';
import { virtualClock } from './virtual-clock.ts';

const nothing = () => ({ kind: 'none', why: 'This context recovers nothing.' }) as const;

/** No steps, no recoveries, a window of 200,000 tokens; estimates 1 token per message. */
export const idleContext: ContextPort = Object.freeze({
  steps: [],
  recovery: {
    drainCollapses: () => nothing,
    reactiveCompact: () => nothing,
    mechanicalTrim: () => nothing,
    reduceMedia: () => nothing,
  },
  limitsFor: () => ({
    window: 200_000,
    maxOutput: 64_000,
    effective: 180_000,
    autocompactAt: 167_000,
    warnAt: 147_000,
    blockingAt: 177_000,
  }),
  estimate: (messages: readonly ViewMessage[]) => messages.length,
});

export const idleHooks: HookPort = Object.freeze({ run: async () => NO_HOOK_VERDICT, has: () => false });

export const idleAttachments: AttachmentPort = Object.freeze({
  collect: () => [],
  acknowledge: () => [],
});

/** No budget, and no structured output. */
export const idleGuard: OuterGuard = Object.freeze({
  verdict: () => undefined,
  structuredOutput: () => ({ accepted: false }),
});

/** A ledger that records what was settled, and sums the cost. */
export interface CountingLedger extends Ledger {
  readonly settled: readonly Parameters<Ledger['settle']>[0][];
}

/** Counts each effect key once, at this price per output token (USD, default 0). */
export function countingLedger(usdPerOutputToken = 0): CountingLedger {
  const settled: Parameters<Ledger['settle']>[0][] = [];
  let total = 0;
  return {
    settled,
    settle(spent) {
      if (settled.some((earlier) => earlier.effectKey === spent.effectKey)) return 0;
      settled.push(spent);
      const cost = spent.usage.output_tokens * usdPerOutputToken;
      total += cost;
      return cost;
    },
    totalCostUsd: () => total,
  };
}

/** A complete set of ports: a model without answers, everything else idle. */
export function loopDeps(overrides: Partial<LoopDeps> = {}): LoopDeps {
  return {
    callModel: scriptedModel([]).callModel,
    recorder: recorder(),
    tools: scriptedTools(),
    context: idleContext,
    hooks: idleHooks,
    attachments: idleAttachments,
    ledger: countingLedger(),
    guard: idleGuard,
    clock: virtualClock(),
    ids: sequentialIds(),
    modelLimits: () => ({ maxOutputTokens: 64_000, nonStreamingRepeat: true }),
    ...overrides,
  };
}

/** A prompt, as a message of a view. */
export function userMessage(
  content: string | readonly UserBlock[],
  more: Partial<UserMessage> = {},
): UserMessage {
  return {
    type: 'user',
    kind: 'prompt',
    uuid: 'prompt-1',
    timestamp: '2026-01-01T00:00:00.000Z',
    message: { role: 'user', content },
    ...more,
  };
}

/** Parameters of a submission, by default with the prompt "Hello.". Creates a scope. */
export function loopParams(overrides: Partial<LoopParams> & { readonly prompt?: string } = {}): LoopParams {
  const { prompt = 'Hello.', ...rest } = overrides;
  return {
    sessionId: 'session-1',
    submission: 'submission-1',
    querySource: 'main',
    foreground: true,
    agentPath: '',
    chainId: 'chain-1',
    depth: 0,
    view: () => PersistentList.from<ViewMessage>([userMessage(prompt)]),
    system: [],
    userContext: [],
    model: 'test-model',
    fallbackModels: [],
    defaultOutputCap: 8_000,
    escalatedOutputCap: 64_000,
    includePartialMessages: false,
    stopHookBlockCap: 8,
    compaction: { rapidRefills: 0, consecutiveFailures: 0, switchedOff: false, warned: false },
    scope: openScope(),
    ...rest,
  };
}

/** The loop as `runLoop` calls it. */
export type QueryLoop = (
  params: LoopParams,
  deps: LoopDeps,
) => AsyncGenerator<readonly LoopMessage[], LoopEnd, void>;

/** Everything that a run of the loop yielded, and why it ended. */
export interface LoopRun {
  readonly messages: readonly LoopMessage[];
  readonly terminal: Terminal;
}

/**
 * Runs a loop to its end and collects what it yields. `onMessage` receives each message before the loop
 * continues. Rejects when the loop is parked.
 */
export async function runLoop(
  queryLoop: QueryLoop,
  params: LoopParams,
  deps: LoopDeps,
  onMessage?: (message: LoopMessage) => void | Promise<void>,
): Promise<LoopRun> {
  const messages: LoopMessage[] = [];
  const run = queryLoop(params, deps);
  for (;;) {
    const step = await run.next();
    if (step.done) {
      const end = step.value;
      if (end.kind === 'stop') return { messages, terminal: end.terminal };
      throw new Error('The loop was parked: a call waits for longer than its run may.');
    }
    for (const message of step.value) {
      messages.push(message);
      await onMessage?.(message);
    }
  }
}
