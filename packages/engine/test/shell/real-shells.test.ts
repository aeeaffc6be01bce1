/**
 * What real shells run of hostile lines, held against what was seen of them. A line that is not seen whole may do
 * anything; of every other all programs with their arguments, and all files, were seen.
 */

import { inShortAndLongForm } from '@turnwright/test/long-form.ts';
import { compare, noFigures } from '@turnwright/test/shell/compare-with-shells.ts';
import { hostileLine, randomFrom } from '@turnwright/test/shell/hostile-lines.ts';
import { hasShells, runInShell } from '@turnwright/test/shell/real-shells.ts';
import { describe, expect, it } from 'vitest';

const COUNT = Number(process.env['TURNWRIGHT_SHELL_LINES'] ?? inShortAndLongForm(100, 400));
const SEED = Number(process.env['TURNWRIGHT_SHELL_SEED'] ?? 20_261_122);
const BATCH = 100;

describe.skipIf(!hasShells)('hostile lines in real shells', () => {
  it.each([
    ['bash', 'bash'],
    ['dash', 'sh'],
  ] as const)(
    'nothing runs in %s that was not seen',
    async (shell, language) => {
      const random = randomFrom(SEED + (shell === 'bash' ? 0 : 1));
      const lines = Array.from({ length: COUNT }, () => hostileLine(random));
      const figures = noFigures();
      const batches = Array.from({ length: Math.ceil(COUNT / BATCH) }, (_, i) =>
        lines.slice(i * BATCH, (i + 1) * BATCH),
      );
      const work = async () => {
        for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
          const outcomes = await runInShell(shell, batch, { asFiles: batches.length % 10 === 0 });
          for (const [i, line] of batch.entries())
            await compare(language, line, outcomes[i] ?? { ran: [], made: [] }, figures);
        }
      };
      await Promise.all([work(), work(), work()]);
      const share = Math.round((100 * figures.seenWhole) / figures.lines);
      console.info(
        `${shell}, seed ${SEED}: ${figures.lines} lines, ${share} % seen whole; ${figures.ran} programs ran and ${figures.made} files were made, ${figures.unseen.length} unseen`,
      );
      expect(figures.unseen).toEqual([]);
      expect(figures.ran).toBeGreaterThan(figures.lines / 4);
    },
    20 * 60_000,
  );
});
