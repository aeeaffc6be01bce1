/** A run of several rounds of real tools while the server strikes replies at random, the same way for the same seed. */
import { type RehearsalRequest, reply, toolUse } from '@turnwright/testing/rehearsal';
import { type Rehearsed, rehearse } from './rehearse.ts';

export const SEEDS: readonly number[] = [1, 2, 3, 5, 8, 13];
const ROUNDS = 4;

/** Parallel reads, a command, an unknown tool and an input that is refused; then an answer. */
function rounds({ results }: RehearsalRequest) {
  const round = Math.floor(results.size / 5);
  if (round >= ROUNDS) return reply(`After ${results.size} results.`);
  const id = (what: string) => `call_${round}_${what}`;
  return reply([
    `Round ${round}.`,
    toolUse('Read', { file_path: 'a.txt' }, id('a')),
    toolUse('Read', { file_path: 'missing.txt' }, id('missing')),
    toolUse('Bash', { command: `echo ${round} >> rounds.txt` }, id('bash')),
    toolUse('NoSuchTool', {}, id('unknown')),
    toolUse('Read', { path: 'a.txt' }, id('invalid')),
  ]);
}

export function chaosRun(seed: number): Promise<Rehearsed> {
  return rehearse({
    files: { 'a.txt': 'x' },
    replies: rounds,
    server: { chaos: { seed, rate: 0.3 } },
    options: { maxTurns: 20, engine: { timeouts: { idleMs: 300, headersMs: 300, answerMs: 2_000 } } },
  });
}
