// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text
/** A script is judged in the language of the shell that runs it. */
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/shell/reading/command-line.ts';
import { everySegment } from '../../src/shell/reading/segment.ts';

const quoted = (script: string) => `'${script.replaceAll("'", `'\\''`)}'`;
const unseenIn = async (command: string, language?: 'bash' | 'sh') =>
  (await readCommandLine(command, language)).unseen;

describe('what sh may read otherwise than bash', () => {
  it.each([
    'true &>/dev/null P',
    'true &>>f P',
    'a >&f',
    'a >&"$x"',
    'a 10>f',
    '[[ a > M && b ]]',
    '[[ -f a ]]',
    '((a)); b',
    '(( 1 ))',
    'x=(a b)',
    'x+=a b',
    'x[1]=a b',
    'cat <<< a',
    'a |& b',
    'cat <(a)',
    'a >(b)',
    'echo {a,b}',
    'echo {1..3}',
    `echo $'a'`,
    'echo $"a"',
    'function f { a; }',
    'select x in a; do b; done',
    'coproc a',
    'a {fd}>f',
    'echo @(a|b)',
    'time a',
    'time -p a',
    'case a in a) b ;& c) d ;; esac',
    'echo $[1+1]',
    'echo $((x++))',
    'echo ${x/a/b}',
    'echo ${x:1:2}',
    'echo ${x^^}',
    'echo ${!x}',
    'echo ${x@P}',
    `echo "\${x:-'a}'}"`,
    'for ((;;)); do a; done',
    'for x in a; { b; }',
    'echo `echo "a"`',
    '! ! a',
    'builtin a',
    'source a',
    'echo $(cat <<E\na\nE\n)',
    `cat <<"a b"\nx\na b`,
    'echo [[:alpha:]]',
  ])('%j', async (script) => {
    expect(await unseenIn(script, 'sh')).toEqual(expect.any(String));
    expect(await unseenIn(`sh -c ${quoted(script)}`)).toEqual(expect.any(String));
    expect(await unseenIn(`dash -ec ${quoted(script)}`)).toEqual(expect.any(String));
    expect(await unseenIn(`watch ${quoted(script)}`)).toEqual(expect.any(String));
    expect(await unseenIn(`find . -exec sh -c ${quoted(script)} ;`)).toEqual(expect.any(String));
    expect(await unseenIn(`bash -c ${quoted(`sh -c ${quoted(script)}`)}`)).toEqual(expect.any(String));
  });

  it.each([
    ['a && b || c; d & e', 'a b c d e'],
    ['if [ -f a ]; then b; elif c; then d; else e; fi', '[ b c d e'],
    ['for x in a b; do c "$x"; done', 'c'],
    ['for x in a b\ndo\n  c\ndone', 'c'],
    ['while a; do b; done 2>/dev/null', ' a b'],
    ['case "$x" in a|b) c ;; *) d ;; esac', 'c d'],
    ['a "$(b)" `c`', 'a b c'],
    ['a < f > g 2>&1 >> h', 'a'],
    ['x=1 a; y=2', ' a'],
    ['a ${x:-b} ${y#c} ${#z} $1 "$@" $?', 'a'],
    ["cat <<'E'\na\nE", 'cat'],
    ['echo $((1 + 2))', 'echo'],
    ['! a | b', 'a b'],
    ['(a; b); { c; }', 'a b c'],
    ['ls *.t? [a-z]', 'ls'],
    [`a 'b;c' "d;e" f\\;g`, 'a'],
  ])('%j is the same in both', async (script, programs) => {
    const line = await readCommandLine(script, 'sh');
    expect(line.unseen).toBeUndefined();
    const seen = everySegment(line.segments).map(({ words }) => words[0]?.value ?? '');
    expect(seen.toSorted().join(' ')).toBe(programs);
    expect(await unseenIn(`sh -c ${quoted(script)}`)).toBeUndefined();
  });
});

describe('options of a shell', () => {
  it.each(['-c', '-ec', '-e -u -c', '-xc', '-euxc', '-fc'])(
    '%s leaves the script what it is',
    async (options) => {
      for (const shell of ['bash', 'sh', '/bin/dash'])
        expect(await unseenIn(`${shell} ${options} ls`)).toBeUndefined();
    },
  );

  it.each([
    ...[
      '-kc',
      '-k -c',
      '-lc',
      '-ic',
      '-sc',
      '-rc',
      '-pc',
      '-Bc',
      '-Ec',
      '-Tc',
      '+c',
      '+B -c',
      '-O extglob -c',
      '+O extglob -c',
    ],
    ...[
      '-o posix -c',
      '--posix -c',
      '--login -c',
      '--norc -c',
      '--rcfile f -c',
      '--init-file f -c',
      '--verbose -c',
      '-- -c',
    ],
    ...['-c --', '-$x -c', '"$x" -c', '-s'],
  ])('%j may not', async (options) => {
    expect(await unseenIn(`bash ${options} ls`)).toEqual(expect.any(String));
  });

  it.each([
    'BASH_ENV=f',
    'ENV=f',
    'SHELLOPTS=xtrace',
    'BASHOPTS=extglob',
    'BASH_FUNC_ls%%=x',
    'PS4=x',
    'IFS=x',
    'POSIXLY_CORRECT=1',
  ])('%s in front of it may not', async (assignment) => {
    const line = await readCommandLine(`${assignment} sh -c 'a'`);
    // What is no assignment is a program of that name.
    const asProgram = everySegment(line.segments)[0]?.words[0]?.value === assignment;
    if (!asProgram) expect(line.unseen).toEqual(expect.any(String));
    expect(await unseenIn(`env ${assignment} sh -c 'a'`)).toEqual(expect.any(String));
  });
});
