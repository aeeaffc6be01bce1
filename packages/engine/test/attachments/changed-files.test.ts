import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openScope } from '@turnwright/base/async/scope.ts';
import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChangedFilesOptions, changedFiles } from '../../src/attachments/changed-files.ts';
import type { ReadFileCache, ReadFileState } from '../../src/protocol/tools/tool.ts';

const folder = await mkdtemp(join(tmpdir(), 'turnwright-changed-'));
afterAll(() => rm(folder, { recursive: true }));

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const turn = { toolUses: [], results: [], view: PersistentList.from([]), turnCount: 1 };

let cache: Map<string, ReadFileState>;
let mtime = 1_700_000_000;
beforeEach(() => {
  cache = new Map();
});

function watch(options: Partial<ChangedFilesOptions> = {}) {
  const source = changedFiles({
    readFileCache: cache satisfies ReadFileCache,
    files: nodeFiles,
    hash,
    ...options,
  });
  return async () =>
    (await source.collect(turn, openScope())).map(
      ({ attachment }) => attachment as { path: string; snippet: string },
    );
}
/** Writes with an mtime of its own, so that no two writes share one. */
async function write(name: string, text: string | Uint8Array) {
  const path = join(folder, name);
  await writeFile(path, text);
  mtime += 10;
  await utimes(path, mtime, mtime);
  return path;
}
/** What the Read tool leaves behind. */
async function read(path: string) {
  cache.set(path, { hash: hash(await readFile(path)), mtimeMs: (await stat(path)).mtimeMs, partial: false });
}

describe('changed files', () => {
  it('costs nothing when nothing was read', async () => {
    let touched = 0;
    const files = {
      async stat() {
        touched++;
        return undefined;
      },
      readFile: nodeFiles.readFile,
    };
    expect(await watch({ files })()).toEqual([]);
    expect(touched).toBe(0);
  });

  it('tells a change once, with a diff against what the model saw', async () => {
    const collect = watch();
    const path = await write('a.txt', 'one\ntwo\nthree\n');
    await read(path);
    expect(await collect()).toEqual([]);
    await write('a.txt', 'one\n2\nthree\n');
    expect(await collect()).toEqual([
      { type: 'edited_file', path, snippet: '@@ -1,3 +1,3 @@\n one\n-two\n+2\n three' },
    ]);
    expect(await collect()).toEqual([]);
    await write('a.txt', 'one\n2\n3\n');
    expect((await collect())[0]?.snippet).toContain('-three\n+3');
  });

  it('says nothing about what the model wrote itself, or what was only touched', async () => {
    const collect = watch();
    const path = await write('b.txt', 'one\n');
    await read(path);
    await collect();
    await read(await write('b.txt', 'two\n'));
    expect(await collect()).toEqual([]);
    await write('b.txt', 'two\n');
    expect(await collect()).toEqual([]);
    await write('b.txt', 'three\n');
    expect((await collect())[0]?.snippet).toContain('-two\n+three');
  });

  it('a change before the first look has no diff; the hash tells whether there was one', async () => {
    const path = await write('c.txt', 'one\n');
    await read(path);
    await write('c.txt', 'one\n');
    const touched = watch();
    expect(await touched()).toEqual([]);
    await write('c.txt', 'two\n');
    const changed = watch();
    expect((await changed())[0]?.snippet).toContain('not at hand');
  });

  it('never marks a file as read', async () => {
    const collect = watch();
    const path = await write('d.txt', 'one\n');
    await read(path);
    const state = cache.get(path);
    await collect();
    await write('d.txt', 'two\n');
    await collect();
    expect(cache.get(path)).toBe(state);
  });

  it('tells a removal once', async () => {
    const collect = watch();
    const path = await write('e.txt', 'one\n');
    await read(path);
    await collect();
    await rm(path);
    expect(await collect()).toMatchObject([{ path, snippet: 'It no longer exists.' }]);
    expect(await collect()).toEqual([]);
  });

  it('F83 large and binary files, long lines and large changes stay bounded', async () => {
    const collect = watch({ maxDiffBytes: 100_000 });
    const big = await write('big.txt', 'x'.repeat(200_000));
    const binary = await write('binary', new Uint8Array([0xff, 0xfe, 0, 1]));
    const wide = await write('wide.txt', `${'a'.repeat(50_000)}\n`);
    const long = await write('long.txt', Array.from({ length: 3000 }, (_, i) => `line ${i}`).join('\n'));
    for (const path of [big, binary, wide, long]) await read(path);
    await collect();
    await write('big.txt', 'y'.repeat(200_000));
    await write('binary', new Uint8Array([0xff, 0xfe, 0, 2]));
    await write('wide.txt', `${'b'.repeat(50_000)}\n`);
    await write('long.txt', Array.from({ length: 3000 }, (_, i) => `other ${i}`).join('\n'));
    const snippets = new Map((await collect()).map(({ path, snippet }) => [path, snippet]));
    expect([...snippets.keys()].sort()).toEqual([big, binary, wide, long].sort());
    for (const snippet of snippets.values()) expect(snippet.length).toBeLessThan(4200);
    expect(snippets.get(big)).toContain('cannot be shown');
    expect(snippets.get(binary)).toContain('cannot be shown');
  });

  it('looks at the latest files, tells some at a time, forgets none', async () => {
    const collect = watch({ maxWatched: 5, maxReported: 2 });
    const paths: string[] = [];
    for (let i = 0; i < 7; i++) paths.push(await write(`many-${i}.txt`, 'one\n'));
    for (const path of paths) await read(path);
    await collect();
    for (let i = 0; i < 7; i++) await write(`many-${i}.txt`, 'two\n');
    const told = [await collect(), await collect(), await collect(), await collect()].map((changes) =>
      changes.map(({ path }) => path),
    );
    expect(told).toEqual([[paths[6], paths[5]], [paths[4], paths[3]], [paths[2]], []]);
  });

  it('keeps bounded texts in memory', async () => {
    const collect = watch({ maxRememberedBytes: 15 });
    const first = await write('m1.txt', 'aaaaaaaaa\n');
    const second = await write('m2.txt', 'bbbbbbbbb\n');
    await read(second);
    await read(first);
    await collect();
    await write('m1.txt', 'A\n');
    await write('m2.txt', 'B\n');
    const snippets = new Map((await collect()).map(({ path, snippet }) => [path, snippet]));
    expect([...snippets.values()].filter((snippet) => snippet.includes('not at hand'))).toHaveLength(1);
  });
});
