/** The packages of the workspace: their walls are their package.json files, which say the same as the published one. */
import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Manifest, manifestOf, PACKAGES, ROOT, sourceFiles, sourceOfName } from './sources.ts';

const published = manifestOf('.');
const manifests: readonly (readonly [string, Manifest])[] = PACKAGES.map((name) => [
  `packages/${name}`,
  manifestOf(`packages/${name}`),
]);
const isOurs = (name: string) => name.startsWith('@turnwright/');
const importsIn = (file: string) =>
  [
    ...readFileSync(join(ROOT, file), 'utf8').matchAll(
      /\b(?:from|import)\s*\(?\s*'((?:\.|@turnwright\/)[^']+)'/g,
    ),
  ].map(([, specifier = '']) => specifier);

it('have the names of their folders, no version of their own, and are not published', () => {
  expect(manifests.map(([folder, { name }]) => [folder, name])).toEqual(
    PACKAGES.map((name) => [`packages/${name}`, `@turnwright/${name}`]),
  );
  expect(manifests.map(([, manifest]) => manifest)).toEqual(
    manifests.map(() => expect.objectContaining({ private: true, type: 'module' })),
  );
  expect(manifests.filter(([, { version }]) => version !== undefined)).toEqual([]);
});

it('import no file of another package by its path', () => {
  const strays = sourceFiles().flatMap((file) =>
    importsIn(file)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => normalize(join(file, '..', specifier)))
      .filter((target) => !target.startsWith(`${file.split('/').slice(0, 3).join('/')}/`))
      .map((target) => `${file}: ${target}`),
  );
  expect(strays).toEqual([]);
});

it('are in no circle', () => {
  const dependencies = new Map(
    manifests.map(([, { name, dependencies: of = {} }]) => [name, Object.keys(of).filter(isOurs)]),
  );
  const reached = (name: string, trail: readonly string[]): readonly string[] =>
    trail.includes(name)
      ? [[...trail, name].join(' → ')]
      : (dependencies.get(name) ?? []).flatMap((next) => reached(next, [...trail, name]));
  expect([...dependencies.keys()].flatMap((name) => reached(name, []))).toEqual([]);
  expect(dependencies.get('@turnwright/cli')?.length).toBeGreaterThan(3);
});

it('open what another package uses, and nothing more', () => {
  const used = new Set(
    sourceFiles().flatMap((file) => importsIn(file).flatMap((specifier) => sourceOfName(specifier) ?? [])),
  );
  // Doors of the published package, and what tests of other packages take: checks, and a clock that stands still.
  const forOthers = [
    '@turnwright/cli .',
    '@turnwright/testing ./virtual-clock.ts',
    '@turnwright/testing ./checks/*',
    '@turnwright/web .',
    '@turnwright/web ./client',
  ];
  const unused = manifests.flatMap(([folder, { name, exports }]) =>
    Object.entries(exports)
      .filter(([, target]) => {
        const [head = ''] = target.slice(2).split('*');
        return ![...used].some((file) => file.startsWith(`${folder}/${head}`));
      })
      .map(([key]) => `${name} ${key}`),
  );
  expect(unused).toEqual(forOthers);
  const missing = manifests.flatMap(([folder, { exports }]) =>
    Object.values(exports)
      .map((target) => join(folder, target.split('*')[0] ?? ''))
      .filter((path) => !existsSync(join(ROOT, path))),
  );
  expect(missing).toEqual([]);
});

describe('and the published package', () => {
  const all = { ...published.devDependencies, ...published.dependencies };
  const listed = (pick: (manifest: Manifest) => Readonly<Record<string, string>> | undefined) =>
    manifests.flatMap(([folder, manifest]) =>
      Object.entries(pick(manifest) ?? {})
        .filter(([name]) => !isOurs(name))
        .map(([name, range]) => ({ folder, name, range })),
    );

  it('name the same versions', () => {
    const needed = [
      ...listed(({ dependencies }) => dependencies),
      ...listed(({ devDependencies }) => devDependencies),
      ...Object.entries(manifestOf('test').devDependencies ?? {})
        .filter(([name]) => !isOurs(name))
        .map(([name, range]) => ({ folder: 'test', name, range })),
    ];
    expect(needed.length).toBeGreaterThan(40);
    expect(needed.filter(({ name, range }) => all[name] !== range)).toEqual([]);
  });

  it('name the same peers, optional or not', () => {
    const peers = listed(({ peerDependencies }) => peerDependencies);
    expect(Object.fromEntries(peers.map(({ name, range }) => [name, range]))).toEqual(
      published.peerDependencies,
    );
    expect(
      Object.assign({}, ...manifests.map(([, { peerDependenciesMeta }]) => peerDependenciesMeta)),
    ).toEqual(published.peerDependenciesMeta);
  });

  it('install what a package needs at run time and no bundle holds', () => {
    const needed = new Set(listed(({ dependencies }) => dependencies).map(({ name }) => name));
    expect(Object.keys(published.dependencies ?? {}).filter((name) => !needed.has(name))).toEqual([]);
  });
});

it.each(PACKAGES)('%s has a page of about ten lines', (name) => {
  const page = readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8');
  expect(page.startsWith(`# @turnwright/${name}\n`)).toBe(true);
  expect(page.split('\n').length).toBeLessThanOrEqual(16);
  expect(page).toContain(`npm test -w packages/${name}`);
});
