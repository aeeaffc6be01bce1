// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text
/** Command lines that somebody would write who wants a reader of them to overlook something. From a seed, always the same. */

/** The programs that they run: each only takes note of being run. */
export const PROGRAMS = ['alpha', 'beta', 'gamma', 'delta', 'omega'] as const;

export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const WORDS = ['a', '-x', 'b1', 'f1', '--opt=v', 'x=y', 'é', '%s', '{}', ':', '.', '1'];
const TARGETS = ['w1', 'w2', '"w3"', "'w4'", 'w\\5', 'w{6}', '$w', 'w$1', '/dev/null'];
const ODD = [
  ...';&|<>(){}$"\'`\\\n #!*?[]=~^,',
  '\r',
  '\t',
  '&>',
  '<<',
  '$(',
  '${',
  '((',
  '[[',
  '<<<',
  '>|',
  ';;',
  '\\\n',
  '$((',
  "$'",
  '{ ',
  ' }',
  '>(',
  '<(',
  '|&',
  '&&',
  '||',
  '!',
  'time ',
  'do ',
  'then ',
  'function ',
];

export function hostileLine(random: Random): string {
  const one = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const chance = (share: number) => random() < share;

  const quoted = (script: string): string => {
    const kind = random();
    if (kind < 0.6) return `'${script.replaceAll("'", `'\\''`)}'`;
    if (kind < 0.9) return `"${script.replace(/["\\$`]/g, '\\$&')}"`;
    return `$'${script.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`;
  };

  /** The text, in one of the ways to spell it. */
  const spelled = (text: string): string => {
    const at = 1 + Math.floor(random() * (text.length - 1));
    const [head, tail] = [text.slice(0, at), text.slice(at)];
    switch (Math.floor(random() * 14)) {
      case 0:
        return `${head}""${tail}`;
      case 1:
        return `${head}\\${tail}`;
      case 2:
        return `'${head}'"${tail}"`;
      case 3:
        return `${head}\\\n${tail}`;
      case 4:
        return chance(0.5) ? `$'${head}'${tail}` : `${head}$Z${tail}`;
      case 5:
        return chance(0.5) ? `${head}\${Z}${tail}` : `${head}$()${tail}`;
      default:
        return text;
    }
  };

  const word = (depth: number): string => {
    switch (Math.floor(random() * 26)) {
      case 0:
        return `$(${line(depth - 1)})`;
      case 1:
        return `"$(${line(depth - 1)})"`;
      case 2:
        return `\`${line(0).replace(/[`\\]/g, '')}\``;
      case 3:
        return `\${x:-${word(0)}}`;
      case 4:
        return `"\${y:+${word(0)}}b"`;
      case 5:
        return one([
          '$x',
          '"$x"',
          '$@',
          '"$?"',
          '$(date +%F)',
          '`date`',
          '"$PWD"',
          '"$(pwd)"',
          '"$@"',
          '$1',
          '$?',
          '${#x}',
          '${x%y}',
          '"${z}"',
        ]);
      case 6:
        return one([
          '{a,b}',
          '{1..3}',
          '{9..7}',
          'a@{0}',
          'a@{b},c}',
          '{a}',
          'p{a,b}q',
          '{a',
          'b}',
          '{a,b',
          '{,x}y',
        ]);
      case 7:
        return one(['f*', '?1', '[fg]1', '*', 'f[1', '*.x', '@(f1|f2)', '!(f1)']);
      case 8:
        return one([`$'\\x61b'`, `$'a\\'b'`, `$"a"`, `$'\\n'`, `$'`]);
      case 9:
        return one(['$((1+1))', '$((1<<2))', '$((x))', '$[1+1]', '$(( (1) ))']);
      case 10:
        return one(['~', '~+', 'a=~', '~nobody']);
      case 11:
        return quoted(line(0));
      case 12:
        return one(['a#b', '\\#', '"#"', "a'#'"]);
      case 13:
        return depth > 0 ? one([`<(${line(depth - 1)})`, `>(${line(depth - 1)})`]) : 'a';
      default:
        return one(WORDS);
    }
  };

  /** A word with a placeholder, or beside one. */
  const placed = (): string => {
    const beside = word(0);
    return one(['{}', '{}', '', beside, `{}${beside}`, `${beside}{}`, `"{}"${beside}`]);
  };

  const redirect = (): string =>
    `${one(['>', '>>', '<', '>|', '&>', '2>', '<>', '>&', '&>>', '3>', '10>', '{v}>', '2>&1 >'])}${chance(0.5) ? ' ' : ''}${one(TARGETS)}`;

  const simple = (depth: number): string => {
    const parts: string[] = [];
    if (chance(0.12))
      parts.push(one(['x=1', 'y=$(alpha)', 'X=a', 'x+=1', 'x[1]=a', 'x=(a b)', 'x={a,b}', 'x=~']));
    if (chance(0.05)) parts.push(redirect());
    parts.push(spelled(one(PROGRAMS)));
    for (let n = Math.floor(random() * 4); n > 0; n--) parts.push(word(depth));
    if (chance(0.25)) parts.push(redirect());
    if (chance(0.04)) parts.push(`# ${line(0)}`);
    return parts.join(chance(0.9) ? ' ' : '\t');
  };

  const command = (depth: number): string => {
    if (depth <= 0) return simple(0);
    const inner = () => line(depth - 1);
    switch (Math.floor(random() * 34)) {
      case 0:
        return `(${inner()})`;
      case 1:
        return `{ ${inner()}; }`;
      case 2:
        return `if ${inner()}; then ${inner()}; else ${inner()}; fi`;
      case 3:
        return `for x in ${word(0)} ${word(0)}; do ${simple(0)} "$x"; done`;
      case 4:
        return `while omega; do ${inner()}; done`;
      case 5:
        return `until alpha; do ${inner()}; done`;
      case 6:
        return `case ${word(0)} in ${one(['a', '*', 'b1|a', '(a'])}) ${inner()} ${one([';;', ';;', ';&'])} esac`;
      case 7:
        return `! ${simple(0)}`;
      case 8:
        return `sh -c ${quoted(inner())}`;
      case 9:
        return `bash -c ${quoted(inner())}`;
      case 10:
        return `dash ${one(['-c', '-ec', '-uc', '-xc'])} ${quoted(inner())} ${word(0)} ${word(0)}`;
      case 11:
        return `sh ${one(['-e', '-k', '+e', '-u'])} -c ${quoted(inner())}`;
      case 12:
        return `${one(['env', 'command', 'nohup', 'nice', 'timeout 5', 'exec', 'env -i PATH="$PATH" LOG="$LOG"', 'builtin', 'time', 'time -p'])} ${simple(0)}`;
      case 13:
        return `printf '%s\\n' ${word(0)} | xargs ${one(['', '-n1', '-I{}', '-0', '-i', '-I1 -I{}', '-I{} -n2', '--max-a 2', '--repl=a'])} ${simple(0)}`;
      case 14:
        return `find f1 ${one(['', '', word(0)])} ${one(['-exec', '-exec', '-execdir', '"-exec"'])} ${one(PROGRAMS)} ${placed()} ${placed()} ${one(['\\;', '+', "';'"])}`;
      case 15:
        return `${simple(0)} <<${one(['E', "'E'", '"E"', '\\E', '-E'])}\n${one(['a', '$(beta b)', '`gamma`', '${x:-$(delta)}', '\\$(beta)'])}\nE\n${simple(0)}`;
      case 16:
        return `${simple(0)} <<< ${word(0)}`;
      case 24:
        return `${one(['[ ', 'test '])}${one(['', '! '])}${one([`${word(0)} ${one(['=', '!=', '-eq', '-gt', '-nt', '-v'])} ${word(0)}`, `${one(['-z', '-n', '-v', '-f'])} ${word(0)}`, `${word(0)} ${word(0)}`])} ]`;
      case 25:
        return `echo ${word(depth)} ${word(depth)} "${one(['a', ' '])}$(${inner()})"`;
      case 17:
        return `[[ ${word(0)} ${one(['=', '<', '>', '-eq', '=~', '&&'])} ${word(0)} ]]`;
      case 18:
        return `((${one(['1', 'x=1', '1); alpha; (2', 'x[$(beta)]'])}))`;
      case 19:
        return `f() { ${inner()}; }; f`;
      case 20:
        return `eval ${quoted(inner())}`;
      case 21:
        return `cd ${one(['d', '.', '..', '"d"'])} && ${simple(0)}`;
      case 22:
        return `(${simple(0)}) ${redirect()}`;
      case 23:
        return `echo ${quoted(inner())} | ${one(['sh', 'bash', 'cat'])}`;
      default:
        return simple(depth);
    }
  };

  const line = (depth: number): string => {
    let text = command(depth);
    for (let n = random() < 0.35 ? 1 + Math.floor(random() * 2) : 0; n > 0; n--)
      text +=
        one([' && ', ' || ', '; ', ' | ', ' & ', '\n', ';', '|', ' |& ', '&&', ' ;\n']) + command(depth - 1);
    return text;
  };

  let text = line(2);
  for (let n = chance(0.45) ? 1 + Math.floor(random() * 3) : 0; n > 0; n--) {
    const at = Math.floor(random() * (text.length + 1));
    const cut = chance(0.3) ? 1 : 0;
    text = text.slice(0, at) + (chance(0.8) ? one(ODD) : '') + text.slice(at + cut);
  }
  return text.replaceAll('\0', '');
}
