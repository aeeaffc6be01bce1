/** Every `@example` in the sources compiles against the doors that a caller imports from. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { transformSync } from 'esbuild';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { InMemorySessionStore, type Options } from '../src/index.ts';
import { checkOptions } from '../src/options/check.ts';
import { withExtraArgs } from '../src/sdk/extra-args.ts';
import { say, scriptedModel } from '../src/testing/index.ts';
import { PATHS } from './doors.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What examples may import, the nearest first; the door of an example's own folder comes before all. */
const DOORS = [
  'src/index.ts',
  'src/testing/index.ts',
  'src/rehearsal/index.ts',
  'src/page/index.ts',
  'src/page/browser/index.ts',
  'src/loop/query-loop.ts',
];

/** Texts that examples take as given. */
const GIVEN = ['pastedKey', 'sessionId'];

interface Example {
  /** `src/sdk/sessions.ts:150` */
  readonly place: string;
  readonly code: string;
}

function examplesIn(file: string): readonly Example[] {
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
function moduleOf({ place, code }: Example, folder: string): string {
  const at = (path: string) => relative(folder, join(root, path));
  const declared = new Set([...code.matchAll(/\b(?:const|let|function)\s+(\w+)/g)].map(([, name]) => name));
  // A property is not a name of its own.
  const used = new Set([...code.matchAll(/(?<!\.)\b([A-Za-z]\w*)\b(?!:)/g)].map(([, name = '']) => name));
  const free = [...used].filter((name) => !declared.has(name));
  const doors = DOORS.toSorted(
    (a, b) => Number(place.startsWith(dirname(b))) - Number(place.startsWith(dirname(a))),
  );
  const nearest = doors.filter(
    (door) => door !== 'src/index.ts' || !/^src\/(?:testing|rehearsal)\//.test(place),
  );
  const imports = free.flatMap((name) => {
    const door = nearest.find((each) => EXPORTED.get(each)?.has(name));
    return door === undefined ? [] : [`import { ${name} } from '${at(door)}';`];
  });
  const given = free.filter((name) => GIVEN.includes(name)).map((name) => `declare const ${name}: string;`);
  const zod = used.has('z') ? ["import { z } from 'zod';"] : [];
  return [...zod, ...imports, ...given, code, 'export {};', ''].join('\n');
}

/** Names and types of what a pattern finds with its comment in front, where the comment has no example. */
const without = (files: readonly string[], declaration: RegExp): readonly string[] =>
  files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(declaration)].flatMap(
      ([, comment = '', name = '']) => (comment.includes('@example') ? [] : [name]),
    ),
  );

const COMMENT = String.raw`\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n`;
const OPTION_FILES = ['src/options/options.ts', 'src/sdk/options.ts'];

it('every option that takes more than true or false shows a value', () => {
  const option = new RegExp(`${COMMENT} {2}(\\w+)\\?:(?! boolean \\| undefined;)`, 'g');
  expect(without(OPTION_FILES, option)).toEqual([]);
});

it('every message that query() yields shows how it is read', () => {
  const files = ['sdk-messages', 'session-messages', 'result-message', 'init-message'];
  const message = new RegExp(`${COMMENT}export (?:interface|type) (SDK\\w+)`, 'g');
  expect(
    without(
      files.map((name) => `src/protocol/stream/${name}.ts`),
      message,
    ),
  ).toEqual([]);
});

it('a run accepts the options of examples', () => {
  const examples = OPTION_FILES.flatMap(examplesIn).filter(({ code }) => !/\bquery\(|\bawait\b/.test(code));
  expect(examples.length).toBeGreaterThan(40);
  const given = { z, sessionId: crypto.randomUUID(), InMemorySessionStore, scriptedModel, say };
  for (const { place, code } of examples) {
    const names = [...code.matchAll(/const (\w+): Options\b/g)].map(([, name]) => name);
    const { code: script } = transformSync(code, { loader: 'ts' });
    const body = `({ ${Object.keys(given)} }) => { ${script}; return [${names}]; }`;
    for (const options of runInThisContext(body)(given) as readonly Options[])
      expect(() => withExtraArgs(checkedOptions(options)), place).not.toThrow();
  }
});

function checkedOptions(options: Options): Options {
  checkOptions(options);
  return options;
}

it('every example in a docstring compiles', { timeout: 240_000 }, () => {
  const examples = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => examplesIn(`src/${path}`));
  expect(examples.length).toBeGreaterThan(8);

  // Inside the repository, so that packages are found.
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'docstrings-'));
  try {
    const files = examples.map((example, at) => {
      writeFileSync(join(folder, `${at}.ts`), moduleOf(example, folder));
      return `${at}.ts`;
    });
    const compilerOptions = {
      noEmit: true,
      noUnusedLocals: false,
      verbatimModuleSyntax: false,
      typeRoots: [join(root, 'node_modules/@types')],
      paths: PATHS,
    };
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], exclude: [], files };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const errors = stdout.replace(/^(\d+)\.ts/gm, (_, at: string) => examples[Number(at)]?.place ?? '');
    expect(errors).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
