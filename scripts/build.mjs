// Builds dist/: one bundle per door with lazy chunks beside it, and a file of type declarations per door.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { bundle } from './bundle.mjs';
import { bundleTypes } from './bundle-types.mjs';
import { writeGuide } from './guide.mjs';
import { inspectorPage } from './inspector-page.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
// A build that fails leaves the one before it in place.
const out = `dist.${process.pid}`;
process.on('exit', () => rmSync(out, { recursive: true, force: true }));

const doors = {
  index: 'packages/engine/src/index.ts',
  rehearsal: 'packages/testing/src/rehearsal/index.ts',
  testing: 'packages/testing/src/testing/index.ts',
  durable: 'packages/durable/src/index.ts',
  web: 'packages/web/src/index.ts',
  'web-client': 'packages/web/src/browser/index.ts',
};

await bundle(
  {
    ...doors,
    cli: 'packages/cli/src/main.ts',
    'compile-cache': 'packages/base/src/process/compile-cache.ts',
  },
  { out, define: { 'process.env.TURNWRIGHT_BUILD_VERSION': JSON.stringify(version) } },
);

writeFileSync(`${out}/inspector.html.br`, brotliCompressSync(await inspectorPage(root)));

// The bin carries no .js ending: some clients start scripts by ending with a runtime of their own. They also ask for
// the version before anything else, so that answer loads nothing.
const { VERSION_LINE } = await import(`${root}${out}/cli.js`);
mkdirSync(`${out}/bin`, { recursive: true });
writeFileSync(
  `${out}/bin/turnwright`,
  `#!/usr/bin/env node
const [flag, ...more] = process.argv.slice(2);
if ((flag === '--version' || flag === '-v') && more.length === 0) process.stdout.on('error', ({ code }) => { if (code !== 'EPIPE') process.exitCode = 1; }).write(${JSON.stringify(`${VERSION_LINE}\n`)});
else start();

async function start() {
  const { enableCompileCache } = await import('../compile-cache.js');
  const { env, platform } = process;
  const enable = process.getBuiltinModule('node:module').enableCompileCache;
  enableCompileCache({ env, platform, uid: process.getuid?.(), enable });
  const { main } = await import('../cli.js');
  await main();
}
`,
);
chmodSync(`${out}/bin/turnwright`, 0o755);

writeGuide(`${out}/guide.br`);

const declarations = `${out}/declarations`;
const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', declarations];
const types = spawnSync(process.execPath, tsc, { stdio: 'inherit' });
if (types.status !== 0) process.exit(types.status ?? 1);
const declared = Object.entries(doors).map(([door, source]) => [
  door,
  source.replace(/^packages/, declarations).replace(/\.ts$/, '.d.ts'),
]);
await bundleTypes(Object.fromEntries(declared), { declarations, out: `${out}/types` });
rmSync(declarations, { recursive: true });
rmSync('dist', { recursive: true, force: true });
renameSync(out, 'dist');
