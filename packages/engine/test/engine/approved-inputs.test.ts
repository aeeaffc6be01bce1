/** Of a call that was approved with another input, that input runs: whoever approved it, wherever it runs. */

import { collect, engineUnderTest } from '@turnwright/test/engine/engine-under-test.ts';
import { callTool, fakeTool, recordingStore, say, sequentialIds } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { QueryEngineConfig } from '../../src/engine/config.ts';
import type { AssistantMessage } from '../../src/protocol/model/messages.ts';
import type { JournalBody, JournalEntry } from '../../src/protocol/session/journal.ts';
import type { HookCallback } from '../../src/protocol/tools/hook-callback.ts';
import type { AnyTool } from '../../src/protocol/tools/tool.ts';

const ASKED = { command: 'make' };
const APPROVED = { command: 'make -j2' };
const ANSWER = { behavior: 'allow', updatedInput: APPROVED, toolUseID: 'toolu_9' } as const;

const hook = (event: string, output: Record<string, unknown>): Partial<QueryEngineConfig> => ({
  hooks: { [event]: [{ hooks: [(async () => output) as HookCallback] }] },
});
const allows = (event: string) =>
  hook(event, {
    hookSpecificOutput:
      event === 'PreToolUse'
        ? { hookEventName: event, permissionDecision: 'allow' }
        : { hookEventName: event, decision: { behavior: 'allow' } },
  });

/** What the process that runs the call makes of it by itself. */
const PLACES: Readonly<Record<string, Partial<QueryEngineConfig> & { readonly readOnly?: true }>> = {
  'mode default': {},
  'mode acceptEdits': { permissionMode: 'acceptEdits' },
  'mode bypassPermissions': { permissionMode: 'bypassPermissions' },
  'mode dontAsk': { permissionMode: 'dontAsk' },
  'mode plan, a tool that only reads': { permissionMode: 'plan', readOnly: true },
  'an allow rule': { allowRules: ['Make'] },
  'an ask rule': { askRules: ['Make'] },
  'a tool that only reads': { readOnly: true },
  'prompts switched off': { permissionLocks: { denyInsteadOfPrompting: true } },
  'a PermissionRequest hook that allows': allows('PermissionRequest'),
  'a PreToolUse hook that allows': allows('PreToolUse'),
  'another host': { canUseTool: async () => ({ behavior: 'deny', message: 'Not asked.' }) },
};

interface Life {
  readonly ran: readonly unknown[];
  readonly warnings: readonly string[];
}

/** Runs an engine that has the tool Make; `act` is what is done with it. */
async function lifeOf(
  { readOnly, ...config }: (typeof PLACES)[string],
  act: (engine: ReturnType<typeof engineUnderTest>) => Promise<unknown>,
  script = [say('Done.'), say('Again.')],
): Promise<Life> {
  const tool: AnyTool & { readonly calls: readonly { readonly input: unknown }[] } = fakeTool({
    name: 'Make',
  });
  const warnings: string[] = [];
  const own = { ...tool, isReadOnly: () => readOnly === true };
  await act(
    engineUnderTest(script, {
      permissionMode: 'default',
      stderr: (line) => warnings.push(line),
      ids: sequentialIds(1000),
      ...config,
      tools: [own, ...(config.tools ?? [])],
    }),
  );
  return { ran: tool.calls.map(({ input }) => input), warnings };
}

/** The journal of a process that asked, up to its last entry of this type. */
async function recordUpTo(type: JournalEntry['type']) {
  const first = engineUnderTest([callTool('Make', ASKED, { id: 'toolu_9' }), say('Done.')], {
    permissionMode: 'default',
    tools: [fakeTool({ name: 'Make' })],
    canUseTool: async () => ANSWER,
  });
  await first.run('Go.');
  const { sessionId } = first.engine;
  const entries = first.store.entries(sessionId);
  const cut = entries.slice(0, entries.findLastIndex((entry) => entry.type === type) + 1);
  const call = cut.find(
    (entry) => entry.type === 'assistant' && entry.message.content[0]?.type === 'tool_use',
  ) as unknown as AssistantMessage;
  const store = recordingStore();
  const { epoch } = await store.takeOver(sessionId);
  await store.append(sessionId, epoch, 0, cut as unknown as JournalBody[]);
  return { resumed: { store, resume: sessionId }, call };
}

const withPrompt = ({ run }: ReturnType<typeof engineUnderTest>) => run('And?');
const carriedOn = ({ engine }: ReturnType<typeof engineUnderTest>) => collect(engine.resume());

/** How the answer comes to the process that runs the call. */
const LATE: Readonly<Record<string, (place: (typeof PLACES)[string]) => Promise<Life>>> = {
  async 'with a prompt after a resume'(place) {
    const { resumed, call: assistantMessage } = await recordUpTo('ask');
    return lifeOf(
      { ...place, ...resumed, orphanedPermission: { permissionResult: ANSWER, assistantMessage } },
      withPrompt,
    );
  },
  async 'when the submission is carried on'(place) {
    const { resumed, call: assistantMessage } = await recordUpTo('ask');
    return lifeOf(
      { ...place, ...resumed, orphanedPermission: { permissionResult: ANSWER, assistantMessage } },
      carriedOn,
    );
  },
  async 'as the record of an earlier process'(place) {
    const { resumed } = await recordUpTo('answer');
    return lifeOf({ ...place, ...resumed }, carriedOn);
  },
  async 'beside initialMessages'(place) {
    const { call: assistantMessage } = await recordUpTo('ask');
    const prompt = {
      type: 'user',
      uuid: 'p0',
      timestamp: '2026-01-01T00:00:00.000Z',
      message: { role: 'user', content: 'Go.' },
    } as const;
    return lifeOf(
      {
        ...place,
        initialMessages: [prompt, assistantMessage],
        orphanedPermission: { permissionResult: ANSWER, assistantMessage },
      },
      withPrompt,
    );
  },
  async 'to a fresh engine'(place) {
    const { call: assistantMessage } = await recordUpTo('ask');
    return lifeOf(
      { ...place, orphanedPermission: { permissionResult: ANSWER, assistantMessage } },
      withPrompt,
    );
  },
};

describe.each(Object.entries(LATE))('an answer that comes later, %s', (_door, live) => {
  it.each(Object.entries(PLACES))('in %s', async (_place, place) => {
    expect(await live(place)).toEqual({ ran: [APPROVED], warnings: [] });
  });

  it('runs nothing where a rule denies the tool', async () => {
    expect(await live({ permissionMode: 'bypassPermissions', denyRules: ['Make'] })).toEqual({
      ran: [],
      warnings: [],
    });
  });
});

/** How an answer or a hook changes the input while the call passes the gate. */
const LIVE: Readonly<Record<string, Partial<QueryEngineConfig>>> = {
  'canUseTool, mode default': { canUseTool: async () => ANSWER },
  'canUseTool, an ask rule in acceptEdits': {
    canUseTool: async () => ANSWER,
    permissionMode: 'acceptEdits',
    askRules: ['Make'],
  },
  'a permission prompt tool': {
    permissionPromptToolName: 'Prompt',
    tools: [
      { ...fakeTool({ name: 'Prompt' }), run: async () => ({ data: null, content: JSON.stringify(ANSWER) }) },
    ],
  },
  'a PermissionRequest hook': hook('PermissionRequest', {
    hookSpecificOutput: {
      hookEventName: 'PermissionRequest',
      decision: { behavior: 'allow', updatedInput: APPROVED },
    },
  }),
  ...Object.fromEntries(
    (['default', 'acceptEdits', 'bypassPermissions', 'dontAsk'] as const).map((permissionMode) => [
      `a PreToolUse hook that allows, mode ${permissionMode}`,
      {
        permissionMode,
        allowRules: permissionMode === 'dontAsk' ? ['Make'] : [],
        ...hook('PreToolUse', {
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            permissionDecision: 'allow',
            updatedInput: APPROVED,
          },
        }),
      },
    ]),
  ),
};

it.each(Object.entries(LIVE))('an input that is changed by %s', async (_door, config) => {
  const { ran } = await lifeOf(config, ({ run }) => run('Go.'), [
    callTool('Make', ASKED, { id: 'toolu_9' }),
    say('Done.'),
  ]);
  expect(ran).toEqual([APPROVED]);
});

/** What the answer is about is gone; the reason is told. */
const LOST: Readonly<
  Record<
    string,
    {
      readonly act: typeof withPrompt;
      readonly id?: string;
      readonly upTo?: JournalEntry['type'];
      readonly why: string;
    }
  >
> = {
  'an answer whose message does not hold the call': {
    act: withPrompt,
    id: 'toolu_8',
    why: 'does not hold that call',
  },
  'an answer to a call that has its result': {
    act: withPrompt,
    upTo: 'result',
    why: 'has its result already',
  },
  'an answer to a call that may have run': {
    act: carriedOn,
    upTo: 'intent',
    why: 'no call with this id waits',
  },
  'the same with a prompt': { act: withPrompt, upTo: 'intent', why: 'has its result already' },
  'an answer where nothing is to be carried on': {
    act: carriedOn,
    upTo: 'result',
    why: 'has its result already',
  },
};

it.each(Object.entries(LOST))('%s is passed over with a warning', async (_what, { act, id, upTo, why }) => {
  const { resumed, call: assistantMessage } = await recordUpTo(upTo ?? 'ask');
  const permissionResult = { ...ANSWER, toolUseID: id ?? ANSWER.toolUseID };
  const { ran, warnings } = await lifeOf(
    { ...resumed, orphanedPermission: { permissionResult, assistantMessage } },
    act,
  );
  expect(ran).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining(why)]);
});
