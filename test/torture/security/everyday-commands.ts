/** S2: commands that developers give all day are seen whole, so that safety is not bought with questions. */
import { readFile } from 'node:fs/promises';
import { readCommandLine } from '../../../packages/engine/src/shell/reading/command-line.ts';
import { row } from '../row.ts';

const FILE = new URL('../../fixtures/commands/benign-2000.txt', import.meta.url);

row('S2', async ({ figures }) => {
  const lines = (await readFile(FILE, 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/\\(n|\\)/g, (_, char: string) => (char === 'n' ? '\n' : '\\')));
  let unseen = 0;
  for (const line of lines) if ((await readCommandLine(line)).unseen !== undefined) unseen++;
  figures.atLeast('everyday commands', lines.length, 2_000);
  figures.atMost('not seen whole', (100 * unseen) / lines.length, 10, '%');
});
