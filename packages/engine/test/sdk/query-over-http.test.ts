import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createSdkMcpServer,
  explainSession,
  listSessions,
  query,
  sessionDecisions,
  tool,
} from '../../src/index.ts';

let server: RehearsalServer;
let folder: string;
beforeEach(async () => {
  server = await startRehearsal();
  folder = await mkdtemp(join(tmpdir(), 'turnwright-sdk-'));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const env = (more: Record<string, string> = {}) => ({
  ANTHROPIC_BASE_URL: server.url,
  ANTHROPIC_API_KEY: 'k',
  ...more,
});
const play = (...replies: ReturnType<typeof reply>[]) => server.setScenario({ name: 'test', replies });
const fine = () => expect(server.report()).toMatchObject({ rejected: [], unanswered: [] });

describe('against the rehearsal', () => {
  it('reads a real file with a built-in tool', async () => {
    await writeFile(join(folder, 'note.txt'), 'The word is larch.');
    play(reply(toolUse('Read', { file_path: join(folder, 'note.txt') })), reply('It says larch.'));
    const { results, error } = await gather(
      query({ prompt: 'What does it say?', options: { cwd: folder, env: env(), tools: ['Read'] } }),
    );
    expect(error).toBeUndefined();
    expect(results).toMatchObject([{ subtype: 'success', result: 'It says larch.', num_turns: 2 }]);
    expect(results[0]?.total_cost_usd).toBeGreaterThan(0);
    expect(JSON.stringify(server.requests[1]?.body)).toContain('larch');
    fine();
  });

  it('runs an in-process tool with a zod shape, its annotations and its end of turn', async () => {
    const seen: unknown[] = [];
    const add = tool(
      'add',
      'Adds two numbers.',
      { a: z.number(), b: z.number() },
      async ({ a, b }, extra) => {
        seen.push(extra._meta['claudecode/toolUseId']);
        return { content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } };
      },
      { annotations: { readOnlyHint: true } },
    );
    const stop = tool('stop', 'Ends.', {}, () => ({ content: [], _meta: { 'claude/endTurn': true } }));
    play(
      reply([toolUse('mcp__math__add', { a: 1, b: 2 }), toolUse('mcp__math__add', { a: 'one', b: 2 })]),
      reply(toolUse('mcp__math__stop')),
    );
    const { messages, results } = await gather(
      query({
        prompt: 'Add.',
        options: {
          cwd: folder,
          env: env(),
          tools: [],
          mcpServers: { math: createSdkMcpServer({ name: 'math', tools: [add, stop] }) },
          allowedTools: ['mcp__math__add', 'mcp__math__stop'],
        },
      }),
    );
    expect(messages[0]).toMatchObject({
      tools: ['mcp__math__add', 'mcp__math__stop'],
      mcp_servers: [{ name: 'math', status: 'connected' }],
    });
    expect(results).toMatchObject([
      { subtype: 'success', terminal_reason: 'completed', stop_reason: 'tool_use' },
    ]);
    expect(seen).toHaveLength(1);
    const shown = JSON.stringify(messages);
    expect(shown).toContain('"tool_use_result":{"content":"{\\"sum\\":3}","structuredContent":{"sum":3}}');
    expect(shown).toContain('<tool_use_error>');
    fine();
  });

  it('goes on with a session from its file, by id and by continue, and forks it', async () => {
    const home = join(folder, 'home');
    const cwd = join(folder, 'work');
    await mkdir(cwd);
    const options = { cwd, env: env({ TURNWRIGHT_HOME: home }), tools: [] };
    server.setScenario((request) => reply(`Answer to ${request.lastMessage}.`));
    const first = (await gather(query({ prompt: 'one', options }))).results[0];
    const resumed = (
      await gather(query({ prompt: 'two', options: { ...options, resume: first?.session_id } }))
    ).results[0];
    expect(resumed).toMatchObject({ session_id: first?.session_id, result: 'Answer to two.' });
    expect(resumed?.total_cost_usd).toBeGreaterThan(first?.total_cost_usd ?? 0);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Answer to one.');
    const continued = (await gather(query({ prompt: 'three', options: { ...options, continue: true } })))
      .results[0];
    expect(continued?.session_id).toBe(first?.session_id);
    const forked = (
      await gather(
        query({ prompt: 'four', options: { ...options, resume: first?.session_id, forkSession: true } }),
      )
    ).results[0];
    expect(forked?.session_id).not.toBe(first?.session_id);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Answer to three.');
    fine();
  });

  it('F123: no child process, no HOME, a read-only disk: a run completes in memory', async () => {
    const refuse = async (): Promise<never> => {
      throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
    };
    const files: PersistentFiles = {
      ...nodeFiles,
      makeDir: refuse,
      writeAtomic: refuse,
      openAppend: refuse,
      truncate: refuse,
      remove: refuse,
      rename: refuse,
      createExclusive: refuse,
    };
    play(reply(toolUse('mcp__t__echo', { text: 'hi' })), reply('Done.'));
    const echo = tool('echo', 'Echoes.', { text: z.string() }, async ({ text }) => ({
      content: [{ type: 'text', text }],
    }));
    const { results, error } = await gather(
      query({
        prompt: 'Go.',
        options: {
          cwd: folder,
          env: env(),
          tools: [],
          mcpServers: { t: createSdkMcpServer({ name: 't', tools: [echo] }) },
          allowedTools: ['mcp__t__echo'],
          engine: { files },
        },
      }),
    );
    expect(error).toBeUndefined();
    expect(results).toMatchObject([{ subtype: 'success', result: 'Done.' }]);
    expect(await readdir(folder)).toEqual([]);
    fine();
  });

  it('F127: without setting sources no file of the user or the project is read', async () => {
    const home = join(folder, 'home');
    const cwd = join(folder, 'work');
    await mkdir(join(cwd, '.claude'), { recursive: true });
    await mkdir(home);
    await writeFile(join(cwd, 'CLAUDE.md'), 'Always answer in Latin.');
    await writeFile(join(cwd, '.claude', 'settings.json'), '{ "model": "sonnet" }');
    await writeFile(join(home, 'settings.json'), '{ "model": "haiku" }');
    const read: string[] = [];
    const note =
      <T extends unknown[], R>(work: (path: string, ...rest: T) => R) =>
      (path: string, ...rest: T): R => {
        read.push(path);
        return work(path, ...rest);
      };
    const files: PersistentFiles = { ...nodeFiles, readFile: note(nodeFiles.readFile) };
    const run = async (settingSources: ('project' | 'user')[]) => {
      play(reply('Ok.'));
      await gather(
        query({
          prompt: 'Hi.',
          options: {
            cwd,
            env: env({ TURNWRIGHT_HOME: home }),
            tools: [],
            persistSession: false,
            settingSources,
            engine: { files },
          },
        }),
      );
      return JSON.stringify(server.requests.at(-1)?.body);
    };
    const none = await run([]);
    expect(read).toEqual([]);
    expect(none).not.toContain('Latin');
    expect(none).toContain('claude-opus-5-5');
    const project = await run(['project']);
    expect(project).toContain('Latin');
    expect(project).toContain('claude-sonnet-5-5');
  });

  it('a budget ends a run whatever figures the server sends', async () => {
    server.setScenario(() =>
      reply(toolUse('Bash', { command: 'true' }), { usage: { input_tokens: 400_000, output_tokens: -1e9 } }),
    );
    const { results } = await gather(
      query({
        prompt: 'Go.',
        options: { cwd: folder, env: env(), tools: ['Bash'], allowedTools: ['Bash'], maxBudgetUsd: 1 },
      }),
    );
    expect(results[0]).toMatchObject({ subtype: 'error_max_budget_usd' });
    expect(results[0]?.total_cost_usd).toBeGreaterThanOrEqual(1);
    expect(server.requests.length).toBeLessThan(12);
  });

  const SIDE_BY_SIDE = inForm(12, 50);
  it(`F126: ${SIDE_BY_SIDE} sessions side by side keep their folders, environments and keys`, async () => {
    server.setScenario((request) =>
      request.call === 1
        ? reply(
            toolUse('Bash', { command: 'printf "%s %s" "$PWD" "$MARK"; printf "%s" "$ANTHROPIC_API_KEY"' }),
          )
        : reply(request.lastResult ?? ''),
    );
    const before = process.cwd();
    const runs = Array.from({ length: SIDE_BY_SIDE }, async (_, i) => {
      const cwd = join(folder, `s${i}`);
      await mkdir(cwd);
      const own = {
        PATH: process.env['PATH'] ?? '',
        MARK: `mark-${i}`,
        ANTHROPIC_API_KEY: `key-${i}`,
        ANTHROPIC_BASE_URL: server.url,
      };
      const { results } = await gather(
        query({ prompt: `I am ${i}.`, options: { cwd, env: own, tools: ['Bash'], allowedTools: ['Bash'] } }),
      );
      return { i, cwd, result: results[0] };
    });
    for (const { i, cwd, result } of await Promise.all(runs)) {
      expect(result).toMatchObject({ subtype: 'success', result: `${cwd} mark-${i}` });
    }
    expect(process.cwd()).toBe(before);
    for (const request of server.requests) {
      const text = JSON.stringify(request.body);
      const i = /I am (\d+)\./.exec(text)?.[1];
      expect(request.headers['x-api-key']).toBe(`key-${i}`);
      for (const other of text.matchAll(/mark-(\d+)/g)) expect(other[1]).toBe(i);
    }
    expect(server.requests).toHaveLength(2 * SIDE_BY_SIDE);
  });

  it('a session file holds no key', async () => {
    const home = join(folder, 'home');
    play(reply('Ok.'));
    await gather(
      query({
        prompt: 'Hi.',
        options: {
          cwd: folder,
          env: env({ TURNWRIGHT_HOME: home, ANTHROPIC_API_KEY: 'canary-key' }),
          tools: [],
        },
      }),
    );
    const written = await readdir(home, { recursive: true, withFileTypes: true });
    for (const entry of written.filter((e) => e.isFile())) {
      expect(await readFile(join(entry.parentPath, entry.name), 'utf8')).not.toContain('canary-key');
    }
    expect(written.some((entry) => entry.name.endsWith('.jsonl'))).toBe(true);
  });
});

describe('session functions', () => {
  it('list what is kept for a folder and explain how it ended', async () => {
    const home = join(folder, 'home');
    const place = { cwd: folder, env: env({ TURNWRIGHT_HOME: home }) };
    const list = () => listSessions({ dir: folder, env: place.env });
    expect(await list()).toEqual([]);
    await expect(explainSession(undefined, place)).rejects.toMatchObject({ code: 'session_not_found' });
    play(reply('Ok.'));
    const { results } = await gather(
      query({ prompt: 'Remember the larch.', options: { ...place, tools: [] } }),
    );
    expect(await list()).toMatchObject([
      { sessionId: results[0]?.session_id, firstPrompt: 'Remember the larch.' },
    ]);
    expect(await explainSession(undefined, place)).toContain('the task is done');
    expect(await explainSession(results[0]?.session_id, place)).toContain('the task is done');
  });

  it('tells as data why each iteration ended, and names of the view only what it added', async () => {
    const home = join(folder, 'home');
    const place = { cwd: folder, env: env({ TURNWRIGHT_HOME: home }) };
    await expect(sessionDecisions(undefined, place)).rejects.toMatchObject({ code: 'session_not_found' });
    play(reply('Ok.'), reply('Once more.'));
    const options = { ...place, tools: [] };
    const { results } = await gather(query({ prompt: 'Remember the larch.', options }));
    const resume = results[0]?.session_id as string;
    await gather(query({ prompt: 'And the elm.', options: { ...options, resume } }));
    const decisions = await sessionDecisions(resume, place);
    expect(decisions).toMatchObject([
      { sessionId: resume, iteration: 1, decision: { kind: 'stop', terminal: 'completed' } },
      { sessionId: resume, iteration: 1, decision: { kind: 'stop', terminal: 'completed' } },
    ]);
    const [first, second] = decisions.map(({ view }) => view);
    expect(second?.added.length).toBeGreaterThan(0);
    expect(second?.added.filter((uuid) => first?.added.includes(uuid))).toEqual([]);
    expect(second?.length).toBe((first?.length ?? 0) + 1 + (second?.added.length ?? 0));
  });
});
