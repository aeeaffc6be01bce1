/** A question to the host that is open for too long ends the run; the answer is given to the next one (L4.1). */
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineUnderTest } from '@turnwright/test/engine/engine-under-test.ts';
import {
  allowing,
  type Lives,
  lives,
  parkedIn,
  resultIn,
  silentHost,
} from '@turnwright/test/engine/parking/lives.ts';
import { callTool, fakeTool, recordingStore, reply, say } from '@turnwright/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CanUseTool, PermissionResult } from '../../../src/index.ts';
import { query } from '../../../src/index.ts';
import type { JournalBody } from '../../../src/protocol/session/journal.ts';
import type { SDKMessage } from '../../../src/protocol/stream/sdk-messages.ts';

it('parkAfterMs is a number above 0, and needs a session that is kept', () => {
  expect(() => query({ prompt: 'Go.', options: { parkAfterMs: 0 } })).toThrow(/parkAfterMs.*number above 0/);
  expect(() => engineUnderTest([], { parkAfterMs: 1, store: undefined })).toThrow(
    'needs a session that is kept',
  );
});

const typesOf = ({ store, sessionId }: Lives) => store.entries(sessionId).map(({ type }) => type);

/** Ids of calls and texts of their results, as the messages of a run report them. */
const resultsIn = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === 'user' && typeof message.message.content !== 'string'
      ? message.message.content.flatMap((part) =>
          part.type === 'tool_result' ? [[part.tool_use_id, part.content] as const] : [],
        )
      : [],
  );

/** A host that allows the calls of these tools, and leaves the others open. */
function hostFor(...answered: readonly string[]) {
  const asked: { readonly tool: string; readonly askId: string }[] = [];
  const canUseTool: CanUseTool = async (tool, updatedInput, { askId }) => {
    asked.push({ tool, askId });
    return answered.includes(tool) ? { behavior: 'allow', updatedInput } : new Promise(() => {});
  };
  return { asked, canUseTool };
}

describe('an approval', () => {
  it('that does not come within parkAfterMs ends the run without a result; the next run asks it again', async () => {
    const session = lives();
    const touch = fakeTool({ name: 'Touch' });
    const host = silentHost();
    const first = await session.run({
      prompt: 'Go.',
      script: [callTool('Touch', { file: 'a' })],
      tools: [touch],
      options: { canUseTool: host.canUseTool },
    });
    const parked = parkedIn(first);
    expect(parked).toMatchObject({ on: 'ask', session_id: session.sessionId });
    expect(parked).not.toHaveProperty('wake_at');
    expect(first.messages.some(({ type }) => type === 'result')).toBe(false);
    expect(host.asked.map(({ context }) => context.askId)).toEqual(parked.ask_ids);
    expect(host.asked[0]?.context.signal.reason).toBe('parked');
    expect(session.clock.monotonicMs()).toBe(30_000);
    expect(touch.calls).toHaveLength(0);
    expect(typesOf(session)).toContain('parked');
    expect(typesOf(session)).not.toContain('intent');
    expect(typesOf(session)).not.toContain('result');

    const later = hostFor('Touch');
    const second = await session.run({
      script: [say('Done.')],
      tools: [touch],
      options: { canUseTool: later.canUseTool },
    });
    expect(later.asked.map(({ askId }) => askId)).toEqual(parked.ask_ids);
    expect(resultIn(second)).toMatchObject({ subtype: 'success', result: 'Done.', num_turns: 2 });
    expect(touch.calls.map(({ input }) => input)).toEqual([{ file: 'a' }]);
    expect(
      typesOf(session).filter((type) => type === 'ask'),
      'recorded once',
    ).toHaveLength(1);
  });

  it('parks the run as often as it is not given', async () => {
    const session = lives();
    const tools = [fakeTool({ name: 'Touch' })];
    const { canUseTool } = silentHost();
    const first = await session.run({
      prompt: 'Go.',
      script: [callTool('Touch')],
      tools,
      options: { canUseTool },
    });
    const second = await session.run({ tools, options: { canUseTool } });
    expect(parkedIn(second).ask_ids).toEqual(parkedIn(first).ask_ids);
    const last = await session.run({ script: [say('Done.')], tools, options: { canUseTool: allowing } });
    expect(resultIn(last)).toMatchObject({ result: 'Done.', num_turns: 2 });
  });

  it('may be a denial', async () => {
    const session = lives();
    const tools = [fakeTool({ name: 'Touch' })];
    const { canUseTool } = silentHost();
    await session.run({ prompt: 'Go.', script: [callTool('Touch')], tools, options: { canUseTool } });
    const last = await session.run({
      script: [say('Then not.')],
      tools,
      options: { canUseTool: async () => ({ behavior: 'deny', message: 'Not on a Friday.' }) },
    });
    expect(resultIn(last)).toMatchObject({
      result: 'Then not.',
      permission_denials: [{ tool_name: 'Touch' }],
    });
  });

  it('that another process records while the session is parked is used without a question', async () => {
    const session = lives();
    const touch = fakeTool({ name: 'Touch' });
    const { canUseTool } = silentHost();
    const options = { canUseTool };
    await session.run({ prompt: 'Go.', script: [callTool('Touch')], tools: [touch], options });
    const { store, sessionId } = session;
    const ask = store.entries(sessionId).find((entry) => entry.type === 'ask');
    if (ask?.type !== 'ask') throw new Error('Nothing was asked.');
    const { askId, submission } = ask;
    const answer: PermissionResult = { behavior: 'allow', updatedInput: { file: 'b' } };
    const body: JournalBody = {
      type: 'answer',
      id: `${submission}/answer/${askId}`,
      submission,
      askId,
      answer,
    };
    const { epoch, head } = await store.takeOver(sessionId);
    await store.append(sessionId, epoch, head, [body]);
    const last = await session.run({ script: [say('Done.')], tools: [touch], options });
    expect(resultIn(last)).toMatchObject({ result: 'Done.' });
    expect(touch.calls.map(({ input }) => input)).toEqual([{ file: 'b' }]);
  });
});

describe('several calls of one response', () => {
  const fast = (name: string) => fakeTool({ name, concurrencySafe: true, answer: `${name} done` });
  const four = () =>
    reply([
      callTool('AskOne', {}, { id: 'one' }),
      callTool('FreeOne', {}, { id: 'free-one' }),
      callTool('AskTwo', {}, { id: 'two' }),
      callTool('FreeTwo', {}, { id: 'free-two' }),
    ]);
  const allowedTools = ['FreeOne', 'FreeTwo'];

  it('side by side: the others finish and are recorded; answers come in any order', async () => {
    const session = lives();
    const tools = ['AskOne', 'FreeOne', 'AskTwo', 'FreeTwo'].map(fast);
    const host = hostFor();
    const first = await session.run({
      prompt: 'Go.',
      script: [four()],
      tools,
      options: { canUseTool: host.canUseTool, allowedTools },
    });
    expect(new Set(parkedIn(first).ask_ids)).toEqual(new Set(host.asked.map(({ askId }) => askId)));
    expect(parkedIn(first).ask_ids).toHaveLength(2);
    expect(new Map(resultsIn(first.messages))).toEqual(
      new Map([
        ['free-one', 'FreeOne done'],
        ['free-two', 'FreeTwo done'],
      ]),
    );

    const second = hostFor('AskTwo');
    const halfway = await session.run({ tools, options: { canUseTool: second.canUseTool, allowedTools } });
    expect(resultsIn(halfway.messages)).toEqual([['two', 'AskTwo done']]);
    const [one] = second.asked.filter(({ tool }) => tool === 'AskOne');
    expect(parkedIn(halfway).ask_ids).toEqual([one?.askId]);

    const last = await session.run({
      script: [say('Done.')],
      tools,
      options: { canUseTool: hostFor('AskOne').canUseTool, allowedTools },
    });
    expect(resultIn(last)).toMatchObject({ result: 'Done.' });
    expect(tools.map(({ calls }) => calls.length)).toEqual([1, 1, 1, 1]);
    const sent = JSON.stringify([...(last.model.requests[0]?.view ?? [])]);
    const order = ['AskOne', 'FreeOne', 'AskTwo', 'FreeTwo'].map((name) => sent.indexOf(`${name} done`));
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  it('one after the other: those behind a parked call wait for it, in the order of the model', async () => {
    const session = lives();
    const ran: string[] = [];
    const step = (name: string) =>
      fakeTool({
        name,
        answer: () => {
          ran.push(name);
          return `${name} done`;
        },
      });
    const tools = ['FreeOne', 'AskOne', 'FreeTwo'].map(step);
    const host = hostFor();
    const first = await session.run({
      prompt: 'Go.',
      script: [reply([callTool('FreeOne'), callTool('AskOne'), callTool('FreeTwo')])],
      tools,
      options: { canUseTool: host.canUseTool, allowedTools },
    });
    expect(parkedIn(first).ask_ids).toHaveLength(1);
    expect(ran).toEqual(['FreeOne']);
    const last = await session.run({
      script: [say('Done.')],
      tools,
      options: { canUseTool: allowing, allowedTools },
    });
    expect(resultIn(last)).toMatchObject({ result: 'Done.' });
    expect(ran).toEqual(['FreeOne', 'AskOne', 'FreeTwo']);
  });
});

describe('while a session is parked', () => {
  async function parkedSession() {
    const session = lives();
    const touch = fakeTool({ name: 'Touch' });
    const { canUseTool } = silentHost();
    const first = await session.run({
      prompt: 'Go.',
      script: [callTool('Touch')],
      tools: [touch],
      options: { canUseTool },
    });
    return { session, touch, canUseTool, askIds: parkedIn(first).ask_ids };
  }

  it('an interrupt of the next run ends the submission with its result', async () => {
    const { session, touch, canUseTool } = await parkedSession();
    const running = session.start({
      tools: [touch],
      options: {
        canUseTool: (...question) => {
          void running.query.interrupt();
          return canUseTool(...question);
        },
      },
    });
    const result = resultIn({ messages: await session.clock.runUntil(running.ended) });
    expect(result).toMatchObject({ terminal_reason: 'aborted_tools' });
    expect(touch.calls).toHaveLength(0);
  });

  it('a prompt to it closes what was open: the call gets a result, and does not run', async () => {
    const { session, touch, canUseTool } = await parkedSession();
    const { messages, model } = await session.run({
      prompt: 'Something else.',
      script: [say('Something else.')],
      tools: [touch],
      options: { canUseTool },
    });
    expect(resultIn({ messages })).toMatchObject({ subtype: 'success', result: 'Something else.' });
    expect(JSON.stringify([...(model.requests[0]?.view ?? [])])).toContain('Interrupted before it ran');
    expect(touch.calls).toHaveLength(0);
  });

  it('the engine of the run takes no more prompts', async () => {
    const { engine, run } = engineUnderTest([callTool('Touch')], {
      permissionMode: 'default',
      tools: [fakeTool({ name: 'Touch' })],
      canUseTool: () => new Promise(() => {}),
      parkAfterMs: 1,
      clock: undefined,
    });
    expect((await run('Go.')).at(-1)).toMatchObject({ subtype: 'session_parked' });
    await expect(run('Again.')).rejects.toMatchObject({ code: 'engine_closed' });
    await engine.close();
  });

  it('a process that is killed at any record leaves a session that comes to the same end', async () => {
    const { session, askIds } = await parkedSession();
    const entries = session.store.entries(session.sessionId);
    const begin = entries.findIndex(({ type }) => type === 'ask') + 1;
    expect(entries.length - begin).toBeGreaterThan(2);
    for (let cut = begin; cut <= entries.length; cut += 1) {
      const store = recordingStore();
      const { epoch } = await store.takeOver(session.sessionId);
      await store.append(session.sessionId, epoch, 0, entries.slice(0, cut) as unknown as JournalBody[]);
      const touch = fakeTool({ name: 'Touch' });
      const host = hostFor('Touch');
      const last = await lives(store, session.sessionId).run({
        script: [say('Done.')],
        tools: [touch],
        options: { canUseTool: host.canUseTool },
      });
      const where = `cut behind ${entries[cut - 1]?.type}`;
      expect(resultIn(last), where).toMatchObject({ result: 'Done.', num_turns: 2 });
      expect(
        host.asked.map(({ askId }) => askId),
        where,
      ).toEqual(askIds);
      expect(touch.calls, where).toHaveLength(1);
    }
  });
});

it('a file that was read before the session was parked can be edited afterwards', async () => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-parked-')));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const file_path = join(cwd, 'gate.txt');
  await writeFile(file_path, 'red');
  const session = lives();
  const options = { cwd, tools: ['Read', 'Edit'] };
  const first = await session.run({
    prompt: 'Go.',
    script: [
      callTool('Read', { file_path }),
      callTool('Edit', { file_path, old_string: 'red', new_string: 'green' }),
    ],
    options: { ...options, canUseTool: silentHost().canUseTool },
    builtIn: true,
  });
  expect(parkedIn(first).on).toBe('ask');
  const last = await session.run({
    script: [say('Painted.')],
    options: { ...options, canUseTool: allowing },
    builtIn: true,
  });
  expect(resultIn(last)).toMatchObject({ result: 'Painted.' });
  expect(await readFile(file_path, 'utf8')).toBe('green');
});

describe('the tools that ask', () => {
  it('AskUserQuestion: the answers are given to the next run', async () => {
    const session = lives();
    const questions = [
      {
        question: 'Which colour?',
        header: 'Colour',
        multiSelect: false,
        options: [
          { label: 'Red', description: 'Warm.' },
          { label: 'Blue', description: 'Cold.' },
        ],
      },
    ];
    const options = { tools: ['AskUserQuestion'] };
    const host = silentHost();
    const first = await session.run({
      prompt: 'Go.',
      script: [callTool('AskUserQuestion', { questions })],
      options: { ...options, canUseTool: host.canUseTool },
      builtIn: true,
    });
    expect(parkedIn(first).ask_ids).toEqual([host.asked[0]?.context.askId]);
    const last = await session.run({
      script: [say('Blue it is.')],
      options: {
        ...options,
        canUseTool: async (_, input) => ({
          behavior: 'allow',
          updatedInput: { ...input, answers: { 'Which colour?': 'Blue' } },
        }),
      },
      builtIn: true,
    });
    expect(resultIn(last)).toMatchObject({ result: 'Blue it is.' });
    expect(JSON.stringify(resultsIn(last.messages))).toContain('Blue');
  });

  it('ExitPlanMode: the plan is approved in the next run, also where the model had begun to plan itself', async () => {
    for (const begins of [false, true]) {
      const session = lives();
      const options = {
        tools: ['EnterPlanMode', 'ExitPlanMode'],
        ...(!begins && { permissionMode: 'plan' as const }),
      };
      const host = silentHost();
      const first = await session.run({
        prompt: 'Go.',
        script: [
          ...(begins ? [callTool('EnterPlanMode')] : []),
          callTool('ExitPlanMode', { plan: '1. Paint the gate.' }),
        ],
        options: { ...options, canUseTool: host.canUseTool },
        builtIn: true,
      });
      expect(parkedIn(first).on).toBe('ask');
      const last = await session.run({
        script: [say('I paint.')],
        options: { ...options, canUseTool: allowing },
        builtIn: true,
      });
      expect(resultIn(last)).toMatchObject({ result: 'I paint.' });
      expect(JSON.stringify(resultsIn(last.messages))).toContain('The user has approved the plan');
    }
  });
});
