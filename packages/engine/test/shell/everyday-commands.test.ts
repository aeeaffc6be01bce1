/** Commands that developers give all day are seen whole. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { readCommandLine } from '../../src/shell/reading/command-line.ts';

const FILE = new URL('../../../../test/fixtures/commands/benign-2000.txt', import.meta.url);

it('of 2 000 everyday commands nine in ten are seen whole', async () => {
  const lines = (await readFile(FILE, 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const unseen = new Map<string, number>();
  for (const line of lines) {
    const command = line.replace(/\\(n|\\)/g, (_, char: string) => (char === 'n' ? '\n' : '\\'));
    const why = (await readCommandLine(command)).unseen;
    if (why !== undefined) unseen.set(why, (unseen.get(why) ?? 0) + 1);
  }
  const total = [...unseen.values()].reduce((sum, each) => sum + each, 0);
  const share = (100 * total) / lines.length;
  console.info(
    `${lines.length} everyday commands, ${share.toFixed(1)} % not seen whole: ${[...unseen].map(([why, times]) => `${times} × ${why}`).join('; ')}`,
  );
  expect(lines).toHaveLength(2_000);
  expect(share).toBeLessThanOrEqual(10);
});
