/** S11: what is installed with the package, and what of it runs while it is installed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { row } from '../row.ts';

const ROOT = join(import.meta.dirname, '../../..');

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

interface Locked extends Pick<Manifest, 'dependencies' | 'optionalDependencies'> {
  readonly optional?: boolean;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

/** Run when the package is installed from the registry. */
const ON_INSTALL = ['preinstall', 'install', 'postinstall'];

row('S11', ({ figures }) => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const own = [
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.optionalDependencies ?? {}),
  ];
  const installed = installedWith(own, lock.packages);
  figures.atMost('dependencies of the package', own.length, 8);
  figures.atMost(
    'packages that come with it, without those of other platforms',
    installed.filter(([, each]) => each.optional !== true).length,
    8,
  );
  figures.none('install scripts', [
    ...ON_INSTALL.filter((name) => manifest.scripts?.[name] !== undefined),
    ...installed.filter(([, each]) => each.hasInstallScript === true).map(([path]) => path),
  ]);
  figures.none(
    'packages without a checksum in the lock file',
    installed.filter(([, each]) => each.integrity === undefined).map(([path]) => path),
  );
});

/** The packages of these names, and what they need. Those of the workspaces are in the published bundles. */
function installedWith(
  names: readonly string[],
  packages: Readonly<Record<string, Locked>>,
): readonly (readonly [string, Locked])[] {
  const found = new Map<string, Locked>();
  const visit = (name: string) => {
    const path = `node_modules/${name}`;
    const locked = packages[path];
    if (locked === undefined || found.has(path)) return;
    found.set(path, locked);
    Object.keys({ ...locked.dependencies, ...locked.optionalDependencies }).forEach(visit);
  };
  names.forEach(visit);
  return [...found];
}
