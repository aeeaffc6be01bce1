/** What a screen needs to go back in a session, to list sessions with their end, and to change rules. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gather, prompt as promptOf, pushable } from '@turnwright/test/sdk/query-under-test.ts';
import {
  type RehearsalServer,
  type Reply,
  reply,
  startRehearsal,
  toolUse,
} from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as own from '../../src/index.ts';

let server: RehearsalServer;
let home: string;
let cwd: string;
let env: Record<string, string>;
beforeEach(async () => {
  server = await startRehearsal();
  const folder = await mkdtemp(join(tmpdir(), 'turnwright-prompts-'));
  [home, cwd] = [join(folder, 'home'), join(folder, 'work')];
  await mkdir(cwd);
  env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', TURNWRIGHT_HOME: home };
});
afterEach(async () => {
  await server.close();
  await rm(join(home, '..'), { recursive: true, force: true });
});

async function ask(prompt: string, replies: readonly Reply[], options: own.Options = {}) {
  server.setScenario({ name: 'test', replies });
  const { results } = await gather(own.query({ prompt, options: { cwd, env, tools: [], ...options } }));
  return results[0]?.session_id ?? '';
}

describe('sessionPrompts', () => {
  it('gives each prompt with the message before it and the files that its turn changed', async () => {
    const id = await ask('one', [reply('Answer to one.')]);
    const write = toolUse('Write', { file_path: join(cwd, 'a.txt'), content: 'a' });
    await ask('two', [reply([write]), reply('Written.')], {
      resume: id,
      tools: ['Write'],
      permissionMode: 'acceptEdits',
      enableFileCheckpointing: true,
    });
    await ask('/context', [], { resume: id });
    const prompts = await own.sessionPrompts(id, { env });
    const messages = await own.getSessionMessages(id, { env });
    const [first, second] = prompts;
    expect(prompts.map(({ text, filesChanged }) => [text, filesChanged])).toEqual([
      ['one', []],
      ['two', [join(cwd, 'a.txt')]],
    ]);
    expect(first?.resumeAt).toBeUndefined();
    expect(messages.map(({ uuid }) => uuid).slice(0, 3)).toEqual([
      first?.uuid,
      second?.resumeAt,
      second?.uuid,
    ]);
  });

  it('resumes before a prompt, which is then no part of the session any more', async () => {
    const id = await ask('one', [reply('Answer to one.')]);
    await ask('two', [reply('Answer to two.')], { resume: id });
    const [, second] = await own.sessionPrompts(id, { env });
    await ask('another', [reply('Answer to another.')], { resume: id, resumeSessionAt: second?.resumeAt });
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain('two');
    expect((await own.sessionPrompts(id, { env })).map(({ text }) => text)).toEqual(['one', 'another']);
  });

  it('has a prompt that joined a running turn, and resumes before it', async () => {
    const { input, push, end } = pushable();
    const slow = own.tool('slow', 'Takes a while', {}, async () => {
      push(promptOf('and hurry'));
      // The prompt is read before the tool has ended.
      await new Promise((resolve) => setImmediate(resolve));
      return { content: [{ type: 'text', text: 'late' }] };
    });
    const mcpServers = { work: own.createSdkMcpServer({ name: 'work', tools: [slow] }) };
    server.setScenario({
      name: 'test',
      replies: [reply([toolUse('mcp__work__slow', {})]), reply('Done in a hurry.')],
    });
    push(promptOf('one'));
    const running = own.query({
      prompt: input,
      options: { cwd, env, tools: [], mcpServers, allowedTools: ['mcp__work'] },
    });
    const { results } = await gather(running, (message) => {
      if (message.type === 'result') end();
    });
    const id = results[0]?.session_id ?? '';
    expect(results).toHaveLength(1);
    const [first, second] = await own.sessionPrompts(id, { env });
    expect([first?.text, second?.text]).toEqual(['one', 'and hurry']);
    const shown = (await own.getSessionMessages(id, { env })).find(({ uuid }) => uuid === second?.uuid);
    expect(shown).toMatchObject({ type: 'user', message: { role: 'user', content: 'and hurry' } });
    await ask('another', [reply('Answer.')], { resume: id, resumeSessionAt: second?.resumeAt });
    const body = JSON.stringify(server.requests.at(-1)?.body);
    expect(body).toContain('late');
    expect(body).not.toContain('and hurry');
    expect((await own.sessionPrompts(id, { env })).map(({ text }) => text)).toEqual(['one', 'another']);
  });

  it('leaves out notices of background tasks', async () => {
    const start = toolUse('Bash', { command: 'true', run_in_background: true });
    const id = await ask(
      'one',
      [reply([start]), reply('Started.'), reply('It has ended.', { times: 'any' })],
      {
        tools: ['Bash'],
        allowedTools: ['Bash'],
        env: { ...env, PATH: process.env['PATH'] },
      },
    );
    const said = JSON.stringify(await own.getSessionMessages(id, { env }));
    expect(said).toContain('<task-notification>');
    expect((await own.sessionPrompts(id, { env })).map(({ text }) => text)).toEqual(['one']);
  });

  it('gives a command as it was typed', async () => {
    await mkdir(join(cwd, '.claude', 'commands'), { recursive: true });
    await writeFile(join(cwd, '.claude', 'commands', 'ship.md'), 'Ship $ARGUMENTS now.');
    const id = await ask('/ship the boat', [reply('Shipped.')], { settingSources: ['project'] });
    expect((await own.sessionPrompts(id, { env })).map(({ text }) => text)).toEqual(['/ship the boat']);
  });

  it('is empty for a session that does not exist', async () => {
    expect(await own.sessionPrompts('00000000-0000-4000-8000-000000000000', { env })).toEqual([]);
  });
});

describe('listSessions with withOutcome', () => {
  it('says what a session has cost and how it ended', async () => {
    const done = await ask('one', [reply('Answer.')]);
    const limited = await ask('two', [reply([toolUse('Glob', { pattern: '*' })])], {
      tools: ['Glob'],
      maxTurns: 1,
    });
    const failed = await ask('three', [reply('', { faults: [{ name: 'http-status', status: 403 }] })]);
    const sessions = await own.listSessions({ env, withOutcome: true });
    const outcomeOf = (id: string) => sessions.find(({ sessionId }) => sessionId === id)?.outcome;
    const cost = await own.sessionCost(done, { cwd, env });
    expect(outcomeOf(done)).toEqual({
      costUsd: cost.totalCostUsd,
      isPriced: true,
      lastResult: { subtype: 'success', is_error: false, terminal_reason: 'completed' },
    });
    expect(cost.totalCostUsd).toBeGreaterThan(0);
    expect(outcomeOf(limited)?.lastResult).toMatchObject({ terminal_reason: 'max_turns' });
    expect(outcomeOf(failed)?.lastResult).toMatchObject({ is_error: true });
    expect((await own.listSessions({ env })).every(({ outcome }) => outcome === undefined)).toBe(true);
  });

  it('has no result for a session whose process ended in the middle, and the cost so far', async () => {
    const id = await ask('one', [reply('Answer.')]);
    await ask('two', [reply('Answer.')], { resume: id });
    const file = join(own.sessionsDirectory(home, cwd), `${id}.jsonl`);
    const lines = (await readFile(file, 'utf8')).split('\n');
    const at = lines.findLastIndex((line) => line.includes('"type":"result"'));
    await writeFile(file, `${lines.slice(0, at).join('\n')}\n`);
    const [session] = await own.listSessions({ env, withOutcome: true });
    expect(session?.outcome?.lastResult).toBeUndefined();
    expect(session?.outcome?.costUsd).toBeGreaterThan(0);
  });
});

describe('updatePermissions', () => {
  it('takes effect at once, and writes the rule to the file that it names, byte for byte', async () => {
    const { input, end } = pushable();
    const running = own.query({
      prompt: input,
      options: { cwd, env, tools: [], settingSources: ['user', 'project', 'local'] },
    });
    const rules = [{ toolName: 'Bash', ruleContent: 'npm run "a b":*' }];
    const add = { type: 'addRules', behavior: 'allow', rules } as const;
    await running.updatePermissions([
      { ...add, destination: 'localSettings' },
      { ...add, rules: [{ toolName: 'WebFetch' }], destination: 'session' },
    ]);
    const list = async () =>
      (await running.listPermissionRules()).rules.map(({ source, rule }) => [source, rule]);
    expect(await list()).toEqual([
      ['localSettings', 'Bash(npm run "a b":*)'],
      ['session', 'WebFetch'],
    ]);
    const file = await running.settingsFile('localSettings');
    expect(file).toBe(join(cwd, '.turnwright', 'settings.local.json'));
    expect(await running.settingsFile('userSettings')).toBe(join(home, 'settings.json'));
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      permissions: { allow: ['Bash(npm run "a b":*)'] },
    });
    await running.updatePermissions([
      { type: 'removeRules', behavior: 'allow', rules, destination: 'localSettings' },
    ]);
    expect(await list()).toEqual([['session', 'WebFetch']]);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ permissions: { allow: [] } });
    end();
    await running.close();
  });

  it('removes a rule from its file however it is spelled there', async () => {
    const { input, end } = pushable();
    await mkdir(join(cwd, '.turnwright'));
    const file = join(cwd, '.turnwright', 'settings.local.json');
    const deny = ['Bash ( rm -rf / )', ' Write(*)', 'Read(.env)'];
    await writeFile(file, JSON.stringify({ permissions: { deny } }));
    const running = own.query({ prompt: input, options: { cwd, env, tools: [], settingSources: ['local'] } });
    const listed = (await running.listPermissionRules()).rules.map(({ rule }) => rule);
    expect(listed).toEqual(['Bash(rm -rf /)', 'Write', 'Read(.env)']);
    await running.updatePermissions([
      {
        type: 'removeRules',
        behavior: 'deny',
        rules: [{ toolName: 'Bash', ruleContent: 'rm -rf /' }, { toolName: 'Write' }],
        destination: 'localSettings',
      },
    ]);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ permissions: { deny: ['Read(.env)'] } });
    expect((await running.listPermissionRules()).rules).toHaveLength(1);
    end();
    await running.close();
  });

  it('changes nothing when one of the rules cannot be read', async () => {
    const { input, end } = pushable();
    const running = own.query({ prompt: input, options: { cwd, env, tools: [] } });
    const good = { toolName: 'Bash' };
    const bad = { toolName: 'no rule(' };
    await expect(
      running.updatePermissions([
        { type: 'addRules', behavior: 'allow', rules: [good, bad], destination: 'session' },
      ]),
    ).rejects.toMatchObject({ code: 'invalid_option' });
    expect((await running.listPermissionRules()).rules).toEqual([]);
    end();
    await running.close();
  });

  it('announces a changed mode', async () => {
    const { input, push, end } = pushable();
    const running = own.query({ prompt: input, options: { cwd, env, tools: [] } });
    await running.updatePermissions([{ type: 'setMode', mode: 'plan', destination: 'session' }]);
    server.setScenario({ name: 'test', replies: [reply('Yes.')] });
    push(promptOf('go'));
    end();
    const { messages } = await gather(running);
    expect(messages).toContainEqual(expect.objectContaining({ subtype: 'status', permissionMode: 'plan' }));
  });
});

describe('availableModels', () => {
  it('lists what the session’s own endpoint offers; supportedModels have a window and a price', async () => {
    const { input, end } = pushable();
    const running = own.query({ prompt: input, options: { cwd, env, tools: [] } });
    const offered = await running.availableModels({ signal: AbortSignal.timeout(90_000) });
    const [first] = await running.supportedModels();
    expect(offered).toMatchObject({ provider: 'anthropic', baseUrl: server.url });
    expect(offered.models.length).toBeGreaterThan(0);
    expect(first).toMatchObject({ value: 'default', contextWindow: expect.any(Number) });
    expect(first?.price?.input).toBeGreaterThan(0);
    end();
    await running.close();
  });

  it('lists the models of another configured provider', async () => {
    const { input, end } = pushable();
    const local = { type: 'anthropic', baseUrl: server.url, apiKeyEnv: 'ANTHROPIC_API_KEY' } as const;
    const running = own.query({ prompt: input, options: { cwd, env, tools: [], providers: { local } } });
    const signal = AbortSignal.timeout(90_000);
    const offered = await running.availableModels({ signal, provider: 'local' });
    expect(offered).toMatchObject({ provider: 'local', baseUrl: server.url });
    expect(offered.unlisted).toBeUndefined();
    await expect(running.availableModels({ signal, provider: 'nowhere' })).rejects.toMatchObject({
      code: 'invalid_option',
    });
    end();
    await running.close();
  });

  it('a provider that serves no Claude models is offered none of their names', async () => {
    const { input, end } = pushable();
    const running = own.query({
      prompt: input,
      options: {
        cwd,
        env,
        tools: [],
        provider: 'openai-compatible',
        baseUrl: `${server.url}/v1`,
        model: 'qwen3',
      },
    });
    expect((await running.supportedModels()).map(({ value }) => value)).toEqual(['default', 'qwen3']);
    end();
    await running.close();
  });
});
