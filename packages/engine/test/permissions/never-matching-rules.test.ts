/** Rules that can be read and never match are named at the start, once, in one line. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { afterAll, expect, it } from 'vitest';
import { unknownTools } from '../../src/engine/wiring/tools/tool-fields.ts';
import { query } from '../../src/index.ts';
import { whyNeverMatches } from '../../src/permissions/rules/never-matches.ts';

const place = { root: '/home/me/proj', home: '/home/me', unknownTools };

it.each<[rule: string, why: string]>([
  ['read(secrets/**)', 'the tool is called Read'],
  ['bash(ls)', 'the tool is called Bash'],
  ['multiEdit(x)', 'the tool is called MultiEdit'],
  ['Nope', 'there is no tool Nope'],
  ['Nope(x)', 'there is no tool Nope'],
  ['Read($HOME/x)', 'the home folder is written ~/'],
  ['Read(${HOME}/x)', 'variables'],
  ['Edit(%USERPROFILE%/x)', 'variables'],
  ['Read({a,b}/x)', 'braces'],
  ['Edit(src/*.{js,ts})', 'braces'],
  ['Read(!keep)', 'takes nothing back'],
  ['Read(/home/me/proj/x)', 'begins with two'],
  ['Grep(/home/me/.ssh/**)', 'begins with two'],
  ['LS(~other/x)', "another user's home folder"],
  ['Bash(docker * up:*)', 'a blank in place of the colon'],
  ['Bash(git commit -m "x)', 'a quote'],
  ['WebFetch(https://x.example)', 'domain:example.com'],
])('%s: %s', (rule, why) => {
  expect(whyNeverMatches(rule, 'allow', place)).toContain(why);
});

it.each([
  'Read',
  'Bash',
  'Task',
  'KillShell',
  'MultiEdit(x)',
  'NotebookRead(x)',
  'LS(x)',
  'TodoWrite',
  'Skill(a:*)',
  'mcp__a__b',
  'mcp__a',
  '*',
  'Notebook*',
  'AskUserQuestion',
  'ExitPlanMode',
  'WebSearch',
  'Read(~/x)',
  'Read(//home/me/x)',
  'Read(/src/**)',
  'Read(../x)',
  'Read(a{b}/x)',
  'Read(\\!x)',
  'Read([id]/x)',
  'Read(#h)',
  'Read(a$/x)',
  'Bash(ls:*)',
  'Bash(* --version)',
  'Bash(FOO=1 mk)',
  'Bash(git commit -m "*")',
  "Bash(echo 'it''s')",
  'WebFetch(domain:x.example)',
])('%s may match', (rule) => {
  for (const behavior of ['deny', 'ask', 'allow'] as const)
    expect(whyNeverMatches(rule, behavior, place)).toBeUndefined();
});

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

it('a session says it at its start, for the rules of all sources', async () => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-vain-')));
  folders.push(cwd);
  const server = await startRehearsal();
  try {
    server.setScenario({ name: 'test', replies: [reply('Done.')] });
    const lines: string[] = [];
    const options = {
      cwd,
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k' },
      persistSession: false,
      allowedTools: ['bash(ls)'],
      settings: { permissions: { deny: ['Read({a,b})', 'Read(.env)'], ask: ['Nope'] } },
      stderr: (line: string) => lines.push(line),
    };
    await gather(query({ prompt: 'Go.', options }));
    const said = lines.filter((line) => line.includes('can never match'));
    expect(said).toHaveLength(1);
    for (const part of [
      'deny Read({a,b}) (braces',
      'ask Nope (there is',
      'allow bash(ls) (the tool is called Bash)',
    ])
      expect(said[0]).toContain(part);
    expect(said[0]).not.toContain('.env');
  } finally {
    await server.close();
  }
});
