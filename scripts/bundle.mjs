// The bundle: a file for each door, one with what importing the library loads, and lazy chunks beside them.
// rolldown decides what goes where, as it lets us say so; esbuild prints, as it keeps lines short.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { transform } from 'esbuild';
import { rolldown } from 'rolldown';
import { builtinsByName } from './builtin-modules.mjs';
import { plainPrivateNames } from './plain-private-names.mjs';

const TARGET = 'node20.19';
const ENGINE = 'engine';

/** `doors`: source by name of the door. Writes `<out>/<door>.js` and `<out>/chunks/`. */
export async function bundle(doors, { out, define }) {
  const built = await rolldown({
    input: doors,
    platform: 'node',
    external: ['zod', '@vscode/ripgrep'],
    transform: { target: TARGET, define },
    plugins: [builtinsByName, plainPrivateNames(({ name }) => name === ENGINE)],
  });
  const { output } = await built.generate({
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups: loadedTogether(doors) },
    // Faster than const: nothing asks at each use whether it is initialised yet.
    topLevelVar: true,
    minifyInternalExports: false,
    // Less to read when it is loaded. The names of functions and classes stay, so that a stack trace can be read.
    minify: { compress: false, mangle: { toplevel: false, keepNames: true }, codegen: false },
    sourcemap: 'hidden',
  });
  const chunks = output.filter(({ type }) => type === 'chunk');
  const printed = chunks.flatMap((chunk) => (chunk.name === ENGINE ? asScript(chunk) : [chunk]));
  await Promise.all(printed.map((file) => print(file, join(out, file.fileName))));
  // A bundler cannot take along what is read at run time.
  const library = reachable('index.js', chunks);
  await Promise.all(
    library.map((chunk) => print({ ...chunk, map: null }, join(out, 'for-bundlers', chunk.fileName))),
  );
}

function reachable(fileName, chunks, found = new Set()) {
  const chunk = chunks.find((each) => each.fileName === fileName);
  if (chunk === undefined || found.has(chunk)) return [];
  found.add(chunk);
  for (const next of [...chunk.imports, ...chunk.dynamicImports]) reachable(next, chunks, found);
  return [...found];
}

/** As a script that `runCompiled` loads, and a module with its exports. */
function asScript({ code, map, fileName }) {
  const script = fileName.replace(/\.js$/, '.script.js');
  const statements = code.match(/^(?:import|export) .*$/gm);
  const [, names, from] = /^import \{ (.*) \} from "(.*)";$/.exec(statements[0]);
  const [, exported] = /^export \{ (.*) \};$/.exec(statements[1]);
  if (statements.length > 2) throw new Error(`${fileName} has more than one import and one export.`);
  const pairs = (text, pair) =>
    text
      .split(', ')
      .map((each) => pair(...each.split(' as ')))
      .join(',');
  const taken = pairs(names, (name, local = name) => `${name}:${local}`);
  const given = pairs(exported, (local, name = local) => `${name}:${local}`);
  // What a script imports would be found only with a part of Node's that is experimental yet: its module does it.
  const body = code.replace(/^(?:import|export) .*$/gm, '').replace(/\bimport\((?=")/g, 'import_(');
  const loader = readFileSync(new URL('./compiled-script.mjs', import.meta.url), 'utf8');
  const module = [
    `import * as shared from "${from}";`,
    loader.replace(/^export /m, ''),
    `const engine = runCompiled(new URL("./${basename(script)}", import.meta.url), (name) => import(name), shared);`,
    `const { ${given} } = engine;`,
    `export { ${exported} };`,
  ].join('\n');
  const banner = `(function(keepCompiled,import_,shared){"use strict";var{${taken}}=shared;`;
  return [
    { code: module, map: null, fileName },
    { code: body, map, fileName: script, around: { banner, footer: `return{${given}}})` } },
  ];
}

/**
 * What is loaded together is one file, for a file costs more than its bytes: all that importing the library loads, but
 * for what the door that is used without an engine takes of it.
 */
function loadedTogether({ index, rehearsal }) {
  const loadedBy = memoized((door, context) => {
    const found = new Set();
    const visit = (id) => {
      if (found.has(id)) return;
      found.add(id);
      context.getModuleInfo(id)?.importedIds.forEach(visit);
    };
    visit(join(process.cwd(), door));
    return found;
  });
  const group = (name, priority, ...ofDoors) => ({
    name: (id, context) =>
      ofDoors.every((doors) => doors.some((door) => loadedBy(door, context).has(id))) ? name : null,
    debugName: name,
    priority,
  });
  return [group('basics', 2, [index], [rehearsal]), group(ENGINE, 1, [index])];
}

function memoized(make) {
  const made = new Map();
  return (key, ...rest) => {
    if (!made.has(key)) made.set(key, make(key, ...rest));
    return made.get(key);
  };
}

async function print({ code, map, fileName, around }, path) {
  const printed = await transform(map === null ? code : `${code}\n//# sourceMappingURL=${map.toUrl()}`, {
    ...(around ?? { format: 'esm' }),
    target: TARGET,
    minifyWhitespace: true,
    minifySyntax: true,
    // Of an error that nobody catches Node prints the line it is from.
    lineLimit: 200,
    legalComments: 'eof',
    sourcemap: 'external',
    sourcefile: fileName,
    // Places and names are what a stack trace needs; the sources themselves would double the package.
    sourcesContent: false,
  });
  // Loaded byte by byte.
  if (/[^\0-\x7f]/.test(printed.code)) throw new Error(`${fileName} is not plain ASCII.`);
  mkdirSync(dirname(path), { recursive: true });
  if (map === null) return writeFileSync(path, printed.code);
  writeFileSync(path, `${printed.code}//# sourceMappingURL=${basename(path)}.map\n`);
  writeFileSync(`${path}.map`, printed.map);
}
