/** The working directory is gone: every way of losing it, and every user of it. */
import { readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Call, place, runCalls, type Step } from '@turnwright/test/tools/everyday/run-calls.ts';
import { describe, expect, test } from 'vitest';
import type { HookCallback } from '../../../src/index.ts';

const bash = (command: string, more: object = {}): Call => ['Bash', { command, ...more }];
const GONE = /The working directory (\S+) no longer exists; from now on it is (\S+)\./;

/** Ways of losing `w`, in which the shell is, and what the working directory is afterwards. */
const WAYS: readonly (readonly [way: string, enter: string, lose: string, after: string])[] = [
  ['rmdir', 'mkdir w && cd w', 'rmdir ../w', ''],
  ['rm -r of a parent', 'mkdir -p a/b/w && cd a/b/w', 'rm -r ../../b', 'a'],
  ['a file in its place', 'mkdir w && cd w', 'rmdir ../w && echo > ../w', ''],
  [
    'git worktree remove',
    'git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git worktree add -q w 2>/dev/null && cd w',
    'git -C .. worktree remove --force w',
    '',
  ],
];

/** What a call says when its folder is gone. `runs`: what it may do nevertheless, because it changes nothing. */
const USERS: readonly (readonly [user: string, call: Call, runs: boolean, says: RegExp])[] = [
  ['Bash, absolute cd', bash('cd / && echo alive'), true, /^alive/],
  ['Bash, quoted absolute cd', bash(`cd "/" && echo alive`), true, /^alive/],
  ['Bash that only reads', bash('pwd'), true, /project/],
  ['Bash', bash('echo x > stray; echo alive'), false, /did not run/],
  ['Bash in the background', bash('echo x > stray', { run_in_background: true }), false, /did not run/],
  ['Grep', ['Grep', { pattern: 'needle' }], true, /mark\.txt/],
  ['Glob', ['Glob', { pattern: 'mark.*' }], true, /mark\.txt/],
  ['Read of a relative path', ['Read', { file_path: 'mark.txt' }], true, /needle/],
  ['Write to a relative path', ['Write', { file_path: 'stray', content: 'x' }], false, /Nothing was written/],
  [
    'Edit of a relative path',
    ['Edit', { file_path: 'mark.txt', old_string: 'n', new_string: 'N' }],
    false,
    /Nothing/,
  ],
];

describe('lost by', () => {
  test.each(WAYS)('%s: the nearest folder that stands takes its place', async (_, enter, lose, after) => {
    const at = place();
    const now = join(at.project, after);
    const { answers } = await runCalls([bash(enter), bash(lose), bash('cd / && echo alive')], at);
    expect(answers[2]).toMatchObject({ isError: false, text: expect.stringMatching(/^alive/) });
    expect(GONE.exec(answers[2]?.text ?? '')?.[2]).toBe(now);
  });

  test.each(USERS)('rmdir, then %s', async (_, call, runs, says) => {
    const at = place();
    writeFileSync(join(at.project, 'mark.txt'), 'needle\n');
    const hook: HookCallback = async (input) => {
      if (input.hook_event_name === 'PostToolUse' && input.tool_use_id === 'toolu_1')
        rmdirSync(join(at.project, 'w'));
      return {};
    };
    const { answers } = await runCalls([bash('mkdir w && cd w'), call], at, {
      hooks: { PostToolUse: [{ hooks: [hook] }] },
    });
    expect(GONE.exec(answers[1]?.text ?? '')?.[2]).toBe(at.project);
    expect(answers[1]).toMatchObject({ isError: !runs, text: expect.stringMatching(says) });
    expect(readdirSync(at.project)).toEqual(['mark.txt']);
    expect(readFileSync(join(at.project, 'mark.txt'), 'utf8')).toBe('needle\n');
  });

  test('mv of the folder in which the shell is: it follows', async () => {
    const at = place();
    const { answers } = await runCalls([bash('mkdir w && cd w'), bash('mv ../w ../v'), bash('pwd')], at);
    expect(answers[2]?.text).toBe(join(at.project, 'v'));
  });
});

describe('once lost', () => {
  const lost: readonly Step[] = [bash('mkdir w && cd w'), bash('rmdir ../w')];

  test('calls of the same answer were all made for the former folder', async () => {
    const at = place();
    writeFileSync(join(at.project, 'keep'), '');
    const { answers } = await runCalls(
      [lost[0] as Call, [lost[1] as Call, bash('rm -f *'), bash('rm -f *')], bash('rm -f other')],
      at,
    );
    expect(answers.map(({ isError }) => isError)).toEqual([false, false, true, true, false]);
    expect(readdirSync(at.project)).toEqual(['keep']);
  });

  test('it is said once', async () => {
    const { answers } = await runCalls([...lost, bash('cd / && true'), bash('true')], place());
    expect(answers.map(({ text }) => GONE.test(text))).toEqual([false, false, true, false]);
  });

  test('hooks run in a folder that stands, and hear of it', async () => {
    const at = place();
    const heard: string[] = [];
    const hook: HookCallback = async (input) => {
      heard.push(input.cwd);
      return {};
    };
    const settings = {
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: `pwd >> ${at.root}/log` }] }] },
    };
    await runCalls([...lost, bash('cd / && true')], at, {
      hooks: { PreToolUse: [{ hooks: [hook] }] },
      settings,
    });
    expect(heard).toEqual([at.project, join(at.project, 'w'), at.project]);
    expect(readFileSync(join(at.root, 'log'), 'utf8').trim().split('\n')).toEqual(Array(3).fill(at.project));
  });

  test('an agent starts in a folder that stands', async () => {
    const at = place();
    const { messages } = await runCalls(
      [
        ...lost,
        [
          'Agent',
          { description: 'd', prompt: 'p', subagent_type: 'general-purpose', run_in_background: false },
        ],
        // The agent's own calls.
        bash('pwd'),
        'The agent is done.',
      ],
      at,
    );
    const said = JSON.stringify(messages.filter(({ type }) => type === 'user'));
    expect(said).toContain(`"content":"${at.project}`);
    expect(said).toMatch(GONE);
  });
});

describe('the project folder itself', () => {
  test.each([
    ['moved', (at: ReturnType<typeof place>) => renameSync(at.project, join(at.root, 'moved'))],
    ['removed', (at: ReturnType<typeof place>) => rmSync(at.project, { recursive: true })],
  ])('%s: the home folder takes its place, and calls go on', async (_, lose) => {
    const at = place();
    const hook: HookCallback = async (input) => {
      if (input.hook_event_name === 'PreToolUse' && input.tool_use_id === 'toolu_2') lose(at);
      return {};
    };
    const { answers } = await runCalls(
      [
        bash('pwd'),
        ['TodoWrite', { todos: [] }],
        bash('cd / && echo alive'),
        bash('pwd'),
        bash('cd / && pwd'),
        bash('pwd'),
      ],
      at,
      { hooks: { PreToolUse: [{ hooks: [hook] }] } },
    );
    expect(answers[2]?.text).toMatch(/^alive/);
    expect(answers[2]?.text).toContain(`from now on it is ${at.home}.`);
    expect(answers.slice(3).map(({ text }) => text.split('\n')[0])).toEqual([at.home, '/', at.home]);
    expect(answers.map(({ isError }) => isError)).toEqual(Array(6).fill(false));
  });

  test('a folder that never existed is named as before', async () => {
    const at = place();
    const { answers } = await runCalls([bash('pwd')], { ...at, project: join(at.root, 'nowhere') });
    expect(answers[0]?.text).toMatch(/The working directory .*nowhere does not exist/);
  });
});
