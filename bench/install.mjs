// W8: what an install brings, and what importing it takes beyond bare Node.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importsOf, PEERS, pinned } from './peers.mjs';
import { median } from './workloads.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const NPM_INSTALL = [
  'install',
  '--no-audit',
  '--no-fund',
  '--ignore-scripts',
  '--no-package-lock',
  '--loglevel=error',
];

/** Times that a package is imported, and bare Node started beside it: differences of two starts vary. */
const IMPORTS = 15;

/** Bytes on disk, in blocks as the file system counts them. */
function bytesIn(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += statSync(join(entry.parentPath ?? entry.path, entry.name)).blocks * 512;
  }
  return bytes;
}

function packagesIn(folder) {
  const seen = JSON.parse(
    execFileSync('npm', ['ls', '--all', '--json', '--loglevel=silent'], { cwd: folder, encoding: 'utf8' }),
  );
  const names = new Set();
  const walk = (dependencies) => {
    for (const [name, one] of Object.entries(dependencies ?? {})) {
      if (one.version === undefined) continue;
      names.add(`${name}@${one.version}`);
      walk(one.dependencies);
    }
  };
  walk(seen.dependencies);
  return names.size;
}

function wallOf(folder, code) {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
  });
  if (status !== 0) throw new Error(String(stderr).slice(0, 500));
  return performance.now() - began;
}

/** Of our package as `npm pack` makes it, and of each peer alone; the hand-written loops bring nothing. */
export async function installFigures(runners) {
  const values = { packages: {}, disk: {}, imports: {} };
  const failed = {};
  for (const runner of runners) {
    if (runner !== 'turnwright' && PEERS[runner] === undefined) continue;
    const folder = mkdtempSync(join(tmpdir(), 'turnwright-bench-install-'));
    try {
      writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
      const specs =
        runner === 'turnwright' ? [packed(folder)] : PEERS[runner].map((name) => `${name}@${pinned()[name]}`);
      execFileSync('npm', [...NPM_INSTALL, ...specs], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
      values.packages[runner] = packagesIn(folder);
      values.disk[runner] = bytesIn(join(folder, 'node_modules')) / 1e6;
      const imports = runner === 'turnwright' ? ['turnwright'] : importsOf(runner);
      if (imports === undefined) continue;
      const code = imports.map((name) => `import ${JSON.stringify(name)};`).join('');
      const net = Array.from({ length: IMPORTS }, () => wallOf(folder, code) - wallOf(folder, ''));
      values.imports[runner] = median(net);
    } catch (error) {
      failed[runner] = error.message;
      console.error(`${runner} failed on W8: ${error.message}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return {
    title: 'Install into an empty folder',
    figures: {
      packages: { unit: '', values: values.packages },
      'on disk': { unit: 'MB', values: values.disk },
      'import, over bare Node': { unit: 'ms', values: values.imports },
    },
    failed,
  };
}

function packed(folder) {
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    }),
  );
  return join(folder, filename);
}
