/** Five cases that anyone can check by hand, and two rehearsed models of which the results are known. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { onTestFinished } from 'vitest';

export const GOOD = 'claude-sonnet-4-5';
export const WEAK = 'claude-haiku-4-5';

/** Runs of three that pass, by case: c = 3, 3, 2, 1, 3 and 0, 1, 0, 2, 0. */
export const PASSES: Readonly<Record<string, readonly (readonly boolean[])[]>> = {
  [GOOD]: [
    [true, true, true],
    [true, true, true],
    [true, false, true],
    [false, false, true],
    [true, true, true],
  ],
  [WEAK]: [
    [false, false, false],
    [false, true, false],
    [false, false, false],
    [true, true, false],
    [false, false, false],
  ],
};

/** Of each request: the good model asks twice in a run, the weak one once. */
export const USAGE = {
  input_tokens: 1_000,
  output_tokens: 100,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

export const NAMES = ['five', 'four', 'one', 'three', 'two'] as const;

/** A folder with the five cases. */
export function makeCases(names: readonly string[] = NAMES): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'turnwright-evals-')), 'cases');
  for (const [at, name] of names.entries()) {
    mkdirSync(join(folder, name, 'files'), { recursive: true });
    writeFileSync(join(folder, name, 'files', 'start.txt'), `${name}\n`);
    writeFileSync(
      join(folder, name, 'case.yaml'),
      `prompt: Case ${at}. Write the answer.
checks:
  - { file: answer.txt, contains: right }
  - { file: start.txt, unchanged: true }
options:
  permissionMode: bypassPermissions
`,
    );
  }
  return folder;
}

/**
 * Answers by the table: the n-th conversation about a case is its n-th run. `onRequest`: called with the
 * number of each request before it is answered, which takes `delayMs`.
 */
export async function rehearseModels({
  delayMs = 0,
  onRequest = (_number: number): void => undefined,
} = {}): Promise<RehearsalServer> {
  let requests = 0;
  const begun = new Map<string, number>();
  const sessions = new Map<string, boolean>();
  const starting = startRehearsal({
    scenario: ({ model, session, call, firstUserMessage, body }) => {
      requests += 1;
      onRequest(requests);
      const number = Number(/Case (\d)/.exec(firstUserMessage)?.[1]);
      if (!sessions.has(session)) {
        const run = begun.get(`${model} ${number}`) ?? 0;
        begun.set(`${model} ${number}`, run + 1);
        sessions.set(session, PASSES[model]?.[number]?.[run % 3] ?? false);
      }
      const word = sessions.get(session) === true ? 'right' : 'wrong';
      const how = { usage: USAGE, ...(delayMs > 0 && { timing: { headersMs: delayMs } }) };
      const [, cwd = ''] = /Working directory: ([^\n\\"]+)/.exec(JSON.stringify(body)) ?? [];
      const write = toolUse('Write', { file_path: `${cwd}/answer.txt`, content: word }, `toolu_${call}`);
      if (model === GOOD) return call === 1 ? reply([write], how) : reply('Done.', how);
      return call === 1 && word === 'right' ? reply([write], how) : reply('Done, I think.', how);
    },
  });
  onTestFinished(async () => (await starting).close());
  return starting;
}
