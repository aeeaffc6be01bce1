/** S10: texts that take analysers long, or break them: each is answered soon, or not seen whole. */

import { maskSecrets } from '@turnwright/base/text/secret-text.ts';
import { readCommandLine } from '../../../packages/engine/src/shell/reading/command-line.ts';
import { row } from '../row.ts';

const LIMIT_MS = 50;
const REPEATS = 5;

const times = (text: string, count: number) => text.repeat(count);

/** By what they are; each as long as it may be to be read at all, and far longer. */
const COMMANDS: Readonly<Record<string, (n: number) => string>> = {
  'open substitutions': (n) => times('$(', n),
  'nested substitutions': (n) => `${times('$(echo ', n)}x${times(')', n)}`,
  'nested groups': (n) => `${times('{ ', n)}ls${times('; }', n)}`,
  'nested quotes': (n) => times(`"'`, n),
  'one long word': (n) => times('x', n),
  'many pipes': (n) => times('ls | ', n),
  'many here documents': (n) => times('cat <<A\n', n),
  backslashes: (n) => times('\\', n),
  braces: (n) => times('{a,', n),
  'parameter expansions': (n) => times('${a:-', n),
  arithmetic: (n) => `echo $((${times('(', n)}1${times(')', n)}))`,
  'many assignments': (n) => `${times('a=b ', n)}ls`,
  'case branches': (n) => `case x in ${times('a) ;; ', n)} esac`,
  'control characters': (n) => times('\u0000\r', n),
};

const SECRETS: Readonly<Record<string, (n: number) => string>> = {
  'almost a key': (n) => times('sk-ant-', n),
  'almost an address': (n) => `https://${times('a:', n)}`,
  'one long token': (n) => times('eyJhbGciOi', n),
  'equals signs': (n) => times('KEY==', n),
  'a header of a key': (n) => times('-----BEGIN ', n),
};

row('S10', async ({ figures, size }) => {
  const lengths = size(2, 3);
  const slow: string[] = [];
  const thrown: string[] = [];
  let texts = 0;
  let longest = 0;
  const measured = async (name: string, work: () => unknown) => {
    texts++;
    let least = Number.POSITIVE_INFINITY;
    // A pause of the machine is no property of the text: the least of some runs counts.
    for (let n = 0; n < REPEATS && least > LIMIT_MS; n++) {
      const started = performance.now();
      try {
        await work();
      } catch (error) {
        thrown.push(`${name}: ${error}`);
        return;
      }
      least = Math.min(least, performance.now() - started);
    }
    longest = Math.max(longest, least);
    if (least > LIMIT_MS) slow.push(`${name}: ${Math.round(least)} ms`);
  };
  await readCommandLine('ls');
  for (const n of [200, 5_000, 100_000].slice(0, lengths)) {
    for (const [name, make] of Object.entries(COMMANDS)) {
      const text = make(n);
      await measured(`${name}, ${n}`, async () => {
        const read = await readCommandLine(text);
        // Longer lines are not read at all: a person decides.
        if (text.length > 10_000 && read.unseen === undefined) thrown.push(`${name}, ${n}: read`);
      });
    }
    for (const [name, make] of Object.entries(SECRETS)) {
      const text = make(Math.min(n, 20_000));
      await measured(`${name}, ${n}`, () => maskSecrets(text));
    }
  }
  figures.atLeast('hostile texts', texts, 30);
  figures.atMost('longest time for one', longest, LIMIT_MS, 'ms');
  figures.none('too slow', slow);
  figures.none('exceptions, and long lines that were read', thrown);
});
