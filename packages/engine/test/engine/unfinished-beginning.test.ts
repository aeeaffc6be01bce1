/** A session whose first process was killed before anything of it was recorded. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { engineUnderTest, resultIn } from '@turnwright/test/engine/engine-under-test.ts';
import { say, sequentialIds } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { createFileJournalStore } from '../../src/session/journal/file-store.ts';

const SESSION = '0ae2f7c1-5a3c-4e0b-9c53-5d8f0a1b2c3d';

/** A session file as it was left behind, and engines that take its id. */
function left(text: (whole: readonly string[]) => string) {
  const directory = mkdtempSync(join(tmpdir(), 'left-'));
  const path = join(directory, `${SESSION}.jsonl`);
  const store = () =>
    createFileJournalStore({ files: nodeFiles, directory, cwd: '/work', clock: { nowMs: () => 0 } });
  const said: string[] = [];
  const engine = (config: object, id = 1) =>
    engineUnderTest([say('Hello.')], {
      store: store(),
      ids: sequentialIds(id),
      stderr: (line) => said.push(line),
      ...config,
    });
  return {
    path,
    said,
    engine,
    async leave() {
      mkdirSync(directory, { recursive: true });
      const first = engine({ sessionId: SESSION });
      await first.run('Hi.');
      await first.engine.close();
      writeFileSync(path, text(readFileSync(path, 'utf8').split('\n')));
    },
  };
}

describe('the id of a session of which nothing was recorded', () => {
  it.each([
    ['an empty file', () => ''],
    ['a takeover alone', ([takeover]: readonly string[]) => `${takeover}\n`],
    ['a first record that was cut off', ([a, b = '']: readonly string[]) => `${a}\n${b.slice(0, 40)}`],
    ['a takeover that was cut off', ([takeover = '']: readonly string[]) => takeover.slice(0, 20)],
  ])('is free again: %s', async (_, text) => {
    const { engine, leave, said } = left(text);
    await leave();
    const again = engine({ sessionId: SESSION }, 1000);
    expect(resultIn(await again.run('Hi.'))).toMatchObject({ subtype: 'success', result: 'Hello.' });
    expect(said).toEqual([
      expect.stringContaining(`Session ${SESSION} was begun before, but nothing of it was recorded`),
    ]);
    await again.engine.close();
    const next = engine({ resume: SESSION }, 2000);
    await next.run('And now?');
    expect(JSON.stringify(next.model.requests[0]?.view)).toContain('Hello.');
    await next.engine.close();
  });

  it('is taken as soon as one record is whole', async () => {
    const { engine, leave, said } = left(([a, b]) => `${a}\n${b}\n`);
    await leave();
    const again = engine({ sessionId: SESSION }, 1000);
    expect(JSON.stringify(await again.run('Hi.').catch(String))).toContain(
      `There is a session ${SESSION} already`,
    );
    expect(said.join()).not.toContain('begun before');
    await again.engine.close();
  });
});
