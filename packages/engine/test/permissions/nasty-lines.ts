/** Lines and rules that are made to cost as much as they can: the same ones for the same seed. */
import type { PermissionOptions } from '../../src/permissions/permission-engine.ts';

export interface NastyCase {
  readonly command: string;
  readonly options: Pick<PermissionOptions, 'mode' | 'deny' | 'ask' | 'allow'>;
}

const PROGRAMS =
  'cat|ls|rm|cp|mv|git log|git push|git -C x show|grep -r|rg|sed|sed -n|awk|sort|tar xf|find . -name|find . -exec cat|xargs|bash -c|sh -c|sudo|env|timeout 5|python3 -c|node -e|curl|echo|tee|unknown|npm test|docker run|zip -r|rsync|strings|kubectl get|dd|make|$x|*|"$x"'.split(
    '|',
  );
const ATOMS =
  '$x |*a|[a-z]*|{a,b}|{a,b,c}/|*/|../|*/../|=a|=a/b|-o|-a |--a=|"$x"|"$x" |`x` |$(x) |<(x) |~/|a|a |b|/|//|?|@|:|,|\\\\|\\ |%2e|./|/proc/self/cwd/|/dev/fd/|.env |k*|**/|[!a]|[[:alpha:]]|%|{|}|(|)|\'|"|&& |; | | |> a |< a |2>&1 |<<E\nx\nE\n|<<<a |x=1 |$((1+1)) |${x} |${x:-a} |$\'\\x41\' |for i in a b; do |; done |if a; then |; fi |{ a; } |\n|s/a/b/e |{print>a} |-exec a ; |-e |-f |--files0-from=|HEAD:|é|é|\u{1f600}'.split(
    '|',
  );
const RULE_ATOMS = 'a|*a|**/|*|?|[a-z]|[!a]*|a |a * |a/|.env|*.pem|-a |--a |\\*|"*a" |k*|é'.split('|');
const RULE_TOOLS = ['Bash', 'Read', 'Edit', 'Write', 'Grep', 'Glob', 'mcp__a', '*'];
const PLAIN_RULES = [
  'Read(.env)',
  'Read(**/*.pem)',
  'Bash(rm:*)',
  'Bash(git push:*)',
  'Edit(//etc/**)',
  'Bash',
];

export function* nastyCases(seed: number, number: number): Iterable<NastyCase> {
  const random = randomFrom(seed);
  const below = (most: number) => Math.floor(random() * most);
  const one = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  /** Few are as long as they may be: of 10,000 texts 130 are longer than nine tenths of it. */
  const upTo = (most: number) => 1 + Math.floor(most * random() ** 8);

  const text = (): string => {
    const atoms = Array.from({ length: 1 + below(3) }, () => one(ATOMS)).join('');
    const most = below(50) === 0 ? 200_000 : 9900;
    return atoms.repeat(upTo(most / atoms.length)) + (below(2) === 0 ? one(ATOMS) : '');
  };
  const nested = (): string => {
    const depth = 1 + below(40);
    const times = 1 + below(12);
    const value = (at: number) =>
      at === 0 ? one(['x*', 'a b', '"$y"', '{a,b}']) : `"${`$v${at - 1}`.repeat(times)}"`;
    const heads = Array.from({ length: depth }, (_, at) => `for v${at} in ${value(at)}; do `).join('');
    return `${heads}cat ${`"$v${depth - 1}"`.repeat(1 + below(30))}${'; done'.repeat(depth)}`;
  };
  const line = (): string => {
    if (below(15) === 0) return nested();
    const parts = Array.from({ length: 1 + below(3) }, () => `${one(PROGRAMS)} ${text()}`);
    return parts.join(one(['; ', ' && ', ' | ', '\n'])).slice(0, below(3) === 0 ? undefined : 10_000);
  };
  const rule = (): string => {
    if (below(3) === 0) return one(PLAIN_RULES);
    const atoms = Array.from({ length: 1 + below(2) }, () => one(RULE_ATOMS)).join('');
    const body = one(['', 'cat ', 'git ', '/', '//', '~/']) + atoms.repeat(upTo(950 / atoms.length));
    return `${one(RULE_TOOLS)}(${body.trim() || 'a'}${one(['', ':*', ' *'])})`;
  };
  const rules = (most: number) => Array.from({ length: below(most) }, rule);
  for (let made = 0; made < number; made++) {
    const many = below(10) === 0 ? 200 : 8;
    yield {
      command: line(),
      options: {
        mode: one(['default', 'dontAsk', 'acceptEdits', 'plan']),
        deny: rules(many),
        ask: rules(3),
        allow: rules(4),
      },
    };
  }
}

/** A linear congruential generator: its quality does not matter here. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
