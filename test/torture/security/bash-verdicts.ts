/** S1: hostile lines in real shells: whatever runs, or is made, was seen before. */
import { compare, noFigures } from '../../shell/compare-with-shells.ts';
import { hostileLine, randomFrom } from '../../shell/hostile-lines.ts';
import { hasShells, runInShell } from '../../shell/real-shells.ts';
import { row } from '../row.ts';

const BATCH = 100;

row('S1', async ({ figures, size, seed, corpus, keep }) => {
  if (!hasShells) throw new Error('This needs bwrap, bash and dash.');
  const seen = noFigures();
  for (const [shell, language, count] of [
    ['bash', 'bash', size(100, 15_000)],
    ['dash', 'sh', size(50, 5_000)],
  ] as const) {
    const random = randomFrom(seed + (shell === 'bash' ? 0 : 1));
    const kept = corpus<{ readonly line: string }>().map(({ line }) => line);
    const lines = [...kept, ...Array.from({ length: count }, () => hostileLine(random))];
    const batches = Array.from({ length: Math.ceil(lines.length / BATCH) }, (_, n) =>
      lines.slice(n * BATCH, (n + 1) * BATCH),
    );
    const work = async () => {
      for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
        const outcomes = await runInShell(shell, batch);
        for (const [n, line] of batch.entries()) {
          const before = seen.unseen.length;
          await compare(language, line, outcomes[n] ?? { ran: [], made: [] }, seen);
          if (seen.unseen.length > before) keep({ line, what: seen.unseen[before] });
        }
      }
    };
    await Promise.all([work(), work()]);
  }
  figures.atLeast('hostile lines, in bash and dash', seen.lines, size(150, 20_000));
  figures.atLeast('programs that ran', seen.ran, seen.lines / 4);
  figures.none('programs and files that were not seen', seen.unseen);
});
