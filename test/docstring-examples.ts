/** The `@example`s of the sources, as modules that import what a caller would import. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceFiles } from './sources.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What examples may import, the nearest first; the door of an example's own folder comes before all. */
const DOORS = [
  'packages/engine/src/index.ts',
  'packages/testing/src/testing/index.ts',
  'packages/testing/src/rehearsal/index.ts',
  'packages/web/src/index.ts',
  'packages/web/src/browser/index.ts',
  'packages/engine/src/loop/query-loop.ts',
];

/** Texts that examples take as given. */
const GIVEN = ['pastedKey', 'sessionId'];

export interface Example {
  /** `packages/engine/src/sdk/sessions.ts:150` */
  readonly place: string;
  readonly code: string;
}

export function examplesIn(file: string): readonly Example[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*?@example(?:(?!\*\/)[\s\S])*\*\//gm)].flatMap(
    ({ 0: comment, index }) =>
      comment
        .replace(/\s*\*\/$/, '')
        .replace(/^[ \t]*(?:\/\*\*|\*) ?/gm, '')
        .split(/^@/m)
        .filter((tag) => tag.startsWith('example'))
        .map((tag) => ({
          place: `${file}:${text.slice(0, index).split('\n').length}`,
          code: tag.replace(/^example\s*/, '').replace(/^```\w*$/gm, ''),
        })),
  );
}

/** The names that a door exports, as its text lists them. */
function namesOf(door: string): ReadonlySet<string> {
  const text = readFileSync(join(root, door), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const names = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list.split(',').map((name) => (name.trim().split(/\s+/).at(-1) ?? '').trim()),
  );
  const own = [...text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm)];
  const further = [...text.matchAll(/^export \* from '([^']+)'/gm)];
  return new Set([
    ...names,
    ...own.map(([, name = '']) => name),
    ...further.flatMap(([, path = '']) => [...namesOf(join(dirname(door), path))]),
  ]);
}

const EXPORTED = new Map(DOORS.map((door) => [door, namesOf(door)]));

/** The example as a module, with what it uses and does not declare. */
export function moduleOf({ place, code }: Example, folder: string): string {
  const at = (path: string) => relative(folder, join(root, path));
  const declared = new Set([...code.matchAll(/\b(?:const|let|function)\s+(\w+)/g)].map(([, name]) => name));
  // A property is not a name of its own.
  const used = new Set([...code.matchAll(/(?<!\.)\b([A-Za-z]\w*)\b(?!:)/g)].map(([, name = '']) => name));
  const free = [...used].filter((name) => !declared.has(name));
  const doors = DOORS.toSorted(
    (a, b) => Number(place.startsWith(dirname(b))) - Number(place.startsWith(dirname(a))),
  );
  const nearest = doors.filter(
    (door) => door !== 'packages/engine/src/index.ts' || !place.startsWith('packages/testing/'),
  );
  const imports = free.flatMap((name) => {
    const door = nearest.find((each) => EXPORTED.get(each)?.has(name));
    return door === undefined ? [] : [`import { ${name} } from '${at(door)}';`];
  });
  const given = free.filter((name) => GIVEN.includes(name)).map((name) => `declare const ${name}: string;`);
  const zod = used.has('z') ? ["import { z } from 'zod';"] : [];
  return [...zod, ...imports, ...given, code, 'export {};', ''].join('\n');
}

/** Of all sources. */
export const docstringExamples = (): readonly Example[] => sourceFiles().flatMap(examplesIn);
