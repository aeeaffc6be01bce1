/** Case files that cannot be used: what is wrong is said with file, line and what was expected. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { expect, test } from 'vitest';

const CHECKS = 'checks:\n  - { answer: true, contains: x }\n';

test.each([
  {
    is: 'an unknown key',
    text: `prompt: Hello.\nchekcs: []\n${CHECKS}`,
    says: 'cases/a/case.yaml:2:9: chekcs: Unrecognized key',
  },
  { is: 'no prompt', text: CHECKS, says: 'prompt: expected a text, or a list of texts' },
  {
    is: 'no checks',
    text: 'prompt: Hello.\nchecks: []\n',
    says: ':2:9: checks: expected at least one check',
  },
  {
    is: 'a check of two kinds',
    text: 'prompt: Hello.\nchecks:\n  - { command: npm test, file: a.txt, exists: true }\n',
    says: ':3:5: checks.0: expected exactly one of command, file, answer, schema, judge',
  },
  {
    is: 'a key of another kind',
    text: 'prompt: Hello.\nchecks:\n  - command: npm test\n    contains: x\n',
    says: ':4:15: checks.0.contains: means nothing for a check of kind command',
  },
  {
    is: 'a path that leads out',
    text: 'prompt: Hello.\nchecks:\n  - { file: ../x, exists: true }\n',
    says: 'checks.0.file: expected a path inside the working copy',
  },
  {
    is: 'no regular expression',
    text: 'prompt: Hello.\nchecks:\n  - { file: x, matches: "(" }\n',
    says: 'checks.0.matches: expected a regular expression',
  },
  {
    is: 'a judge without a model',
    text: 'prompt: Hello.\nchecks:\n  - judge: Is it good?\n',
    says: 'checks.0: expected the model that judges',
  },
  {
    is: 'a commit alone',
    text: `prompt: Hello.\ncommit: "abcd1234"\n${CHECKS}`,
    says: 'expected repository and commit together',
  },
  {
    is: 'a commit that is a number',
    text: `prompt: Hello.\nrepository: .\ncommit: 12345678\n${CHECKS}`,
    says: ':3:9: commit: expected a commit; put it in quotes',
  },
  {
    is: 'no repository there',
    text: `prompt: Hello.\nrepository: ./nowhere\ncommit: "12345678"\n${CHECKS}`,
    says: 'cases/a/case.yaml:2: repository: there is no repository at this path',
  },
  {
    is: 'an option that there is not',
    text: `prompt: Hello.\n${CHECKS}options: { maxTurn: 3 }\n`,
    says: 'options.maxTurn',
  },
  { is: 'no YAML', text: 'prompt: [', says: 'cases/a/case.yaml:1:' },
])('$is', async ({ text, says }) => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'cases', 'a'), { recursive: true });
  writeFileSync(join(cwd, 'cases', 'a', 'case.yaml'), text);
  const { code, stdout, stderr } = await commandLine(['eval', 'cases'], { cwd });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(says);
});

test('files that are no part of a case, folders without one, and flags that mean nothing', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'cases', 'a', 'fles'), { recursive: true });
  writeFileSync(join(cwd, 'cases', 'a', 'case.yaml'), `prompt: Hello.\n${CHECKS}`);
  const fails = async (...words: string[]) => {
    const { code, stderr } = await commandLine(['eval', ...words], { cwd });
    expect(code).toBe(2);
    return stderr;
  };
  expect(await fails('cases')).toContain(
    'cases/a/fles: a case has files, after, patch.diff, answers.jsonl, README.md',
  );
  expect(await fails('nowhere')).toContain('nowhere: there is no such folder of cases.');
  expect(await fails('.')).toContain('has a case.yaml. turnwright case add <session> makes one.');
  expect(await fails('cases', '--runs', '0')).toContain('whole number above 0');
  expect(await fails('cases', '--modle', 'x')).toContain('--model');
  expect(await fails('cases', '--model', 'a,,b')).toContain('with commas between them');
  expect((await commandLine(['case', 'remove'], { cwd })).code).toBe(2);
  // A flag of a run in front of the command is not passed over.
  const before = await commandLine(['--model', 'x', 'eval', 'cases'], { cwd });
  expect(before).toMatchObject({ code: 2, stderr: expect.stringContaining('means nothing for eval') });
});
