/** Each kind of check, several prompts, and what ends an eval early. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { against, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';
import { openResults } from '../src/results/results-file.ts';
import { GOOD, makeCases, rehearseModels, USAGE, WEAK } from './rehearsed-cases.ts';

function writeCase(text: string, more: Readonly<Record<string, string>> = {}): string {
  const cwd = temporaryFolder();
  const folder = join(cwd, 'cases', 'a');
  for (const [name, content] of Object.entries({ 'case.yaml': text, ...more })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return cwd;
}

test('commands, files, the answer, a schema, a judge whose cost counts, files for the checks, two prompts', async () => {
  const verdict = (passed: boolean, lastMessage: string) =>
    reply(toolUse('StructuredOutput', { why: 'It is short.', passed }), {
      when: { model: WEAK, lastMessage },
      usage: USAGE,
    });
  const server = await rehearse(
    verdict(true, 'Is it short'),
    verdict(false, 'Is it long'),
    reply(toolUse('StructuredOutput', { sum: 1 }), { when: { lastMessage: 'One in' }, usage: USAGE }),
    reply(toolUse('StructuredOutput', { sum: 3 }), { when: { model: GOOD }, usage: USAGE }),
  );
  const cwd = writeCase(
    `prompt: ['One in {{cwd}}.', Two.]
checks:
  - command: cat hidden.txt && exit 4
    exit: 4
  - { command: 'test -z "$SECRET_TOKEN"' }
  - { file: start.txt, unchanged: true, contains: here, matches: "^here$" }
  - { file: other.txt, exists: false }
  - { schema: { type: object, properties: { sum: { type: number } }, required: [sum] } }
  - { judge: Is it short?, model: ${WEAK} }
  - { judge: Is it long?, model: ${WEAK} }
  - { command: echo some words; exit 2 }
  - { file: start.txt, contains: there }
`,
    { 'files/start.txt': 'here\n', 'after/hidden.txt': 'found\n' },
  );
  const env = { ...against(server), SECRET_TOKEN: 'a-secret-value' };
  const ran = await commandLine(['eval', 'cases', '--model', GOOD, '--max-budget-usd', '3', '--json'], {
    env,
    cwd,
  });
  expect(ran.stderr).not.toContain('turnwright:');
  const { runs, spentUsd } = JSON.parse(ran.stdout);
  const [{ checks, costUsd, judgeUsd, outcome, turns }] = runs;
  expect(checks).toEqual([
    { what: 'cat hidden.txt && exit 4', passed: true },
    { what: 'test -z "$SECRET_TOKEN"', passed: true },
    { what: 'file start.txt', passed: true },
    { what: 'file other.txt', passed: true },
    { what: 'schema', passed: true },
    { what: `judge ${WEAK}`, passed: true },
    { what: `judge ${WEAK}`, passed: false, words: 'It is short.' },
    { what: 'echo some words; exit 2', passed: false, words: expect.stringMatching(/^some words\n/) },
    { what: 'file start.txt', passed: false, words: 'It does not contain "there".' },
  ]);
  expect(checks[7].words).toContain('It exited with 2, not 0.');
  expect({ outcome, turns }).toEqual({ outcome: 'failed', turns: 2 });
  expect([costUsd, judgeUsd, spentUsd].map((usd) => usd.toFixed(6))).toEqual([
    '0.009000',
    '0.003000',
    '0.012000',
  ]);
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain('{{cwd}}');
});

test('a patch that does not fit, and a model without a price', async () => {
  const server = await rehearse(reply('Done.', { times: 'any' }));
  const env = against(server);
  const cwd = writeCase(
    'prompt: Go.\nrepository: ../..\ncommit: HEAD\nchecks: [{ answer: true, contains: Done }]\n',
    {
      'patch.diff': 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n',
    },
  );
  execFileSync(
    'sh',
    ['-c', 'git init -q && git -c user.name=T -c user.email=t@e.x commit -q --allow-empty -m one'],
    { cwd },
  );
  const ran = await commandLine(['eval', 'cases', '--model', GOOD], { env, cwd });
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(/run 1: begin\n {4}The working copy could not be made: git apply failed/);
  const words = ['eval', makeCases(['five']), '--model', 'no-such-model', '--max-budget-usd', '1'];
  const unpriced = await commandLine(words, { env, cwd });
  expect(unpriced.code).toBe(2);
  expect(unpriced.stderr).toContain('no-such-model');
  const poor = await commandLine(
    ['eval', makeCases(['five']), '--model', GOOD, '--max-budget-usd', '0.001'],
    { env, cwd },
  );
  expect(poor.code).toBe(3);
  expect(poor.stderr).toContain('The budget is spent: 1 run of 1 not run');
  expect(server.requests).toEqual([]);
});

test('Ctrl-C says what is kept; one process at a time evaluates in a folder', async () => {
  let child: ChildProcess | undefined;
  const server = await rehearseModels({
    delayMs: 80,
    onRequest: (n) => void (n === 3 && child?.kill('SIGINT')),
  });
  const cwd = dirname(makeCases(['five', 'four']));
  const ran = await turnwright(['eval', 'cases', '--model', GOOD, '--concurrency', '1'], {
    env: against(server),
    cwd,
    onStart: (started) => {
      child = started;
    },
  });
  expect(ran.code).toBe(130);
  expect(ran.stderr).toContain(
    'Interrupted: 1 run of 2 is kept in .turnwright-evals/cases. The same command goes on with the others.',
  );
  const folder = join(cwd, '.turnwright-evals', 'cases');
  const open = await openResults(folder);
  await expect(openResults(folder)).rejects.toThrow(`Process ${process.pid} on`);
  await open.close();
  const again = await commandLine(['eval', 'cases', '--model', GOOD, '--json'], {
    env: against(server),
    cwd,
  });
  const { runs, earlier, spentUsd } = JSON.parse(again.stdout);
  expect({ runs: runs.length, earlier }).toEqual({ runs: 2, earlier: 1 });
  expect(spentUsd).toBeGreaterThanOrEqual(0.018 - 1e-9);
});
