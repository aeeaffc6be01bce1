/** Hooks of type `prompt` and `agent`: what they ask, what their answers do, and who pays. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import {
  type RehearsalRequest,
  type RehearsalServer,
  type Reply,
  reply,
  startRehearsal,
  toolUse,
} from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Options, query } from '../../src/index.ts';

let folder: string;
let server: RehearsalServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnwright-judges-'));
  server = await startRehearsal();
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const JUDGES = /You judge for a hook/;
const systemOf = ({ body }: RehearsalRequest) => JSON.stringify(body['system'] ?? '');
const resultsIn = (messages: readonly unknown[]) =>
  JSON.stringify(messages.filter((m) => /tool_result/.test(JSON.stringify(m))));

/** `judge` answers for the hooks, `work` for the conversation. */
async function run(
  settings: object,
  {
    judge,
    work,
    options = {},
  }: {
    judge: (request: RehearsalRequest, n: number) => Reply;
    work: readonly Reply[];
    options?: Options;
  },
) {
  const asked: RehearsalRequest[] = [];
  const main = [...work];
  server.setScenario((request) => {
    if (!JUDGES.test(systemOf(request))) return main.shift() ?? reply('Done.');
    asked.push(request);
    return judge(request, asked.length);
  });
  const running = query({
    prompt: 'Go.',
    options: {
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        TURNWRIGHT_HOME: join(folder, 'home'),
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'sk-test',
      },
      model: 'claude-sonnet-5',
      persistSession: false,
      allowedTools: ['Bash'],
      settings: { hooks: settings },
      ...options,
    },
  });
  const { messages } = await gather(running);
  const result = messages.findLast((message) => message.type === 'result');
  return { asked, messages, result };
}

const on = (event: string, type: 'prompt' | 'agent', more: object = {}) => ({
  [event]: [{ hooks: [{ type, prompt: 'Allow only harmless things: $ARGUMENTS', ...more }] }],
});
const touch = reply(toolUse('Bash', { command: 'touch made' }));
const yes = () => reply('{"ok": true, "reason": "harmless"}');
const no = () => reply('{"ok": false, "reason": "It makes a file."}');
const made = () => existsSync(join(folder, 'made'));

describe('a prompt hook', () => {
  it('asks a small model about the event, and lets it go on', async () => {
    const { asked, result } = await run(on('PreToolUse', 'prompt'), { judge: yes, work: [touch] });
    expect(made()).toBe(true);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.model).toMatch(/haiku/);
    expect(asked[0]?.tools).toEqual([]);
    expect(asked[0]?.lastMessage).toMatch(/^Allow only harmless things: \{"session_id".*"touch made"/);
    expect(Object.keys(result?.modelUsage ?? {})).toEqual(
      expect.arrayContaining([expect.stringMatching(/haiku/)]),
    );
  });

  it('puts the event behind a text that does not say where', async () => {
    const hooks = on('PreToolUse', 'prompt', { prompt: 'Is $& harmless?', model: 'claude-opus-5' });
    const { asked } = await run(hooks, { judge: yes, work: [touch] });
    expect(asked[0]?.lastMessage).toMatch(/^Is \$& harmless\?\n\nARGUMENTS: \{"session_id"/);
    expect(asked[0]?.model).toBe('claude-opus-5');
  });

  it('keeps a call from running, and ends the turn', async () => {
    const { result, messages } = await run(on('PreToolUse', 'prompt'), { judge: no, work: [touch] });
    expect(made()).toBe(false);
    expect(resultsIn(messages)).toContain('It makes a file.');
    expect(result).toMatchObject({ terminal_reason: 'hook_stopped' });
  });

  it('lets the turn go on with continueOnBlock', async () => {
    const hooks = on('PreToolUse', 'prompt', { continueOnBlock: true });
    const { result } = await run(hooks, { judge: no, work: [touch] });
    expect(made()).toBe(false);
    expect(result).toMatchObject({ terminal_reason: 'completed', result: 'Done.' });
  });

  it('refuses a prompt', async () => {
    const { result } = await run(on('UserPromptSubmit', 'prompt'), { judge: no, work: [] });
    expect(JSON.stringify(result)).toContain('It makes a file.');
    expect(result).toMatchObject({ num_turns: 0 });
  });

  it('sends the model back to work until a condition holds, with the conversation before it', async () => {
    const { asked, result } = await run(on('Stop', 'prompt', { prompt: 'The tests were run.' }), {
      judge: (_, n) => (n === 1 ? reply('```json\n{"ok": false, "reason": "No test ran."}\n```') : yes()),
      work: [reply('First.'), reply('Second.')],
    });
    expect(asked).toHaveLength(2);
    expect(JSON.stringify(asked[0]?.body)).toContain('Agent: First.');
    expect(result).toMatchObject({ subtype: 'success', result: 'Second.' });
    expect(JSON.stringify(server.requests.at(-2)?.body)).toContain('No test ran.');
  });

  it('lets the model stop where nothing can meet the condition, and says so', async () => {
    const { asked, messages } = await run(on('Stop', 'prompt', { prompt: 'The moon is green.' }), {
      judge: () => reply('{"ok": false, "impossible": true, "reason": "It is grey."}'),
      work: [reply('First.')],
    });
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(messages)).toContain('The condition cannot be met: It is grey.');
  });

  it.each([
    ['no JSON', () => reply('Sure, go ahead.')],
    ['a cut answer', () => ({ ...reply('{"ok": true'), stop_reason: 'max_tokens' })],
    ['an error', () => ({ ...reply('.'), faults: [{ name: 'http-status' as const, status: 400 }] })],
  ])('closes what it guards on %s, unless it may go on', async (_, judge) => {
    const { messages } = await run(on('PreToolUse', 'prompt'), { judge, work: [touch] });
    expect(made()).toBe(false);
    expect(resultsIn(messages)).toContain('failed and guards this');
    await run(on('PreToolUse', 'prompt', { onFailure: 'continue' }), { judge, work: [touch] });
    expect(made()).toBe(true);
  });

  it('is paid for within a strict budget', async () => {
    const options = { maxBudgetUsd: 0.000_001, strictBudget: true };
    const { asked } = await run(on('UserPromptSubmit', 'prompt'), { judge: yes, work: [], options });
    expect(asked).toEqual([]);
  });
});

describe('an agent hook', () => {
  it('reads what it needs, and is not judged itself', async () => {
    await writeFile(join(folder, 'rules.txt'), 'No files.\n');
    const hooks = { ...on('PreToolUse', 'agent'), ...on('SubagentStop', 'prompt') };
    const { asked, messages, result } = await run(hooks, {
      judge: (_, n) => (n === 1 ? reply(toolUse('Read', { file_path: 'rules.txt' })) : no()),
      work: [touch, reply('Stopped.')],
    });
    expect(made()).toBe(false);
    expect([...(asked[0]?.tools ?? [])].sort()).toEqual(['Glob', 'Grep', 'Read']);
    expect(asked[0]?.model).toMatch(/haiku/);
    expect(asked).toHaveLength(2);
    expect(asked[1]?.lastResult).toContain('No files.');
    expect(resultsIn(messages)).toContain('It makes a file.');
    expect(result).toMatchObject({ terminal_reason: 'completed', result: 'Stopped.' });
    expect(Object.keys(result?.modelUsage ?? {})).toHaveLength(2);
  });

  it('asks no questions, and closes what it guards when it cannot answer', async () => {
    const questions: string[] = [];
    const { messages } = await run(on('PreToolUse', 'agent'), {
      judge: (_, n) => reply(n === 1 ? toolUse('Read', { file_path: '/etc/hostname' }) : 'Who knows.'),
      work: [touch, reply('Stopped.')],
      options: {
        canUseTool: async (name) => {
          questions.push(name);
          return { behavior: 'allow', updatedInput: {} };
        },
      },
    });
    expect(questions).toEqual([]);
    expect(made()).toBe(false);
    expect(resultsIn(messages)).toContain('failed and guards this');
  });

  it('ends at its time limit', async () => {
    const { messages } = await run(on('PreToolUse', 'agent', { timeout: 0.2 }), {
      judge: () => ({ ...yes(), timing: { headersMs: 60_000 } }),
      work: [touch, reply('Stopped.')],
    });
    expect(made()).toBe(false);
    expect(resultsIn(messages)).toContain('did not answer within 0.2 s');
  });
});

it('both are listed with what they ask', async () => {
  const running = query({
    prompt: (async function* () {})(),
    options: {
      cwd: folder,
      settings: { hooks: { ...on('Stop', 'prompt'), ...on('PreToolUse', 'agent') } },
      env: { HOME: folder, ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url },
    },
  });
  const { hooks } = await running.hooksListing();
  await running.close();
  expect(hooks).toMatchObject([
    { event: 'PreToolUse', type: 'agent', commandText: 'Allow only harmless things: $ARGUMENTS' },
    { event: 'Stop', type: 'prompt', contentLabel: 'Prompt' },
  ]);
});
