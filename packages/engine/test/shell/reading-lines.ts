// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text
/** Lines of programs that only read, with words that only the shell knows, as somebody would write them who wants one of them to be taken for something else. */
import type { Random } from '@turnwright/test/shell/hostile-lines.ts';

/** They only take note of being run; `cat`, `find` and `xargs` are the real ones. */
export const READERS = [
  'ls',
  'wc',
  'grep',
  'head',
  'sort',
  'nl',
  'file',
  'stat',
  'awk',
  'sed',
  'touch',
  'tee',
  'node',
] as const;

/** What lies where they run; nothing of it leads out. */
export const THERE = [
  'f1',
  'f2',
  'a.ts',
  'b.ts',
  'a b',
  "it's",
  '-o',
  '--x=y',
  '.hid',
  'é',
  '[x]',
  'd/f3',
  'd/g.ts',
  'd/-n',
  'd/.h',
];

const PATTERNS = [
  '*',
  '*.ts',
  'f?',
  '?.ts',
  'd/*',
  '*/*',
  '*/',
  '.*',
  '[ab].ts',
  '[!a]*',
  'f[0-9]',
  '*1',
  '-*',
  '*x=*',
  '**',
  './*',
  'd/../*',
  '?',
  '*.none',
  '[a-',
  'a\\ *',
  '"a "*',
  "'a '*",
  '"*"',
  '\\*',
  "*\\'*",
  '[[]*',
  '[]x]*',
  '*[x]*',
  'é*',
  '*é',
];
const BRACES = [
  '{a,b}.ts',
  '{f1,f2}',
  'f{1,2}',
  '{*.ts,f*}',
  '{a,b',
  'a,b}',
  '{a}',
  '{1..3}',
  'd/{f3,g.ts}',
  '{,x}f1',
  'f1@{0}',
  'x@{u},y}',
  '{a},b}',
  '{d,d}/*',
  '*{1,2}',
  '{a,{b,c}}.ts',
  '"{a,b}".ts',
  '\\{a,b}.ts',
];
const TOLD = [
  '$?',
  '"$?"',
  '$((1+1))',
  '"$(ls)"',
  '$(ls)',
  '"$(cat f1)"',
  '$(date)',
  '"$PWD"/f1',
  '$PWD/*.ts',
  '"$(pwd)"',
  '$(pwd)/f*',
  '"$x"',
  '$x',
  '`ls`',
  '"a$(nl f1)b"',
  '"$(touch made)"',
  '$(wc -l < f1)',
  '"${x:-f1}"',
  '"$1"',
  '$HOME',
  '~',
  '"$HOME"',
];
const PLAIN = [
  'f1',
  'a.ts',
  'd',
  '.',
  'foo',
  '"a b"',
  "'x*'",
  '-l',
  '-n',
  '-c',
  '--',
  '-',
  'x=y',
  '/dev/null',
  '""',
];

export function readingLine(random: Random): string {
  const one = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const chance = (share: number) => random() < share;
  const word = (): string => {
    const kind = random();
    if (kind < 0.35) return one(PATTERNS);
    if (kind < 0.5) return one(BRACES);
    if (kind < 0.62) return one(TOLD);
    if (kind < 0.67) return one(PATTERNS) + one(BRACES);
    if (kind < 0.7) return one(PLAIN) + one(PATTERNS);
    return one(PLAIN);
  };
  const words = (most: number): string =>
    Array.from({ length: 1 + Math.floor(random() * most) }, word).join(' ');
  const simple = (): string => {
    const program = one([
      'ls',
      'wc',
      'grep',
      'head',
      'sort',
      'nl',
      'file',
      'stat',
      'ls',
      'wc',
      'echo',
      'cat',
      'awk 1',
      'sed -n p',
      'printf %s',
    ]);
    const extra = chance(0.06) ? ` > ${one(['made', 'd/made', '*.ts'])}` : chance(0.06) ? ` < ${word()}` : '';
    return `${program} ${words(3)}${extra}${chance(0.1) ? ' 2>/dev/null' : ''}`;
  };
  const command = (): string => {
    switch (Math.floor(random() * 20)) {
      case 0:
        return `for f in ${words(2)}; do ${one(['wc -l', 'ls', 'echo', 'touch', 'head'])} ${one(['"$f"', '$f', '"d/$f"', '"${f}"'])}; done`;
      case 1:
        return `for i in ${one(['1 2', '{1..3}', '*', '"$x"'])}; do echo ${one(['$i', '"$i"', '"$i: $(wc -l < "$i")"'])}; done`;
      case 2:
        return `cd d ${one(['&&', ';', '||'])} ${simple()}`;
      case 3:
        return `(${simple()})`;
      case 4:
        return `if ${one(['[ "$(ls)" = x ]', '[ $? -eq 0 ]', '[ -z "$(ls)" ]', '[ "$(ls)" -v ]', '[ ! -n "$(ls)" ]', 'test "$(ls)" != y', '[ -f * ]'])}; then ${simple()}; else ${simple()}; fi`;
      case 5:
        return `find d ${one(['', '-name "*.ts"', '-type f', '-name "f*" -o -name "*.ts"', '-not -name "-*"', '-maxdepth 1', '-print'])} | ${one(['', 'sort | ', 'head -1 | ', 'grep -v zz | '])}xargs ${one(['', '-0 ', '-n1 ', '-r '])}${one(['wc -l', 'grep -l foo', 'head', 'touch', 'nl', 'node', 'sed -n p', 'sed', 'awk', 'awk 1'])}`;
      case 6:
        return `find d ${one(['', '-name "*.ts"', '-type f'])} -exec ${one(['wc', 'head -1', 'touch', 'node', 'nl', 'awk', 'awk 1'])} {} ${one(['\\;', '+'])}`;
      case 7:
        return `bash -c '${simple().replaceAll("'", '')}'`;
      default:
        return simple();
    }
  };
  let line = command();
  while (chance(0.3)) line += one([' && ', '; ', ' | ', ' || ', '\n']) + command();
  return line;
}
