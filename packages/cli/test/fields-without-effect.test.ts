/** Fields that nothing reads: one line for a start, and the doctor has the details. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { against, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { expect, test } from 'vitest';

function project(files: Readonly<Record<string, string>>): string {
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  return cwd;
}

const agent = (name: string, more: string) => `---\nname: ${name}\ndescription: d\n${more}\n---\nDo it.\n`;

const FILES = {
  '.claude/agents/a.md': agent('a', 'version: 1\nauthor: me'),
  '.claude/agents/b.md': agent('b', 'version: 2\ncolour: red'),
  '.claude/agents/c.md': agent('c', 'model: haiku'),
  '.claude/skills/s/SKILL.md': '---\nname: s\ndescription: d\nhooks: x\nlicense: MIT\n---\nText.\n',
  '.claude/commands/c.md': '---\ndescription: d\ncategory: tools\n---\nText.\n',
};

test('a start says how many there are in one line, and names the most frequent first', async () => {
  const server = await rehearse();
  const ran = await commandLine(['-p', 'hello', '--trust-project'], {
    env: against(server),
    cwd: project(FILES),
  });
  expect(ran.stderr.split('\n').filter((line) => line.includes('had no effect'))).toEqual([
    '4 fields in 2 files had no effect (version 2×, author, colour). turnwright doctor lists them.',
  ]);
  expect(ran.stderr).not.toContain('is not a field');
});

test('the doctor lists each of them, those of skills and commands too', async () => {
  const server = await rehearse();
  const ran = await commandLine(['doctor'], { env: against(server), cwd: project(FILES) });
  const lines = ran.stdout.split('\n').filter((line) => /^! fields/.test(line));
  expect(lines.map((line) => line.replace(/^.*\.claude\//, ''))).toEqual([
    'agents/a.md: "version" is not a field of an agent.',
    'agents/a.md: "author" is not a field of an agent.',
    'agents/b.md: "version" is not a field of an agent.',
    'agents/b.md: "colour" is not a field of an agent.',
    'commands/c.md: "category" has no effect in a command.',
    'skills/s/SKILL.md: "hooks" has no effect in a skill.',
  ]);
});

test('without such a field nothing is said', async () => {
  const server = await rehearse();
  const cwd = project({ '.claude/agents/c.md': agent('c', 'model: haiku') });
  const ran = await commandLine(['-p', 'hello', '--trust-project'], { env: against(server), cwd });
  expect(ran.stderr).not.toContain('no effect');
});
