// The package as it is published: its manifest without what only a clone needs, such as the script that builds.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const MANIFEST = join(root, 'package.json');
/** The manifest of the clone, while `npm pack` packs the published one in its place. */
const KEPT = join(root, 'package.json.clone');

const publishedManifest = () => {
  const {
    scripts: _,
    devDependencies: __,
    workspaces: ___,
    ...manifest
  } = JSON.parse(readFileSync(MANIFEST, 'utf8'));
  return manifest;
};

const written = (manifest) => `${JSON.stringify(manifest, null, 2)}\n`;

/** Before `npm pack` or `npm publish` in the clone: builds, and puts the published manifest in place. */
export function beginPacking() {
  restoreManifest();
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { cwd: root, stdio: 'inherit' });
  cpSync(MANIFEST, KEPT);
  writeFileSync(MANIFEST, written(publishedManifest()));
}

/** After it. Also after one that failed: run it by hand, or pack again. */
export function restoreManifest() {
  if (existsSync(KEPT)) renameSync(KEPT, MANIFEST);
}

/** Lays the package out in `folder`, which must not exist. Returns its manifest. */
export function layOutPackage(folder) {
  const manifest = publishedManifest();
  if (!existsSync(join(root, 'dist'))) throw new Error('There is no dist: npm run build first.');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), written(manifest));
  for (const name of manifest.files.filter((file) => !file.startsWith('!')))
    cpSync(join(root, name), join(folder, name), { recursive: true });
  return manifest;
}

/** Packs a folder; returns what npm says of it: `filename`, `files`, `unpackedSize`. */
export function pack(folder, destination) {
  const said = execFileSync(
    'npm',
    ['pack', folder, '--json', '--ignore-scripts', '--pack-destination', destination],
    { cwd: destination, encoding: 'utf8' },
  );
  return JSON.parse(said)[0];
}
