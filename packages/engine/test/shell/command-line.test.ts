import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/shell/reading/command-line.ts';
import { everySegment } from '../../src/shell/reading/segment.ts';

/** Each command as its known words, `?` for one that only the shell knows. */
const commandsOf = async (command: string) =>
  everySegment((await readCommandLine(command)).segments).map(({ words }) =>
    words.map(({ value }) => value ?? '?').join(' '),
  );
const unseenIn = async (command: string) => (await readCommandLine(command)).unseen;

describe('what a line runs', () => {
  it.each([
    ['git status && rm -rf x', ['git status', 'rm -rf x']],
    ['a; b & c | d |& e || f\ng', ['a', 'b', 'c', 'd', 'e', 'f', 'g']],
    ['echo "…$(rm y)…" `b`', ['echo ? ?', 'rm y', 'b']],
    ['echo ${x:-$(rm y)}', ['echo ?', 'rm y']],
    ['diff <(a) >(b)', ['diff ? ?', 'a', 'b']],
    ['cat <<E\n$(rm y)\nE', ['cat', 'rm y']],
    ["cat <<'E'\n$(rm y)\nE", ['cat']],
    [`r''m "y" r\\m r\\\nm`, ['rm y rm rm']],
    ['if a; then (b); else { c; }; fi', ['a', 'b', 'c']],
    ['for x in *; do rm "$x"; done', ['rm ?']],
    ['case a in b) c;; esac', ['c']],
    ["git commit -m 'a; b | c > d'", ['git commit -m a; b | c > d']],
    ['ls *.ts ~/x {a,b} $X', ['ls ? ? ? ?']],
    ['sudo -u root rm y', ['sudo -u root rm y', 'rm y']],
    ['timeout -s KILL 5 nice -n 3 rm y', ['timeout -s KILL 5 nice -n 3 rm y', 'nice -n 3 rm y', 'rm y']],
    [`bash -ec 'a; rm y'`, ['bash -ec a; rm y', 'a', 'rm y']],
    [`sh -c "bash -c 'rm y'"`, ["sh -c bash -c 'rm y'", 'bash -c rm y', 'rm y']],
    ['watch rm y', ['watch rm y', 'rm y']],
    ['find . -exec rm {} +', ['find . -exec rm {} +', 'rm ?']],
    ['env A=1 rm y', ['env A=1 rm y', 'rm y']],
  ])('F85 F87 %j', async (command, commands) => {
    expect(await unseenIn(command)).toBeUndefined();
    expect((await commandsOf(command)).toSorted()).toEqual(commands.toSorted());
  });

  it('tells which way a redirect goes', async () => {
    const [segment] = (await readCommandLine('a <b >c >>d >|e &>f 3<>g >&h 2>&1 3>&- >$X')).segments;
    expect(segment?.redirects.map(({ direction, path }) => `${direction} ${path}`)).toEqual([
      'read b',
      ...'cdef'.split('').map((path) => `write ${path}`),
      'read g',
      ...'gh'.split('').map((path) => `write ${path}`),
      'write undefined',
    ]);
  });

  it('knows where a command may run', async () => {
    const { segments } = await readCommandLine('cd a && b; cd /c; cd d; e; cd $X; f');
    expect(segments.map(({ folders }) => folders?.join(' '))).toEqual([
      '',
      ' a',
      ' a',
      ' a /c',
      ' a /c d a/d /c/d',
      ' a /c d a/d /c/d',
      undefined,
    ]);
  });
});

describe('what cannot be seen', () => {
  it.each([
    ['test 63', `$'\\x72m' y`],
    ['test 64', 'X=rm; $X y'],
    ['test 64', '{rm,y}'],
    ['test 64', '${Z:-rm} y'],
    ['test 64', 'cat$IFS/etc/passwd'],
    ['test 60', 'echo $((a[$(rm y)]))'],
    ['test 60', 'a=(1 $(rm y))'],
    ['test 60', 'echo $((1+1)) $(rm y)'],
    ['test 65', "env -S 'rm y'"],
    ['test 65', 'sudo $X'],
    ['test 71', 'export PATH=/tmp; ls'],
    ['test 71', 'typeset x=1'],
    ['test 71', 'declare x=1'],
    ['test 71', 'alias ls=rm; ls'],
    ['test 71', `trap 'rm y' EXIT`],
    ['test 71', 'ls(){ rm y; }; ls'],
    ['test 71', 'for PATH in /tmp; do ls; done'],
    ['test 73', `printf -v 'a[$(id)]' x`],
    ['test 73', `test -v 'a[$(id)]'`],
    ['test 73', `[[ a -eq 'x[$(id)]' ]]`],
    ['test 73', 'echo ${x@P}'],
    ['test 73', 'echo $((x))'],
    ['test 74', 'pushd /etc'],
    ['test 74', 'for i in 1 2; do echo x > f; cd .claude; done'],
    ['test 75', 'a {fd}>f'],
    ['test 77', 'x'.repeat(10_001)],
    ['test 77', `${'$('.repeat(4_000)}`],
    ['test 77', `${'$('.repeat(2_400)}a${')'.repeat(2_400)}`],
    ['test 77', `${'('.repeat(4_900)}a${')'.repeat(4_900)}`],
    ['test 77', 'a;'.repeat(201)],
    ...['\r', '\f', '\u00a0', '\u200b', '\0', '\u202e', '\u3164', '\ud800'].map((char) => [
      'test 78',
      `ls ${char}x`,
    ]),
    ...["'$(rm y)'", '"$x"', "'$x'", 'w\\\\5', '~', "'`rm y`'"].map((word) => ['F85', `a >& ${word}`]),
    ['F85', "a 3<&'$(rm y)'"],
    ...['"$\\\n{x:-b}"', '"$\\\n(b)"', '$x\\\ny', '"$x\\\n\\\ny"', '2\\\n>w'].map((words) => [
      'F85',
      `a ${words}`,
    ]),
    ['F85', 'a x>(b)y'],
    ['F85', 'curl x | sh'],
    ['F85', 'eval "rm y"'],
    ['F85', 'source x'],
    ['F85', 'bash -c "$X"'],
    ['F85', 'zsh -c ls'],
    ['F85', 'coproc rm y'],
    ['F85', 'ls "a'],
    ['F85', 'echo # $(rm y)'],
    ['S1', 'echo x > a\\'],
    ['S1', 'echo x \\\\\\'],
    ['S1', 'echo $(cat <<E\nE\nls | a; b)'],
  ])('%s: %j', async (_, command) => {
    expect(await unseenIn(command as string)).toEqual(expect.any(String));
  });

  it.each([
    'git commit -m "$(cat <<\'E\'\nwords\nE\n)"',
    'echo x \\\\',
    'echo "héllo – ok"',
    'ls\n',
    '\tls',
    'set -euo pipefail; ls',
    'echo $((1 + 2))',
    'a \\\n  $x \\\n  "$y" b\\\nc >w',
    'a >&w "b" >& "w1" 2>&1 3>&- 4<&0',
  ])('but %j can', async (command) => {
    expect(await unseenIn(command)).toBeUndefined();
  });
});
