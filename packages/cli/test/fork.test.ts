/** `turnwright fork`: variants from a step side by side, their table, and what is refused. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ForksAtStep } from '@turnwright/engine';
import { against, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { reply, type ScriptedReply, text, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { parseArgs } from '../src/flags/args.ts';
import { type ForkInvocation, splitWords } from '../src/flags/fork-flags.ts';
import type { RanVariant } from '../src/forking/run-variants.ts';
import { variantsText } from '../src/forking/variants-table.ts';

const MODELS = ['claude-opus-5-5', 'claude-sonnet-5', 'claude-haiku-4-5'];

/** A session of four steps in a repository, and a server on which each model goes on in its own way. */
async function session() {
  const root = realpathSync(temporaryFolder());
  const app = join(root, 'app');
  mkdirSync(app);
  execFileSync('git', ['init', '-q'], { cwd: app });
  writeFileSync(join(app, 'a.txt'), 'one\n');
  execFileSync('git', ['add', '.'], { cwd: app });
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@e.x', 'commit', '-qm', 'x'], { cwd: app });
  const write = (name: string, content: string) => toolUse('Write', { file_path: join(app, name), content });
  const server = await rehearse(reply(write('b.txt', 'b\n')), reply(write('c.txt', 'c\n')), reply('Done.'));
  const env = { ...against(server), TURNWRIGHT_HOME: join(root, 'home') };
  const ran = await commandLine(
    [
      '-p',
      'Work.',
      '--model',
      'claude-opus-5-5',
      '--permission-mode',
      'acceptEdits',
      '--output-format',
      'json',
    ],
    { env, cwd: app },
  );
  const { session_id: id } = JSON.parse(ran.stdout);
  const play = (...replies: readonly ScriptedReply[]) => server.setScenario({ name: 'forks', replies });
  const fork = (...args: string[]) => commandLine(['fork', id, ...args], { env, cwd: app });
  return { app, env, id, server, play, fork };
}

describe('turnwright fork', () => {
  it('runs a variant for each model in its own copy, and says how each ended', async () => {
    const { app, env, id, server, play, fork } = await session();
    play(
      reply([text('Mine.'), toolUse('Write', { file_path: 'c.txt', content: 'c\n' })], {
        when: { model: 'claude-sonnet-5', call: 1 },
      }),
      reply('Written.', { when: { model: 'claude-sonnet-5' } }),
      reply('Nothing to do.', { when: { model: 'claude-haiku-4-5' } }),
      reply([], {
        when: { model: 'claude-opus-5-5' },
        times: 'any',
        faults: [{ name: 'http-status', status: 400 }],
      }),
    );
    const diffs = join(app, '../diffs.txt');
    const args = ['--at', '2', '--model', MODELS.join(','), '--permission-mode', 'acceptEdits'];
    const { code, stdout, stderr } = await fork(...args, '--diff-file', diffs);
    expect(stderr).toBe('');
    expect(code).toBe(1);
    const lines = stdout.split('\n');
    expect(lines.every((line) => line.length <= 80 || line.includes(app))).toBe(true);
    expect(lines[0]).toBe(
      `Session ${id.slice(0, 8)} from step 2, where claude-opus-5-5 was asked: 3 variants`,
    );
    const row = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.split(/\s{2,}/) ?? [];
    expect(row('variant')).toEqual([
      'variant',
      'ended',
      'turns',
      'cost',
      'time',
      'tokens',
      'files',
      'differs',
    ]);
    expect(row('the session').slice(1, 3)).toEqual(['answered', '2']);
    expect(row('claude-sonnet-5').filter((_, at) => ![3, 4, 5].includes(at))).toEqual([
      'claude-sonnet-5',
      'answered',
      '2',
      '1 +1 -0',
      'step 2',
    ]);
    expect(row('claude-haiku-4-5').slice(1, 3)).toEqual(['answered', '1']);
    expect(stdout).toContain('claude-opus-5-5 failed: ');
    expect(stdout).toContain('no file was changed; its working copy is removed');
    const copy = join(app, '..', 'app.forks', `${id.slice(0, 8)}-2-claude-sonnet-5`, 'files');
    expect(readFileSync(join(copy, 'c.txt'), 'utf8')).toBe('c\n');
    expect(readFileSync(diffs, 'utf8')).toContain('+++ b/c.txt');
    expect(stdout).toContain(`its files: ${copy}`);
    expect(existsSync(join(copy, 'b.txt'))).toBe(true);

    // The fork is a session of its copy, which goes on there.
    const [, resumed = ''] = /--resume (\w+)/.exec(stdout) ?? [];
    play(reply('Went on.'));
    const on = await commandLine(['-p', '--resume', resumed, 'More.'], { env, cwd: copy });
    expect(on.stdout).toBe('Went on.\n');
    const sent = JSON.stringify(server.requests.at(-1)?.body);
    expect(sent).toContain(join(copy, 'b.txt'));
    expect(sent).not.toContain(join(app, 'b.txt'));
  });

  it('keeps the budget of all variants together, and gives JSON', async () => {
    const { play, fork, server } = await session();
    play(reply('Done.', { times: 'any' }));
    const before = server.requests.length;
    const args = ['--at', '3', '--max-budget-usd', '0.2', '--json', '--diff'];
    const variants = [
      '--variant',
      'dear: --model claude-opus-5-5',
      '--variant',
      'cheap: --model claude-haiku-4-5 --prompt "Go on."',
    ];
    const { code, stdout } = await fork(...args, ...variants);
    const report = JSON.parse(stdout);
    // The most that an answer of Opus could cost is above its share, so nothing was asked.
    expect(report.variants).toMatchObject([
      { name: 'dear', success: false, terminal_reason: 'budget_exhausted', cost_usd: 0, turns: 0 },
      { name: 'cheap', success: true, terminal_reason: 'completed', result: 'Done.', files: [], diff: '' },
    ]);
    expect(code).toBe(1);
    const main = server.requests.slice(before).filter(({ kind }) => kind === 'main');
    expect(main.map(({ body }) => (body as { model: string }).model)).toEqual(['claude-haiku-4-5']);
    expect(JSON.stringify(main[0]?.body)).toContain('Go on.');
  });

  it('refuses what it cannot do, in a sentence', async () => {
    const { app, env, fork } = await session();
    const said = async (...args: string[]) => {
      const { code, stdout, stderr } = await fork(...args);
      expect([code, stdout]).toEqual([2, '']);
      return stderr.split('\n')[0];
    };
    expect(await said('--at', '9')).toBe('turnwright: There is no step 9. Its steps are 1 to 3.');
    expect(await said('--at', '2.1')).toBe('turnwright: There is no step 2.1. Its steps are 1 to 3.');
    expect(await said('--at', 'beef')).toMatch(/"beef" is neither a step nor a message of this session\./);
    expect(await said()).toMatch(/^turnwright: Say at which step/);
    expect(await said('--at', '1', '--variant', 'a', '--variant', 'a')).toMatch(/Two variants are named "a"/);
    expect(await said('--at', '1', '--variant', 'a: --modle x')).toMatch(
      /--variant a: unknown option '--modle'/,
    );
    expect(await said('--at', '1', '--variant', 'a: --max-budget-usd 1')).toMatch(
      /for all variants together/,
    );
    expect(await said('--at', '1', '--in-place', '--model', 'a,b')).toMatch(/only one can be in place/);
    expect(await said('--at', '1', '--copies', join(app, 'in'))).toMatch(/Name a folder outside of it/);
    expect(await said('--at', '1', '--resume', 'x')).toMatch(/--resume means nothing for fork/);
    const unknown = await commandLine(['fork', 'nope', '--at', '1'], { env, cwd: app });
    expect([unknown.code, unknown.stderr.split('\n')[0]]).toEqual([
      2,
      expect.stringMatching(/There is no session nope/),
    ]);
    expect(existsSync(join(app, '..', 'app.forks'))).toBe(false);
  });
});

describe('the words of fork', () => {
  const parse = (...args: string[]) => parseArgs(['fork', ...args], '') as ForkInvocation;

  it('are those of a run, for all variants and for one', () => {
    const {
      at,
      session: id,
      variants,
      maxBudgetUsd,
    } = parse(
      'abc',
      '--at',
      '2.3',
      '--max-turns',
      '5',
      '--allow',
      'Read',
      '--max-budget-usd',
      '2',
      '--variant',
      `short: --model haiku --prompt "Say 'yes'." --system 'Be short.' --deny "Bash(rm:*)"`,
      '--variant',
      'plain',
    );
    expect([at, id, maxBudgetUsd]).toEqual(['2.3', 'abc', 2]);
    expect(variants.map(({ name, prompt }) => [name, prompt])).toEqual([
      ['short', "Say 'yes'."],
      ['plain', undefined],
    ]);
    expect(variants[0]?.flags.options).toMatchObject({
      model: 'haiku',
      maxTurns: 5,
      allowedTools: ['Read'],
      disallowedTools: ['Bash(rm:*)'],
      systemPrompt: 'Be short.',
    });
    expect(variants[1]?.flags.options).toMatchObject({ maxTurns: 5, allowedTools: ['Read'] });
  });

  it('of a variant are separated as a shell does', () => {
    expect(splitWords(`a "b c" d'e f'g "" h\\ i "\\""`)).toEqual(['a', 'b c', 'de fg', '', 'h i', '"']);
    expect(() => splitWords('"open')).toThrow('is not closed');
  });
});

it('has at most 80 columns, whatever the names and figures are', () => {
  const course = {
    steps: [],
    terminal: 'completed',
    costUsd: 123.4,
    inputTokens: 12_345_678,
    cachedTokens: 0,
    outputTokens: 1,
    durationMs: 3_540_000,
  };
  const ran = {
    name: 'a-very-long-name-of-a-variant-that-nobody-would-type',
    fork: { sessionId: '0b9f1c52-8f53', cwd: '/copy' },
    result: undefined,
    failure: 'why',
    course,
    removed: true,
    difference: { text: '', files: Array(120).fill({}), insertions: 12_345, deletions: 1234 },
  } as unknown as RanVariant;
  const forks = {
    sessionId: '0b9f1c52-8f53',
    step: '12.34',
    model: 'm',
    original: course,
    notes: [],
    left: [],
  };
  const lines = variantsText(forks as unknown as ForksAtStep, [ran], { folder: '/app' }).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});
