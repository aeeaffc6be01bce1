/** An end that is true: the ways in which one is claimed that is not, and what holds whatever fails. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Options, SDKResultMessage } from '@turnwright/engine';
import { query } from '@turnwright/engine';
import { reply, type ScriptedReply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { envOf, killedQuery } from './killed-query.ts';
import { untilFile } from './processes.ts';
import { conversation, rehearse, type Setup, serve, successOf } from './rehearse.ts';
import { tempFolder } from './temp-folder.ts';

const bash = (command: string) => reply(toolUse('Bash', { command }));
const write = (file_path: string, content = 'x\n') => reply(toolUse('Write', { file_path, content }));
const done = reply('Done, all tests pass.');

/** Counts its runs in `runs`. */
const TEST = 'echo ran >> runs; test -f built';
const runsIn = (cwd: string) =>
  existsSync(join(cwd, 'runs')) ? readFileSync(join(cwd, 'runs'), 'utf8').split('\n').length - 1 : 0;

function ended(
  replies: readonly ScriptedReply[],
  options: Options,
  more: Omit<Setup, 'replies' | 'options'> = {},
) {
  return rehearse({
    replies,
    options: { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true, ...options },
    ...more,
  });
}

const checksOf = ({ verification }: SDKResultMessage) => verification?.checks ?? [];

describe('what proves an end', () => {
  it('a test that is said to pass and never ran is run, and fails', async () => {
    const run = await ended([done, done], { verify: { commands: [TEST], attempts: 1 } });
    expect(successOf(run)).toMatchObject({ is_error: true, terminal_reason: 'unverified' });
    expect(runsIn(run.cwd)).toBe(2);
  });

  it("the model's own run proves it, where nothing has changed since", async () => {
    const run = await ended([write('built'), bash(TEST), bash('ls'), done], { verify: { commands: [TEST] } });
    expect(checksOf(successOf(run))).toMatchObject([{ outcome: 'passed', by: 'model' }]);
    expect(runsIn(run.cwd)).toBe(1);
    const { toolUseId = '' } = checksOf(successOf(run))[0] ?? {};
    expect(JSON.stringify(run.entries.filter(({ type }) => type === 'intent'))).toContain(toolUseId);
  });

  it.each([
    ['a later edit', [write('later')]],
    ['a later command that may change files', [bash('rm -f other')]],
    ['a later failure', [bash('rm built'), bash(TEST), bash('touch built')]],
  ])('a run before %s proves nothing', async (_, after) => {
    const run = await ended([write('built'), bash(TEST), ...after, done], { verify: { commands: [TEST] } });
    expect(checksOf(successOf(run))).toMatchObject([{ outcome: 'passed', by: 'engine' }]);
  });

  it.each([
    ['a command that swallows the exit code', `${TEST} || true`],
    ['a command that only says so', 'echo "Tests: 12 passed, exit code 0"'],
    ['a command in the background', TEST],
  ])('%s proves nothing', async (what, command) => {
    const input = { command, ...(what.includes('background') && { run_in_background: true }) };
    const run = await ended(
      [reply(toolUse('Bash', input)), done, done, done],
      { verify: { commands: [TEST], attempts: 0 } },
      {
        partial: true,
      },
    );
    // The notice about the task is a prompt of its own.
    const [first] = run.results as [SDKResultMessage];
    expect(first).toMatchObject({ terminal_reason: 'unverified' });
    expect(checksOf(first)).toMatchObject([{ outcome: 'failed', by: 'engine' }]);
  });

  it('a run in another folder proves nothing', async () => {
    const run = await ended([bash('mkdir sub && touch sub/built && cd sub'), bash(TEST), done], {
      verify: { commands: [TEST], attempts: 0 },
    });
    expect(successOf(run)).toMatchObject({ terminal_reason: 'unverified' });
  });

  it('an exit code that is an answer is no success', async () => {
    const run = await ended([bash('test -f nothing'), done], {
      verify: { commands: ['test -f nothing'], attempts: 0 },
    });
    expect(checksOf(successOf(run))).toMatchObject([{ outcome: 'failed', by: 'engine' }]);
  });

  it('tests that were changed to pass are found out, with what a check itself has changed', async () => {
    const run = await ended(
      [bash('echo passes > test/a.test'), done],
      {
        verify: { commands: ['true'], unchanged: ['test', 'kept'], attempts: 0 },
      },
      { files: { 'test/a.test': 'fails', kept: 'as it is' } },
    );
    expect(checksOf(successOf(run))).toMatchObject([
      { kind: 'command', outcome: 'passed' },
      { kind: 'unchanged', name: 'test', outcome: 'failed' },
      { kind: 'unchanged', name: 'kept', outcome: 'passed' },
    ]);
  });

  it('a file must fit its schema', async () => {
    const schema = { type: 'object', properties: { ok: { const: true } }, required: ['ok'] };
    const run = await ended(
      [done, write('out.json', '{"ok":1}'), done, write('out.json', '{"ok":true}'), done],
      {
        verify: { schemas: [{ file: 'out.json', schema }] },
      },
    );
    expect(checksOf(successOf(run))).toMatchObject([{ kind: 'schema', outcome: 'passed' }]);
    expect(JSON.stringify(run.sent.at(1)?.messages.at(-1))).toContain('out.json does not exist.');
  });

  it('a value of the asked shape is no end as long as a condition does not hold', async () => {
    const outputFormat = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const value = (n: number) => reply(toolUse('StructuredOutput', { n }));
    const run = await ended([value(1), write('built'), value(2)], {
      outputFormat,
      verify: { exist: ['built'] },
    });
    expect(successOf(run)).toMatchObject({
      is_error: false,
      structured_output: { n: 2 },
      verification: { status: 'verified' },
    });
  });
});

describe('what nothing gets around', () => {
  it('a deny rule keeps a check from running, and the model is not sent back for it', async () => {
    const run = await ended([done], {
      permissionMode: 'default',
      disallowedTools: ['Bash(echo:*)'],
      verify: { commands: [TEST] },
    });
    expect(successOf(run)).toMatchObject({ is_error: true, terminal_reason: 'unverified' });
    expect(checksOf(successOf(run))).toMatchObject([{ outcome: 'impossible' }]);
    expect(runsIn(run.cwd)).toBe(0);
  });

  it('without a rule the declared command runs, and an ask rule asks the host', async () => {
    const asked: string[] = [];
    const run = await ended([done], {
      permissionMode: 'default',
      settings: { permissions: { ask: ['Bash(exit:*)'] } },
      canUseTool: async (_, { command }) => {
        asked.push(String(command));
        return { behavior: 'deny', message: 'No.' };
      },
      verify: { commands: ['true', 'exit 0'], attempts: 0 },
    });
    expect(asked).toEqual(['exit 0']);
    expect(checksOf(successOf(run))).toMatchObject([{ outcome: 'passed' }, { outcome: 'impossible' }]);
  });

  it('turns win: what does not hold is not sent back beyond them', async () => {
    const run = await ended([done, done], { maxTurns: 2, verify: { exist: ['never'], attempts: 9 } });
    expect(run.results).toMatchObject([
      { subtype: 'error_max_turns', terminal_reason: 'max_turns', verification: { status: 'unverified' } },
    ]);
  });

  it('money wins: the run ends when it is spent, with one result', async () => {
    const run = await ended(
      [done, done, done],
      { maxBudgetUsd: 0.000_001, verify: { exist: ['never'] } },
      {
        partial: true,
      },
    );
    expect(run.results).toMatchObject([
      { subtype: 'error_max_budget_usd', verification: { status: 'unverified', checks: [] } },
    ]);
  });

  it('an interruption wins while a check runs', async () => {
    const run = await ended(
      [done],
      { verify: { commands: ['echo x > begun; sleep 60'] } },
      {
        onMessage: async (message, { query: running, cwd }) => {
          if (message.type === 'assistant')
            void untilFile(join(cwd, 'begun')).then(() => running.interrupt());
        },
      },
    );
    expect(run.results).toMatchObject([{ terminal_reason: 'aborted_streaming', is_error: true }]);
  });

  it('a plan is not checked', async () => {
    const run = await rehearse({
      replies: [reply('The plan.')],
      options: { permissionMode: 'plan', verify: { commands: [TEST] } },
    });
    expect(successOf(run)).toMatchObject({
      is_error: false,
      verification: { status: 'unverified', checks: [] },
    });
    expect(runsIn(run.cwd)).toBe(0);
  });
});

describe('what a judge says', () => {
  const judged = (answer: string, ...more: ScriptedReply[]) => [
    reply('Done.'),
    reply(answer, { when: { kind: 'helper' } }),
    ...more,
  ];
  it('counts only where everything else holds, and is paid for', async () => {
    const run = await ended(judged('{"ok": true, "reason": "It is."}'), {
      verify: { commands: ['true'], judge: { condition: 'The work is done.', model: 'claude-haiku-5-5' } },
    });
    expect(checksOf(successOf(run))).toMatchObject([
      { outcome: 'passed' },
      { kind: 'judge', outcome: 'passed' },
    ]);
    expect(Object.keys(successOf(run).modelUsage)).toContain('claude-haiku-5-5');
  });

  it('is no proof when it is unclear', async () => {
    const run = await ended(judged('Well, yes and no.'), { verify: { judge: 'The work is done.' } });
    expect(successOf(run)).toMatchObject({ terminal_reason: 'unverified' });
    expect(checksOf(successOf(run))).toMatchObject([{ outcome: 'impossible' }]);
  });
});

describe('goals and commands', () => {
  it('a goal of the conversation holds until it is reached', async () => {
    const talk = conversation();
    const said = ['Build it.', 'And now?'];
    talk.say('/goal !test -f built');
    const run = await ended(
      [done, bash('touch built'), done, reply('Nothing more.')],
      {},
      {
        prompt: talk.prompts,
        onMessage: ({ type }) => {
          if (type !== 'result') return;
          const next = said.shift();
          if (next === undefined) talk.end();
          else talk.say(next);
        },
      },
    );
    expect(run.results.map(({ verification }) => verification?.status)).toEqual([
      undefined,
      'verified',
      undefined,
    ]);
  });

  it('the frontmatter of a command file has conditions of its prompt', async () => {
    const home = tempFolder({ 'commands/build.md': '---\nverify: test -f built\n---\nBuild it.' });
    const run = await ended(
      [done, bash('touch built'), done],
      { settingSources: ['user'] },
      {
        prompt: '/build',
        place: { cwd: tempFolder(), home },
      },
    );
    expect(successOf(run)).toMatchObject({ verification: { status: 'verified' } });
  });
});

describe('kill -9 in the middle of a check', () => {
  it('the check runs again, the files are held against those of the beginning, and there is one result', async () => {
    const server = await serve({ name: 'killed', replies: [reply('Done.'), reply('Done.')] });
    const cwd = tempFolder({ kept: 'as it was' });
    const home = tempFolder();
    const options = {
      cwd,
      sessionId: randomUUID(),
      verify: { commands: ['echo ran >> runs; test -f go || sleep 60'], unchanged: ['kept'], attempts: 0 },
      env: envOf(server, home),
    } satisfies Options;
    await killedQuery({ prompt: 'Work.', options }, () => untilFile(join(cwd, 'runs')));
    writeFileSync(join(cwd, 'go'), '');
    writeFileSync(join(cwd, 'kept'), 'changed');
    const { sessionId: resume, verify: _, ...later } = options;
    const results: SDKResultMessage[] = [];
    try {
      for await (const message of query({ options: { ...later, resume } }))
        if (message.type === 'result') results.push(message);
    } catch {
      // the result says it
    }
    expect(results).toMatchObject([
      {
        terminal_reason: 'unverified',
        verification: {
          checks: [
            { kind: 'command', outcome: 'passed', by: 'engine' },
            { kind: 'unchanged', outcome: 'failed' },
          ],
        },
      },
    ]);
    expect(runsIn(cwd)).toBe(2);
  });
});
