/** `durability: 'power'`: what a recorded result says is on the disk has to be there after a loss of power. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { engineUnderTest } from '@turnwright/test/engine/engine-under-test.ts';
import { callTool, reply, say } from '@turnwright/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { builtinTools } from '../../src/tools/builtin/index.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'turnwright-durability-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** Whether each replaced file was synced, by its name. */
async function syncsOf(durability: 'process' | 'power'): Promise<Record<string, boolean>> {
  const synced: Record<string, boolean> = {};
  const files: PersistentFiles = {
    ...nodeFiles,
    async writeAtomic(path, data, options) {
      await nodeFiles.writeAtomic(path, data, options);
      synced[path.slice(cwd.length + 1)] = options?.sync === true;
    },
  };
  const write = callTool('Write', { file_path: join(cwd, 'a.txt'), content: 'written' }, { id: 'call_1' });
  const { engine, run } = engineUnderTest([reply([write]), say('Done.')], {
    cwd,
    files,
    durability,
    tools: builtinTools({}, (name) => name === 'Write'),
  });
  await run('Write it.');
  await engine.close();
  return synced;
}

it('power: a file that a tool writes is synced before its result is recorded', async () => {
  expect(await syncsOf('power')).toEqual({ 'a.txt': true });
});

it('process: it is written without waiting for the disk', async () => {
  expect(await syncsOf('process')).toEqual({ 'a.txt': false });
});
