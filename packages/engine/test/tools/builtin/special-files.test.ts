/** Tests 94 and 99: what is no plain file is refused by its type before its first byte; what claims no size is bounded. */

import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { isSecretFile } from '@turnwright/base/files/secret-files.ts';
import { isLong } from '@turnwright/test/long-form.ts';
import { contextIn, runDirectly, tempFolder, textOf } from '@turnwright/test/tools/support.ts';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnyTool } from '../../../src/protocol/tools/tool.ts';
import { editTool } from '../../../src/tools/builtin/files/edit.ts';
import { createReadTool } from '../../../src/tools/builtin/files/read.ts';
import { writeTool } from '../../../src/tools/builtin/files/write.ts';
import { notebookEditTool } from '../../../src/tools/builtin/notebook/notebook-edit.ts';
import { createGlobTool } from '../../../src/tools/builtin/search/glob.ts';
import { createGrepTool } from '../../../src/tools/builtin/search/grep.ts';

let folder: Awaited<ReturnType<typeof tempFolder>>;
let cwd = '';
const server = createServer();
beforeAll(async () => {
  folder = await tempFolder();
  cwd = folder.path;
  execFileSync('mkfifo', [join(cwd, 'fifo'), join(cwd, 'fifo.png'), join(cwd, 'fifo.ipynb')]);
  await new Promise<void>((resolve) => server.listen(join(cwd, 'socket'), resolve));
  await mkdir(join(cwd, 'folder'));
  await symlink('/dev/zero', join(cwd, 'zero-link'));
  const sparse = await open(join(cwd, 'sparse'), 'w');
  await sparse.truncate(10 * 1024 ** 3);
  await sparse.close();
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await folder.remove();
});

const CALLS: [string, AnyTool, (path: string) => object][] = [
  ['Read', createReadTool(), (path) => ({ file_path: path })],
  ['Write', writeTool, (path) => ({ file_path: path, content: 'x' })],
  ['Edit', editTool, (path) => ({ file_path: path, old_string: 'a', new_string: 'b' })],
  ['NotebookEdit', notebookEditTool, (path) => ({ notebook_path: path, cell_id: 'a', new_source: 'b' })],
  ['Grep', createGrepTool(), (path) => ({ pattern: 'a', path })],
];

const said = async (tool: AnyTool, input: object) => {
  const { output } = await runDirectly(tool, input, contextIn(cwd)).catch((error: Error) => ({
    output: { data: null, content: `refused: ${error.message}` },
  }));
  return textOf(output);
};

const linux = process.platform === 'linux';

describe.skipIf(process.platform === 'win32').each(CALLS)('%s', (_, tool, input) => {
  test.each([
    'fifo',
    'fifo.png',
    'fifo.ipynb',
    'socket',
    'zero-link',
    'sparse',
    '/dev/zero',
    '/dev/tty',
    '/dev/null',
    ...(linux
      ? [
          '/proc/self/environ',
          '/proc/self/mem',
          '/proc/self/pagemap',
          '/proc/1/environ',
          '/proc/self/task/self/environ',
          '/proc/self/maps',
          '/proc/self/cmdline',
          '/proc/self/fd/0',
          '/dev/fd/0',
          '/dev/stdin',
          ...['/proc/kcore', '/proc/kmsg'].filter((path) => existsSync(path)),
        ]
      : []),
  ])('of %s is refused at once, without a byte of it', async (path) => {
    const text = await said(tool, input(path.startsWith('/') ? path : join(cwd, path)));
    expect(text).toMatch(/^refused: /);
    if (/^\/proc\/(?:self|1|k\w+)(?:\/\w+)?$/.test(path) && !path.endsWith('/fd'))
      expect(text).toMatch(/which file tools do not read|not a notebook/);
  });
});

test.skipIf(!linux)('facts about processes and the machine are read, though they claim no size', async () => {
  expect(await said(createReadTool(), { file_path: '/proc/self/status' })).toContain('VmPeak');
  expect(await said(createReadTool(), { file_path: '/proc/cpuinfo' })).toContain('processor');
  expect(await said(createReadTool({ maxFileBytes: 100 }), { file_path: '/proc/cpuinfo' })).toMatch(
    /has more than 100 bytes/,
  );
});

test.skipIf(!linux).each(['/proc', '/proc/self', '/dev', '/sys/kernel', '/proc/self/fd'])(
  '%s is not walked',
  async (path) => {
    for (const tool of [createGrepTool(), createGlobTool()])
      expect(await said(tool, { pattern: '*', path })).toMatch(/^refused: /);
  },
);

test.each([
  ['/proc/12/environ', true],
  ['/proc/12/task/13/mem', true],
  ['/proc/12/root/etc/passwd', true],
  ['/proc/12/net/tcp', false],
  ['/proc/12/status', false],
  ['/proc/meminfo', false],
  ['/proc/kcore', true],
  ['/dev/fd/3', true],
  ['/home/proc/12/environ', false],
])('%s is another’s own: %s', (path, secret) => {
  expect(isSecretFile(path)).toBe(secret);
});

test.runIf(linux && isLong)('memory stays bounded, whatever is read', async () => {
  await writeFile(join(cwd, 'grown'), Buffer.alloc(300 * 1024 ** 2));
  const script = `
    import { readFileSync } from 'node:fs';
    import { nodeFiles } from ${JSON.stringify(join(import.meta.dirname, '../../../../base/src/files/node-files.ts'))};
    for (const path of ${JSON.stringify([
      '/proc/self/pagemap',
      '/proc/self/mem',
      '/dev/zero',
      '/proc/kallsyms',
      join(cwd, 'sparse'),
      join(cwd, 'grown'),
    ])})
      for (const options of [{}, { cut: true }]) await nodeFiles.readPlain(path, 1024 * 1024, options).catch(() => {});
    // What \`maxRSS\` says may be the size of the process that forked this one.
    console.log(/VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  `;
  const outfile = join(cwd, 'reads.mjs');
  await build({
    stdin: { contents: script, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  const child = spawn(process.execPath, [outfile], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
  await new Promise((resolve) => child.once('close', resolve));
  expect(Number(out), out).toBeLessThan(150 * 1024);
});
