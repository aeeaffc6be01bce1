// Packs the package, lays it out as an installed dependency, and checks what a consumer would meet:
// exports that resolve, types that compile with skipLibCheck off, a light import, no stray files.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { layOutPackage, pack } from './pack.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const failures = [];
const DOCUMENTS = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE'];
const folder = mkdtempSync(join(tmpdir(), 'turnwright-package-'));
try {
  const staged = join(folder, 'package');
  const manifest = layOutPackage(staged);
  const { messages, pkg } = await publint({ pkgDir: staged, strict: true });
  for (const message of messages) {
    const text = formatMessage(message, pkg);
    if (message.type === 'suggestion') console.log(`publint suggests: ${text}`);
    else failures.push(`publint: ${text}`);
  }
  for (const field of ['repository', 'homepage', 'bugs', 'keywords', 'author', 'license'])
    if (manifest[field] === undefined) failures.push(`package.json has no ${field}`);

  const packed = pack(staged, folder);
  // Promised are ES modules: to Node's import and to bundlers. `require` of them is Node's own affair, and
  // resolution without `exports` is older than they are.
  const attw = await checkPackage(createPackageFromTarballData(readFileSync(join(folder, packed.filename))));
  if (attw.types === false) failures.push('attw: the package has no types');
  for (const problem of attw.problems ?? []) {
    if (!['node10', 'node16-cjs'].includes(problem.resolutionKind))
      failures.push(`attw: ${JSON.stringify(problem)}`);
  }
  const declarations = packed.files.filter(({ path }) => path.endsWith('.d.ts'));
  const typed = Object.values(manifest.exports).filter(({ types }) => types !== undefined);
  if (declarations.length !== typed.length + 1)
    failures.push(`${declarations.length} declaration files for ${typed.length} doors and what they share`);

  const plain = join(folder, 'plain');
  for (const name of [
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'scripts',
    'packages',
    'docs',
    ...DOCUMENTS,
  ])
    cpSync(join(root, name), join(plain, name), { recursive: true });
  // Those of others are shared with the clone; the packages of the workspace are the copied ones.
  mkdirSync(join(plain, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')).filter((one) => one !== '@turnwright'))
    symlinkSync(join(root, 'node_modules', name), join(plain, 'node_modules', name));
  mkdirSync(join(plain, 'node_modules/@turnwright'));
  for (const name of readdirSync(join(plain, 'packages')))
    symlinkSync(join(plain, 'packages', name), join(plain, 'node_modules/@turnwright', name));
  const before = readFileSync(join(plain, 'package.json'), 'utf8');
  execFileSync('npm', ['pack', '--silent'], { cwd: plain, stdio: ['ignore', 'ignore', 'inherit'] });
  const entry = execFileSync('tar', ['-xzOf', join(plain, packed.filename), 'package/package.json']);
  const packedManifest = JSON.parse(entry.toString());
  const ofTheClone = ['scripts', 'devDependencies', 'workspaces'].filter((field) => field in packedManifest);
  if (ofTheClone.length > 0) failures.push(`\`npm pack\` in a clone packs a manifest with ${ofTheClone}`);
  if (readFileSync(join(plain, 'package.json'), 'utf8') !== before)
    failures.push('`npm pack` in a clone leaves its manifest changed');

  const MAX_UNPACKED = 5.0e6;
  if (packed.unpackedSize > MAX_UNPACKED)
    failures.push(`the package has ${packed.unpackedSize} bytes unpacked, more than ${MAX_UNPACKED}`);
  const stray = packed.files
    .map((file) => file.path)
    .filter(
      (path) => !/^dist\/(?!.*\.map$)/.test(path) && path !== 'package.json' && !DOCUMENTS.includes(path),
    );
  if (stray.length > 0) failures.push(`files that do not belong into the package: ${stray.join(', ')}`);
  console.log(`package: ${packed.files.length} files, ${(packed.unpackedSize / 1e6).toFixed(2)} MB unpacked`);

  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'turnwright'), { recursive: true });
  execFileSync('tar', [
    '-xzf',
    join(folder, packed.filename),
    '-C',
    join(modules, 'turnwright'),
    '--strip-components=1',
  ]);
  for (const name of ['zod', '@vscode', '@types', 'undici-types'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name));

  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'consumer.ts'),
    `import { query, tool, createSdkMcpServer, QueryEngine, TERMINAL_REASONS, type AnyTool, type CanUseTool, type HookCallback, type InterruptReceipt, type McpServerConfig, type Options, type Query, type SDKMessage, type SDKResultMessage, type SDKUserMessage, type SessionStore, type WarmQuery } from 'turnwright';
import { startRehearsal } from 'turnwright/rehearsal';
import { scriptedModel, virtualClock } from 'turnwright/testing';
import { z } from 'zod';

type IsAny<T> = 0 extends 1 & T ? true : false;
type Public = [Options, Query, SDKMessage, SDKResultMessage, SDKUserMessage, CanUseTool, HookCallback, McpServerConfig, AnyTool, SessionStore, WarmQuery, InterruptReceipt, ResultsOf<Query>];
type ResultsOf<T> = { [K in keyof T]: T[K] extends (...given: never[]) => infer R ? R : never }[keyof T];
type Collapsed<T extends readonly unknown[]> = T extends readonly [infer First, ...infer Rest] ? IsAny<First> | Collapsed<Rest> : never;
export const collapsed: Collapsed<Public> = false;
// @ts-expect-error none of them is any
export const some: Collapsed<Public> = true;
export function told(message: SDKMessage): string {
  if (message.type !== 'system') return message.type;
  if (message.subtype === 'init') return message.model;
  // @ts-expect-error by its subtype it is told from the others: only init has a model
  message.model;
  if (message.subtype === 'compact_boundary') return message.compact_metadata.trigger;
  if (message.subtype === 'task_notification') return message.status;
  return message.subtype;
}

export async function run(): Promise<string> {
  const server = createSdkMcpServer({ name: 's', tools: [tool('t', 'd', { n: z.number() }, async ({ n }) => ({ content: [{ type: 'text', text: String(n.toFixed(1)) }] }))] });
  for await (const message of query({ prompt: 'x', options: { mcpServers: { s: server } } })) {
    if (message.type === 'result') {
      if (message.subtype === 'success') return message.result;
      return message.errors.join();
    }
    if (message.type === 'system' && message.subtype === 'init') message.tools.length;
    const narrow: SDKMessage['type'] = message.type;
    // @ts-expect-error the union is not any
    message.doesNotExist;
    void narrow;
  }
  return [QueryEngine.name, TERMINAL_REASONS.length, startRehearsal.name, scriptedModel.name, virtualClock.name].join();
}
`,
  );
  cpSync(join(root, 'scripts/consumer/doors.ts'), join(folder, 'doors.ts'));
  for (const [module, resolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    const compiled = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        '--noEmit',
        '--strict',
        '--exactOptionalPropertyTypes',
        ...['--skipLibCheck', 'false'],
        ...['--module', module, '--moduleResolution', resolution],
        ...['--target', 'es2023', '--types', 'node'],
        ...['consumer.ts', 'doors.ts'],
      ],
      { cwd: folder, encoding: 'utf8' },
    );
    if (compiled.status !== 0)
      failures.push(`a consumer does not compile (${resolution}):\n${compiled.stdout}${compiled.stderr}`);
  }

  writeFileSync(
    join(folder, 'import.mjs'),
    `const before = performance.now();
const door = await import('turnwright');
const ms = performance.now() - before;
if (typeof door.query !== 'function') throw new Error('query is missing');
console.log('import: ' + ms.toFixed(1) + ' ms, exports: ' + Object.keys(door).sort().join(' '));
`,
  );
  const imported = spawnSync(process.execPath, ['import.mjs'], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  if (imported.status !== 0) failures.push(`the package cannot be imported:\n${imported.stderr}`);
  else process.stdout.write(imported.stdout);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(`FAILED ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
