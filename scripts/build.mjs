// Builds dist/: one bundle per door with lazy chunks beside it, and type declarations.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { builtinsByName } from './builtin-modules.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
// A build that fails leaves the one before it in place.
const out = `dist.${process.pid}`;
process.on('exit', () => rmSync(out, { recursive: true, force: true }));

await build({
  entryPoints: {
    index: 'src/index.ts',
    rehearsal: 'src/rehearsal/index.ts',
    testing: 'src/testing/index.ts',
    cli: 'src/cli/main.ts',
  },
  outdir: out,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['zod', '@vscode/ripgrep'],
  plugins: [builtinsByName],
  legalComments: 'linked',
  // Less to read when it is loaded; names stay, so that a stack trace can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  // Of an error that nobody catches Node prints the line it is from.
  lineLimit: 200,
  sourcemap: 'linked',
  // Places and names are what a stack trace needs; the sources themselves would double the package.
  sourcesContent: false,
  logLevel: 'warning',
  define: { 'process.env.TURNWRIGHT_BUILD_VERSION': JSON.stringify(version) },
});

// The bin carries no .js ending: some clients start scripts by ending with a runtime of their own. They also ask for
// the version before anything else, so that answer loads nothing.
const { VERSION_LINE } = await import(`${root}${out}/cli.js`);
mkdirSync(`${out}/bin`, { recursive: true });
writeFileSync(
  `${out}/bin/turnwright`,
  `#!/usr/bin/env node
const [flag, ...more] = process.argv.slice(2);
if ((flag === '--version' || flag === '-v') && more.length === 0) process.stdout.on('error', () => {}).write(${JSON.stringify(`${VERSION_LINE}\n`)});
else import('../cli.js').then(({ main }) => main());
`,
);
chmodSync(`${out}/bin/turnwright`, 0o755);

const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--outDir', `${out}/types`];
const types = spawnSync(process.execPath, tsc, { stdio: 'inherit' });
if (types.status !== 0) process.exit(types.status ?? 1);
rmSync('dist', { recursive: true, force: true });
renameSync(out, 'dist');
