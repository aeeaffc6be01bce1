// The package as it is published: its manifest without what only a clone needs, such as the script that builds.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Lays the package out in `folder`, which must not exist. Returns its manifest. */
export function layOutPackage(folder) {
  const {
    scripts: _,
    devDependencies: __,
    ...manifest
  } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (!existsSync(join(root, 'dist'))) throw new Error('There is no dist: npm run build first.');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
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
