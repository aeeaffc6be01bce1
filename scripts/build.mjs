// Builds dist/: one bundle per door with lazy chunks beside it, and type declarations.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { pruneTypes } from './prune-types.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
// A build that fails leaves the one before it in place.
const out = `dist.${process.pid}`;
process.on('exit', () => rmSync(out, { recursive: true, force: true }));

await bundle(
  {
    index: 'src/index.ts',
    rehearsal: 'src/rehearsal/index.ts',
    testing: 'src/testing/index.ts',
    durable: 'src/durable/index.ts',
    web: 'src/page/index.ts',
    'web-client': 'src/page/browser/index.ts',
    cli: 'src/cli/main.ts',
    'compile-cache': 'src/util/process/compile-cache.ts',
  },
  { out, define: { 'process.env.TURNWRIGHT_BUILD_VERSION': JSON.stringify(version) } },
);

// The bin carries no .js ending: some clients start scripts by ending with a runtime of their own. They also ask for
// the version before anything else, so that answer loads nothing.
const { VERSION_LINE } = await import(`${root}${out}/cli.js`);
mkdirSync(`${out}/bin`, { recursive: true });
writeFileSync(
  `${out}/bin/turnwright`,
  `#!/usr/bin/env node
const [flag, ...more] = process.argv.slice(2);
if ((flag === '--version' || flag === '-v') && more.length === 0) process.stdout.on('error', () => {}).write(${JSON.stringify(`${VERSION_LINE}\n`)});
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

const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', `${out}/types`];
const types = spawnSync(process.execPath, tsc, { stdio: 'inherit' });
if (types.status !== 0) process.exit(types.status ?? 1);
const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
pruneTypes(
  `${out}/types`,
  Object.values(exports).flatMap(({ types }) =>
    types === undefined ? [] : [types.replace('./dist/types/', '')],
  ),
);
rmSync('dist', { recursive: true, force: true });
renameSync(out, 'dist');
