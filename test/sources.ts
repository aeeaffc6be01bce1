/** The sources of all packages, for tests that read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

export const PACKAGES: readonly string[] = readdirSync(join(ROOT, 'packages')).sort();

/** `packages/engine/src/index.ts`: from the root, with forward slashes. */
export const sourceFiles = (): readonly string[] =>
  PACKAGES.flatMap((name) => filesBelow(`packages/${name}/src`)).filter((file) => /\.tsx?$/.test(file));

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
    (file) => `${folder}/${file.replaceAll('\\', '/')}`,
  );

export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>;
}

/** The package.json of a folder. */
export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));

const MANIFESTS = new Map(PACKAGES.map((name) => [name, manifestOf(`packages/${name}`)]));

/** The source that `@turnwright/base/clock.ts` names by the package's `exports`; undefined for all other names. */
export function sourceOfName(specifier: string): string | undefined {
  const [, name = '', rest = ''] = /^@turnwright\/(\w+)(\/.*)?$/.exec(specifier) ?? [];
  const path = `.${rest}`;
  for (const [key, target] of Object.entries(MANIFESTS.get(name)?.exports ?? {})) {
    const [head = '', tail] = key.split('*');
    if (key === path || (tail !== undefined && path.startsWith(head)))
      return `packages/${name}/${target.slice(2).replace('*', path.slice(head.length))}`;
  }
  return undefined;
}
