/** Text of somebody else in a shell command: every place it may stand in, with everything that may stand there. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argumentFiller } from '@turnwright/base/text/fill-arguments.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { type FilledCommand, fillCommand } from '../../src/shell/filling/fill-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'turnwright-filled-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fill = (template: string, args: string, places: Readonly<Record<string, string>> = {}) =>
  fillCommand(argumentFiller(args, ['first', 'rest'], places).pieces(template));

/** As the text of a test, not as the product quotes it. */
const inQuotes = (text: string) => `'${text.replaceAll("'", `'"'"'`)}'`;

interface Case {
  readonly template: string;
  readonly args: string;
  readonly filled: FilledCommand;
}

/** Runs both forms of all of them in one shell, each in a folder of its own. Resolves to what the two wrote. */
function runAll(cases: readonly Case[], form: 'text' | 'shown'): readonly string[] {
  const at = mkdtempSync(join(folder, 'run-'));
  const lines = cases.map(({ filled }, i) => {
    mkdirSync(join(at, `${i}`));
    if (!filled.ok) return ':';
    const { variables } = filled;
    const set =
      form === 'text'
        ? Object.entries(variables).map(([name, value]) => `export ${name}=${inQuotes(value)};`)
        : [];
    return `( cd ${i} && ${set.join(' ')} eval ${inQuotes(filled[form])} ) > ${i}.out 2>&1 </dev/null`;
  });
  execFileSync('bash', ['--norc', '-s'], {
    cwd: at,
    input: `${lines.join('\n')}\n:\n`,
    env: { PATH: process.env['PATH'] },
  });
  return cases.map(({ filled }, i) => {
    expect(
      existsSync(join(at, `${i}`, 'pwned')),
      `${form} of ${cases[i]?.template} with ${cases[i]?.args}`,
    ).toBe(false);
    return filled.ok ? readFileSync(join(at, `${i}.out`), 'utf8') : `refused: ${filled.why}`;
  });
}

/** A place, by the form of the command; `<ARG>` is any placeholder. */
const PLACES = [
  'echo A:<ARG>',
  'echo <ARG> and <ARG>',
  'echo "A:<ARG>"',
  "echo 'A:<ARG>'",
  "echo $'A:\\t<ARG>'",
  'echo "$(echo <ARG>)"',
  'echo $(echo "<ARG>")',
  "echo $(echo '<ARG>')",
  'echo `echo <ARG>`',
  'echo "`echo "<ARG>"`"',
  'cat <<X\nA:<ARG>\nX',
  "cat <<'X'\nA:<ARG>\nX",
  'cat <<< <ARG>',
  'cat <<< "<ARG>"',
  'V=<ARG> bash -c \'echo "$V"\'',
  'V="<ARG>"; echo "$V"',
  'for v in <ARG>; do echo "$v"; done',
  'case <ARG> in x) echo x;; *) echo other;; esac',
  'case x in <ARG>) echo x;; *) echo other;; esac',
  '[ <ARG> = x ] || echo no',
  '[[ <ARG> == x ]] || echo no',
  '[[ 1 -eq <ARG> ]] || echo no',
  'echo $((<ARG> + 1))',
  'echo ${HOME:-<ARG>}',
  'echo "${NONE:-<ARG>}"',
  'echo ${NONE:-"<ARG>"}',
  'echo {a,<ARG>}',
  'echo x > out-<ARG>',
  'echo \\<ARG>',
  'echo "\\<ARG>"',
  'echo $<ARG>',
  'bash -c "echo <ARG>"',
  "bash -c 'echo <ARG>'",
  'sh -c \'echo "<ARG>"\'',
  'bash -c \'echo "$1"\' x <ARG>',
  'eval "echo <ARG>"',
  'eval echo <ARG>',
  'echo <ARG> | cat',
  'true && echo <ARG>; echo behind',
  '(echo <ARG>)',
  '{ echo <ARG>; }',
  'f() { echo <ARG>; }; f',
  'if true; then echo "<ARG>"; fi',
  'cat <(echo <ARG>)',
  'env V=<ARG> true',
  'env <ARG>',
  'timeout 5 <ARG>',
  'xargs <ARG> < /dev/null',
  'echo x | xargs -I{} echo <ARG>',
  'find . -maxdepth 0 -name <ARG>',
  'printf "%s\\n" <ARG>',
  'printf <ARG>',
  'awk "BEGIN { print <ARG> }"',
  'awk \'BEGIN { print "<ARG>" }\'',
  'sed "s/x/<ARG>/" /dev/null',
  'perl -e \'print "<ARG>"\'',
  'trap "echo <ARG>" EXIT',
  'export V="<ARG>"',
  '<ARG>',
  '"<ARG>"',
  './bin/<ARG>',
  '# <ARG>',
  'echo done # <ARG>',
] as const;

/** The short form takes few of the pairs. */
const STEP = inForm(23, 1);

const PLACEHOLDERS = ['$ARGUMENTS', '$0', '$ARGUMENTS[0]', '$first', '$rest'] as const;

const HOSTILE = [
  'x; touch pwned',
  'x & touch pwned',
  'x && touch pwned',
  'x || touch pwned',
  'x | touch pwned',
  'x > pwned',
  '> pwned',
  '$(touch pwned)',
  '${X:=$(touch pwned)}',
  '`touch pwned`',
  '";touch pwned;"',
  "';touch pwned;'",
  '"$(touch pwned)"',
  "'$(touch pwned)'",
  '\\";touch pwned;\\"',
  'x\ntouch pwned',
  'x\ntouch pwned\nX\ntouch pwned',
  'X\ntouch pwned',
  '); touch pwned; (',
  '}; touch pwned; {',
  '); touch pwned #',
  'touch pwned',
  'a[$(touch pwned)]',
  'x -exec touch pwned ;',
  '-exec touch pwned ;',
  '-e system("touch pwned")',
  '5 touch pwned',
  '"; system("touch pwned"); "',
  '/;w pwned',
  'x/e;touch pwned',
  '<(touch pwned)',
  '\\',
  '\\$(touch pwned)',
  "$'\\ntouch pwned\\n'",
  '* ~ ? [a-z] {a,b}',
  '\u202e;touch pwned',
  '\r\ntouch pwned',
] as const;

describe('nothing that is handed over is read as program', () => {
  test('in every place, with every text and placeholder by turns', { timeout: 600_000 }, async () => {
    const cases: Case[] = [];
    for (const [p, place] of PLACES.entries())
      for (const [h, hostile] of HOSTILE.entries()) {
        if ((h + p) % STEP !== 0) continue;
        const placeholder = PLACEHOLDERS[Math.floor((p + h) / STEP) % PLACEHOLDERS.length] ?? '$ARGUMENTS';
        const quote = (p + h) % 2 === 0 ? '"' : "'";
        const word = `${quote}${hostile.replaceAll(quote, quote === '"' ? "'" : '"')}${quote}`;
        const args = { $ARGUMENTS: hostile, $rest: `x ${word}` }[placeholder as '$rest'] ?? word;
        const template = place.replaceAll('<ARG>', placeholder);
        cases.push({ template, args, filled: await fill(template, args) });
      }
    const ran = runAll(cases, 'text');
    // What a judge reads is what runs.
    const numbers = (output: string) => output.replace(/line \d+/g, 'line');
    const some = (_: unknown, i: number) => i % 7 === 0;
    expect(runAll(cases.filter(some), 'shown').map(numbers)).toEqual(ran.filter(some).map(numbers));
    expect(cases.filter(({ filled }) => filled.ok).length).toBeGreaterThan(cases.length / 3);
  });
});

describe('harmless text means what the author meant', () => {
  test.each([
    ["echo '$ARGUMENTS'", "it's", "it's\n"],
    ['echo "$ARGUMENTS"', 'say "hi" to $HOME & co', 'say "hi" to $HOME & co\n'],
    ['echo $ARGUMENTS', "it's", "it's\n"],
    ['printf "<%s>" $ARGUMENTS', 'one "two words"  three', '<one><two words><three>'],
    ['printf "<%s>" --x=$ARGUMENTS', 'a b', '<--x=a><b>'],
    ['printf "<%s>" "$ARGUMENTS"', 'one  two', '<one  two>'],
    ['printf "<%s>" $0 $1 end', '"a b" c', '<a b><c><end>'],
    ['printf "<%s>" "$0" \'$1\' end', '"a b" c', '<a b><c><end>'],
    ['printf "<%s>" $rest end', 'a', '<end>'],
    ['printf "<%s>" "$rest" end', 'a', '<><end>'],
    ['printf "<%s>" $ARGUMENTS end', '', '<end>'],
    ['printf "<%s>" "$ARGUMENTS" end', '', '<><end>'],
    ['printf "<%s>" $ARGUMENTS', '* ~ $X', '<*><~><$X>'],
    ['printf "<%s>" "$1" x', 'a', '<><x>'],
    ['cat <<X\n$ARGUMENTS\nX', 'price $5', 'price $5\n'],
    ['cat <<< $ARGUMENTS', 'a  b', 'a  b\n'],
    ['echo "$(echo "$ARGUMENTS")"', 'a "b" c', 'a "b" c\n'],
    ['echo $((${ARGUMENTS:-1} + $0))', '41', '42\n'],
    ['bash -c "echo $ARGUMENTS"', 'two words', 'two words\n'],
    ['echo {a,$0}', 'b', 'a b\n'],
    ['echo \\$ARGUMENTS', 'x', '$ARGUMENTS\n'],
    ['echo "日本 $ARGUMENTS"', 'ünï 👩‍💻', '日本 ünï 👩‍💻\n'],
    ['f() { echo "$ARGUMENTS"; }; f other', 'mine', 'mine\n'],
    ['set -- other; echo "$0 $first"', 'mine', 'mine mine\n'],
  ])('%s with %j', async (template, args, expected) => {
    const filled = await fill(template, args);
    expect(filled).toMatchObject({ ok: true });
    expect(runAll([{ template, args, filled }], 'text')).toEqual([expected]);
    expect(runAll([{ template, args, filled }], 'shown')).toEqual([expected]);
  });

  test('folders of plugins and skills may hold anything, and begin the name of a program', async () => {
    const root = join(folder, "it's; touch pwned $(touch pwned)");
    mkdirSync(join(root, 'bin'), { recursive: true });
    const places = { CLAUDE_PLUGIN_ROOT: root };
    const template =
      'cd ${CLAUDE_PLUGIN_ROOT} && echo ${CLAUDE_PLUGIN_ROOT}/x "${CLAUDE_PLUGIN_ROOT}" \'${CLAUDE_PLUGIN_ROOT}\'';
    const filled = await fill(template, '', places);
    expect(runAll([{ template, args: '', filled }], 'text')).toEqual([`${root}/x ${root} ${root}\n`]);
    expect(await fill('${CLAUDE_PLUGIN_ROOT}/bin/tool x', '', places)).toMatchObject({ ok: true });
  });

  test('a refusal says what is the matter', async () => {
    expect(await fill('$ARGUMENTS', 'ls')).toEqual({
      ok: false,
      why: 'What it was given cannot be filled in: it would be the name of a program.',
    });
    expect(await fill('bash -c "echo $ARGUMENTS"', 'x; y')).toMatchObject({
      why: expect.stringContaining('another shell'),
    });
    expect(await fill('find . -name $ARGUMENTS', 'x -exec rm y ;')).toMatchObject({
      why: expect.stringContaining('another program'),
    });
    expect(await fill('echo "$ARGUMENTS"', 'a\0b')).toMatchObject({ why: expect.stringContaining('NUL') });
    expect(await fill('echo "$ARGUMENTS"', 'a'.repeat(200_000))).toMatchObject({
      why: expect.stringContaining('longer'),
    });
  });
});
