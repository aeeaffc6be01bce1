/** One rule, run by itself: facts and state in; the verdict, what it emitted and what it asked hooks out. */

import { idleContext, loopDeps, loopParams } from '@turnwright/testing';
import type { LoopDeps, LoopParams } from '../../src/loop/deps.ts';
import type { Facts } from '../../src/loop/facts.ts';
import { Iteration } from '../../src/loop/iteration.ts';
import { initialState } from '../../src/loop/query-loop.ts';
import { emptyResponse, type Response } from '../../src/loop/response.ts';
import { PASS, type RuleOutcome } from '../../src/loop/rule.ts';
import { RULES } from '../../src/loop/rules/index.ts';
import {
  NO_ATTACHMENTS,
  type Prepared,
  type StageOutput,
  stageOutput,
  type ToolResults,
} from '../../src/loop/stage-output.ts';
import type { State } from '../../src/loop/state.ts';
import type { ContextWork, RecoveryOutcome } from '../../src/protocol/model/context.ts';
import type { LoopMessage, SystemMessage, UserMessage } from '../../src/protocol/model/messages.ts';
import type { VerifyCheck } from '../../src/protocol/session/verification.ts';
import { type HookCall, NO_HOOK_VERDICT } from '../../src/protocol/tools/hook.ts';
import type { ToolCall } from '../../src/protocol/tools/tool-call.ts';

const nothing: Facts = {
  abortReason: undefined,
  deniedWithInterrupt: false,
  thrown: undefined,
  failure: undefined,
  responseEnded: true,
  stopReason: 'end_turn',
  messages: [],
  calls: [],
  answer: 'text',
  outputTokens: 10,
  results: [],
  attachments: [],
  preventContinuation: undefined,
  endsTurn: false,
  waits: [],
  structuredOutputOwed: false,
};
const call = {
  block: { type: 'tool_use', id: 't', name: 'T', input: {} },
  assistantUuid: 'a',
  effectKey: 'k',
} as ToolCall;
export const calls = {
  calls: [call],
  stopReason: 'tool_use',
  results: [{}] as unknown as UserMessage[],
} as const;

/** Groups of the state are flat here: no two have a field of one name. */
export type StateFields = Partial<State['recovery']> &
  Partial<State['hooks']> &
  Partial<State['budgets']> &
  Partial<State['verify']>;

export interface RuleInput {
  readonly rule: string;
  readonly facts: Partial<Facts>;
  readonly state?: StateFields;
  readonly params?: Partial<LoopParams>;
  /** What the request held. */
  readonly tokens?: number;
  readonly deps?: Partial<LoopDeps>;
  readonly response?: Partial<Response>;
  readonly results?: Partial<ToolResults>;
}

const edits = { kind: 'edits', source: 'boundary', edits: [], tokensFreed: 1, compacted: true } as const;
export const can = (
  rungs: keyof typeof idleContext.recovery | readonly (keyof typeof idleContext.recovery)[],
  how: Partial<Extract<RecoveryOutcome, { kind: 'edits' }>> = {},
  announced: readonly SystemMessage[] = [],
): Partial<LoopDeps> => {
  const rung = (): ContextWork<RecoveryOutcome> => async (output) => {
    if (announced.length > 0) await output.emit(announced);
    return { ...edits, ...how };
  };
  const able = Object.fromEntries([rungs].flat().map((name) => [name, rung]));
  return { context: { ...idleContext, recovery: { ...idleContext.recovery, ...able } } };
};
export const hooks = (
  verdict: Partial<typeof NO_HOOK_VERDICT> & { preventContinuation?: { stopReason: string } },
): Partial<LoopDeps> => ({
  hooks: { has: () => true, run: async () => ({ ...NO_HOOK_VERDICT, ...verdict }) },
});
/** Conditions that were found so. */
export const found = (...outcomes: readonly VerifyCheck['outcome'][]): Partial<LoopDeps> => ({
  verify: {
    attempts: 2,
    check: async () =>
      outcomes.map((outcome) => ({ kind: 'exist', name: 'a', outcome, why: `a is ${outcome}.` }) as const),
  },
});
export interface RuleRun {
  readonly verdict: RuleOutcome;
  /** One line for each message. */
  readonly shown: readonly string[];
  readonly asked: readonly HookCall[];
}

export async function runRule({
  rule: name,
  facts,
  state: given = {},
  ...input
}: RuleInput): Promise<RuleRun> {
  const { tokens = 0, deps: ports, response = {}, results = {} } = input;
  const params = loopParams(input.params);
  const fresh = initialState(params);
  const pick = <T extends object>(group: T): T => ({
    ...group,
    ...Object.fromEntries(Object.entries(given).filter(([key]) => key in group)),
  });
  const state: State = {
    ...fresh,
    recovery: pick(fresh.recovery),
    hooks: pick(fresh.hooks),
    verify: pick(fresh.verify),
    budgets: pick(fresh.budgets),
  };
  const asked: HookCall[] = [];
  const shown: string[] = [];
  const deps = loopDeps(ports);
  const hooked: LoopDeps = {
    ...deps,
    hooks: {
      ...deps.hooks,
      has: (event) => deps.hooks.has(event),
      run(hook, how) {
        asked.push(hook);
        return deps.hooks.run(hook, how);
      },
    },
  };
  const iteration = new Iteration(state, params, hooked, {
    emit(batch) {
      shown.push(...batch.map(lineOf));
      return undefined;
    },
  });
  const estimate = { tokens, overheadTokens: 0, factor: 1 };
  const prepared: Prepared = {
    kind: 'ready',
    state,
    tokens,
    estimate,
    tools: [],
    editedBy: [],
    contextManagement: undefined,
  };
  const output: StageOutput = stageOutput({
    prepared,
    response: { ...emptyResponse(state.model.current), models: state.model, ...response },
    results: { ...iteration.tools.results, ...results },
    attachments: NO_ATTACHMENTS,
  });
  const verdict = await verdictOf();
  await iteration.close();
  return { verdict, shown, asked };

  async function verdictOf(): Promise<RuleOutcome> {
    const rule = RULES.find((each) => each.name === name)!;
    const all = { ...nothing, ...facts };
    if (!rule.applies(all, output, iteration)) return PASS;
    return rule.run(all, output, iteration);
  }
}

/** `pass`, `park`, the transition, or the terminal. */
export function wordOf(verdict: RuleOutcome): string {
  if (verdict.kind === 'pass' || verdict.kind === 'park') return verdict.kind;
  return verdict.kind === 'stop' ? verdict.terminal.reason : (verdict.next.transition?.reason ?? 'none');
}

function lineOf(message: LoopMessage): string {
  switch (message.type) {
    case 'user':
      return `user (${message.kind}): ${textOf(message.message.content)}`;
    case 'assistant':
      return `assistant (${message.synthetic?.error}): ${textOf(message.message.content)}`;
    case 'attachment':
      return `attachment ${JSON.stringify(message.attachment)}`;
    case 'tombstone':
      return `retracted (${message.reason}): ${message.uuids.join(' ')}`;
    case 'system':
      return message.subtype === 'informational' ? `${message.level}: ${message.content}` : message.subtype;
    default:
      return message.type;
  }
}

const textOf = (content: string | readonly { readonly type: string; readonly text?: string }[]): string =>
  typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
