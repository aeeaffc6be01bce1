/** scripts/surface.mjs on a small pair of declarations. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
// @ts-expect-error a program without declarations
import { missingNames } from '../../scripts/surface.mjs';

const THEIRS = `
/** A comment with \`words: string\` and 'quotes'. */
export declare type Options = {
    model?: string;
    /** gone?: string */
    dialect?: 'plain' | 'broad-one';
    readonly hooks: { [k: string]: unknown; matcher?: string };
};
export declare function query(given: Options): Query;
export declare function warmUp(): void;
declare interface Query {
    interrupt(): Promise<void>;
    rewind<T>(to: T): void;
    'odd-key': 1;
}
export declare const EVENTS: readonly ['Start', 'Stop'];
`;
const OURS = `
export interface QueryOptions { readonly model?: string; hooks: unknown; matcher: 'plain' }
export function query() {} // dialect
interrupt(); const k = 'odd-key'; const e = ['Start'];
`;

it('a name is missing that stands neither in the code nor in the guide', () => {
  const missing = missingNames({ theirs: THEIRS, ours: [OURS], guide: 'There is no `rewind()`.' });
  expect(missing).toEqual([
    ['dialect', ['Options']],
    ['broad-one', ['Options']],
    ['warmUp', ['warmUp']],
    ['EVENTS', ['EVENTS']],
    ['Stop', ['EVENTS']],
  ]);
});

it('what a fence shows explains nothing, and what was there before is not new', () => {
  const guide = '```ts\nrewind, dialect\n```\n`Stop`';
  const since = THEIRS.replace('warmUp', 'coolDown');
  expect(missingNames({ theirs: THEIRS, ours: [OURS], guide, since })).toEqual([['warmUp', ['warmUp']]]);
});

it('the command lists them by the declaration, and ends with 1', () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwright-surface-'));
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const run = (guide: string): { readonly status: number; readonly out: string } => {
    const given = [
      file('theirs.d.ts', THEIRS),
      '--ours',
      file('ours.ts', OURS),
      '--guide',
      file('guide.md', guide),
    ];
    try {
      return {
        status: 0,
        out: execFileSync('node', ['scripts/surface.mjs', ...given], { encoding: 'utf8' }),
      };
    } catch (error) {
      const { status, stdout } = error as { status: number; stdout: string };
      return { status, out: stdout };
    }
  };
  expect(run('`rewind`')).toEqual({
    status: 1,
    out: 'Options: dialect, broad-one\nwarmUp: warmUp\nEVENTS: EVENTS, Stop\n5 names are missing.\n',
  });
  expect(run('`rewind` `dialect` `broad-one` `warmUp` `EVENTS` `Stop`')).toEqual({
    status: 0,
    out: '0 names are missing.\n',
  });
});
