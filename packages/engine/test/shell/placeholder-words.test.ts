// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text
/**
 * Lines written by hand, of each of which real shells run more than its words say at first sight: programs that fill
 * words into the commands they start, braces, words that are expanded twice, lines that are continued.
 */

import { everyNth } from '@turnwright/test/long-form.ts';
import { compare, noFigures } from '@turnwright/test/shell/compare-with-shells.ts';
import { hasShells, runInShell } from '@turnwright/test/shell/real-shells.ts';
import { describe, expect, it } from 'vitest';

/** A line, and one of the commands that it runs. */
const PLACED: readonly (readonly [line: string, runs: string])[] = [
  ['find f1 -exec delta {} \\;', 'delta f1'],
  ['find f1 f2 -exec delta a {} +', 'delta a f1 f2'],
  ['find f1 -exec delta a{}b{} \\;', 'delta af1bf1'],
  ['find f1 -exec delta {}? \\;', 'delta f1?'],
  ['find f1 -exec delta {}* \\;', 'delta f1*'],
  ['find f1 -exec delta a{}[b] \\;', 'delta af1[b]'],
  [`find f1 -exec delta '{}'? \\;`, 'delta f1?'],
  ['find f1 -exec delta \\{}? \\;', 'delta f1?'],
  ['find f1 -exec delta {\\}? \\;', 'delta f1?'],
  ['find f1 -exec delta {""}? \\;', 'delta f1?'],
  ['find f1 -exec delta {}{}? \\;', 'delta f1f1?'],
  ['find f1 -exec delta ~{} \\;', 'delta ~f1'],
  ['find f1 -exec delta {}"$x" \\;', 'delta f1'],
  ['find f1 -exec delta {}$x \\;', 'delta f1'],
  ['find f1 -exec delta "$x{}y" \\;', 'delta f1y'],
  ['find f1 -exec delta {}$((1+1)) \\;', 'delta f12'],
  ['find f1 -exec delta {}"$(alpha)" \\;', 'delta f1'],
  ['find f1 -execdir delta {}? \\;', 'delta ./f1?'],
  ['echo y | find f1 -ok delta {}? \\;', 'delta f1?'],
  ['echo y | find f1 -okdir delta {}? \\;', 'delta ./f1?'],
  ['find f1 -exec timeout 5 delta {}? \\;', 'delta f1?'],
  ['find f1 -exec env delta {}? \\;', 'delta f1?'],
  [`find f1 -exec sh -c 'delta {}?' \\;`, 'delta f1?'],
  [`find f1 -exec sh -c 'delta $0' {}? \\;`, 'delta f1?'],
  ['find f1 -exec xargs -a f1 delta {}? \\;', 'delta f1? x'],
  // Files whose names hold the placeholder.
  [`: > '{}'; find d/f3 -exec delta * \\;`, 'delta d f1 f2 d/f3'],
  [`: > 'a{}'; find d/f3 -exec delta a?? \\;`, 'delta ad/f3'],
  [`: > 'a{}'; find d/f3 -exec delta a\\{? \\;`, 'delta ad/f3'],
  [`: > 'a{}'; find d/f3 -exec delta ?\\} \\;`, 'delta ?}'],
  [`: > 'a{}'; find d/f3 -exec delta ??\\} \\;`, 'delta ad/f3'],
  [`for x in '{}' a; do find d/f3 -exec delta "$x" \\;; done`, 'delta d/f3'],
  [`for x in '{' a; do find d/f3 -exec delta "$x}" \\;; done`, 'delta d/f3'],
  // The program.
  [': > lta; find lta -exec de{} a \\;', 'delta a'],
  [': > lta; find lta -exec env de{} a \\;', 'delta a'],
  // A word that is not known begins or ends the command.
  [`for x in ';' a; do find d/f3 -exec delta "$x" -exec alpha {} \\;; done`, 'alpha d/f3'],
  [`for x in -exec a; do find d/f3 "$x" delta {} \\;; done`, 'delta d/f3'],
  [`for x in '{}' a; do find d/f3 -exec delta "$x" + -exec alpha {} \\;; done`, 'alpha d/f3'],
  [`x=';'; find d/f3 -exec delta "$x" -exec alpha {} \\;`, 'alpha d/f3'],
  [`x=-exec; find f1 "$x" delta {} \\;`, 'delta f1'],
  [`x='-exec delta {} ;'; find f1 $x`, 'delta f1'],
  [': > -exec; : > delta; find -* de* {} \\;', 'delta ./f1'],
  [': > -exec; : > delta; find *e* a \\;', 'delta a'],
  // xargs
  ['echo a | xargs delta b', 'delta b a'],
  ['echo a | xargs -I% delta b%', 'delta ba'],
  ['echo a | xargs -I% delta b%?', 'delta ba?'],
  ['echo a | xargs -I% delta "$x%"', 'delta a'],
  ['echo a | xargs -I % delta %%', 'delta aa'],
  ['echo a | xargs -tI% delta b%', 'delta ba'],
  ['echo a | xargs -i delta b{}', 'delta ba'],
  ['echo a | xargs -i% delta b%', 'delta ba'],
  ['echo a | xargs --replace delta b{}', 'delta ba'],
  ['echo a | xargs --repl=% delta b%', 'delta ba'],
  ['echo a | xargs -I1 -I% delta b%', 'delta ba'],
  ['echo a | xargs -I% -n2 delta b', 'delta b a'],
  ['echo a | xargs -I% -L1 delta b', 'delta b a'],
  ['x=b; echo a | xargs -I "$x" delta b', 'delta a'],
  ['x=b; echo a | xargs -I$x delta b', 'delta a'],
  ['echo a | xargs --max-a 1 delta', 'delta a'],
  ['echo a | xargs --process-slot-var X delta', 'delta a'],
  ['echo a | xargs -n 1 -P2 -d "\\n" delta', 'delta a'],
  ['echo a | xargs -I% sh -c "delta %"', 'delta a'],
  ['echo delta | xargs -I% env % b', 'delta b'],
  ['echo delta | xargs env', 'delta'],
  ['echo -exec delta \\\\\\; | xargs find f1', 'delta'],
  // Options that are cut short, and their values.
  ['timeout --sig KILL 5 delta a', 'delta a'],
  ['timeout -vk 1 5 delta a', 'delta a'],
  ['nice --adj 5 delta a', 'delta a'],
  ['env --uns X -C d delta a', 'delta a'],
];

/** Braces are expanded before anything else is, so a name or a pattern may begin in one and end behind it. */
const BRACES: typeof PLACED = [
  ['q=z; delta p{a$,b}q', 'delta paz pbq'],
  ['q=z; delta p{a,b$}{q,r}', 'delta paq par pbz pb'],
  ['q=z; delta p{a$,b}"q"', 'delta pa$q pbq'],
  ['delta f{[1,b}]', 'delta f1 fb]'],
  ['delta a{b,c}[f1]', 'delta ab[f1] ac[f1]'],
  [': > f; delta [f{1,2}]', 'delta f f'],
  ['xb=push; for x in a; do delta $x{b,c}; done', 'delta push'],
  ['for x in a; do delta ${x}{b,c}; done', 'delta ab ac'],
  ['for x in a; do delta "$x"{b,c}; done', 'delta ab ac'],
  ['q="a b/c"; delta [$q]', 'delta [a b/c]'],
  ['delta w[/]1', 'delta w[/]1'],
  // Quotes inside the word of an expansion end the quotes around it, so this brace doubles the whole word.
  ['delta "${y:+"p{a,b}q"}b" f1', 'delta b b f1'],
  ['delta "${y:+"p{1..3}q"}b"', 'delta b b b'],
  ['delta "${y:-"{a,b}"}"', 'delta a b'],
  ['delta ${y:-{a,b}}', 'delta {a,b}'],
  ['alpha "`delta "{a,b}"`"', 'delta a'],
  ['alpha "${y:-"{`delta a,b`}"}"', 'delta a,b'],
];

/** Lines are joined before names and operators are looked for. */
const CONTINUED: typeof PLACED = [
  ['delta "$\\\n{doy:+-x}b"', 'delta b'],
  ['y=b; delta "$\\\ny"', 'delta b'],
  ['y=a; yy=b; delta "$y\\\ny"', 'delta b'],
  ['for x in a b; do delta "$\\\nx"; done', 'delta a'],
  ['xy=push; for x in a; do delta $x\\\ny; done', 'delta push'],
  ['delta 2\\\n>w1', 'delta'],
  ['delta a \\\n  b\\\nc', 'delta a bc'],
  ['del\\\nta "a\\\nb"', 'delta ab'],
];

/** bash expands the word behind `>&` twice. */
const TWICE: typeof PLACED = [
  [`alpha >& 'w$(delta a)'`, 'delta a'],
  ["alpha >& 'w`delta a`'", 'delta a'],
  ['x=\'$(delta a)\'; alpha >& "$x"', 'delta a'],
  ['alpha >& w1', 'alpha'],
  ['alpha 2>&1 >& "w1"', 'alpha'],
  [`alpha >& 'w1' a`, 'alpha a'],
  ['alpha 3>&- 2>&1', 'alpha'],
];

async function expectSeen(shell: 'bash' | 'dash', table: typeof PLACED): Promise<void> {
  const lines = table.map(([line]) => line);
  const outcomes = await runInShell(shell, lines);
  const figures = noFigures();
  for (const [i, line] of lines.entries()) {
    const outcome = outcomes[i] ?? { ran: [], made: [] };
    expect(
      outcome.ran.map((words) => words.join(' ')),
      line,
    ).toContain(table[i]?.[1]);
    await compare(shell === 'bash' ? 'bash' : 'sh', line, outcome, figures);
  }
  expect(figures.unseen).toEqual([]);
  expect(figures.seenWhole).toBeGreaterThan(lines.length / 5);
}

describe.skipIf(!hasShells)('what real shells run was seen', () => {
  it.each(['bash', 'dash'] as const)('where %s starts a program that fills in words', async (shell) => {
    await expectSeen(shell, everyNth(14, PLACED));
  });

  it('where a brace runs on behind its end', async () => {
    await expectSeen('bash', everyNth(3, BRACES));
  });

  it.each(['bash', 'dash'] as const)('where a line is continued in %s', async (shell) => {
    await expectSeen(shell, everyNth(3, CONTINUED));
  });

  it('where a word is expanded twice', async () => {
    await expectSeen('bash', everyNth(3, TWICE));
  });
});
