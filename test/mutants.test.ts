/** `npm run mutate`: which changes it makes, and that its list of equivalent ones is up to date. */

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const scripts = new URL('../scripts/mutate/', import.meta.url);
const { allMutants, mutantsOf } = await import(new URL('mutants.mjs', scripts).href);
const { equivalents } = await import(new URL('equivalents.mjs', scripts).href);
const { filesBelow, SOURCES } = await import(new URL('reach-map.mjs', scripts).href);

interface Mutant {
  readonly id: number;
  readonly file: string;
  readonly change: string;
}

const changesOf = (code: string): readonly string[] =>
  mutantsOf('a.ts', code).mutants.map(({ change }: Mutant) => change);

it.each([
  ['const a = b < 1;', ['b < 1 → b <= 1']],
  ['const a = b >= (c ?? 1);', ['b >= (c ?? 1) → b > (c ?? 1)', 'c ?? 1 → c']],
  ['const a = b === c;', ['b === c → b !== c']],
  ['const a = b + 1 - c * 2;', ['b + 1 - c * 2 → b + 1 + c * 2', 'b + 1 → b - 1', 'c * 2 → c / 2']],
  ['const a = `x` + b;', []],
  ['const a = b || c && d;', ['b || c && d → (b) && (c && d)', 'c && d → (c) || (d)']],
  ['const a = !b;', ['!b → b']],
  ['const a: true | undefined = true;', ['true → false']],
  ['if (a) b();', ['a → true', 'a → false', 'b(); → removed']],
  ['while (true) await b();', ['true → false', 'await b(); → removed']],
  ['const f = () => { return 1; };', ['return 1; → removed']],
  ['i++; i += 2; s += "x";', ['i++ → i--', 'i += 2 → i -= 2']],
  ["type A = { readonly b: true }; interface C { d: 'e' extends 'f' ? 1 : 2 }", []],
])('%s', (code, changes) => {
  expect(changesOf(code)).toEqual(changes);
});

it('puts all of them into the code, of which one is active', () => {
  const { code, mutants } = mutantsOf('a.ts', 'const f = () => { return a < 1 && !b; };', 7);
  const run = new Function('a', 'b', '__mutant', `${code} return f();`);
  expect(mutants.map(({ id }: Mutant) => id)).toEqual([7, 8, 9, 10]);
  const results = [-1, 7, 8, 9, 10].map((active) => run(1, false, (id: number) => id === active));
  expect(results).toEqual([false, undefined, true, true, false]);
});

it('lists no mutant as equivalent that does not exist, and none without a reason', () => {
  const root = fileURLToPath(new URL('../', import.meta.url));
  const sources = SOURCES.flatMap((folder: string) => filesBelow(root, folder, '.ts'));
  const { mutants } = allMutants(root, sources);
  expect(mutants.length).toBeGreaterThan(1000);
  expect(equivalents(mutants).stale).toEqual([]);
  const entry = { file: mutants[0].file, text: 'no such line', change: 'a → b', reason: 'none' };
  expect(equivalents(mutants, [entry]).stale).toEqual([entry]);
});

it.each([
  ['const f = () => { if (a) return; b(); };', 0],
  ['const f = () => { for (;;) return; };', 0],
  ['const f = () => { b(); return 1; };', 0],
  ['const f = () => { if (a) { return; } else return undefined; };', 2],
  ['async function f() { try { await b(); return; } catch { return undefined; } }', 2],
  ['function f() { try { return; } finally { b(); } }', 0],
])('%s has %i changes that are none: nothing follows a return of nothing', (code, count) => {
  const { mutants } = mutantsOf('a.ts', code);
  const none = mutants.filter(({ isNoChange }: { readonly isNoChange: boolean }) => isNoChange);
  expect(none).toHaveLength(count);
  expect(equivalents(mutants, []).ids.size).toBe(count);
});
