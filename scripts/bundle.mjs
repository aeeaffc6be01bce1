// The bundle: a file for each door, one with what importing the library loads, and lazy chunks beside them.
// rolldown decides what goes where, as it lets us say so; esbuild prints, as it keeps lines short.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transform } from 'esbuild';
import { rolldown } from 'rolldown';

const TARGET = 'node20.19';
const ENGINE = 'engine';
/** What the first of a kind loads, each in one file, whatever else takes a part of it. */
const LOADED_FIRST = {
  commands: ['packages/engine/src/permissions/commands/index.ts'],
  settings: ['packages/engine/src/settings/read/usable-settings.ts'],
  trust: ['packages/engine/src/settings/trust/trust.ts'],
};

/** `doors`: source by name of the door. Writes `<out>/<door>.js` and `<out>/chunks/`. */
export async function bundle(doors, { out, define }) {
  const built = await rolldown({
    input: doors,
    platform: 'node',
    external: [/^zod(\/|$)/, '@vscode/ripgrep', 'pg', /^@dbos-inc\/dbos-sdk(\/|$)/],
    transform: { target: TARGET, define },
    plugins: [withoutValidators],
    // Its modules only define things, which the package does not say of itself.
    treeshake: { moduleSideEffects: [{ test: /@modelcontextprotocol\//, sideEffects: false }] },
  });
  const { output } = await built.generate({
    format: 'esm',
    // A package is named by its folder, not by the `src` in it.
    chunkFileNames: ({ name, moduleIds }) =>
      `chunks/${name === 'src' ? moduleIds.at(-1).split('/').at(-3) : '[name]'}-[hash].js`,
    codeSplitting: { groups: loadedTogether(doors) },
    // Faster than const: nothing asks at each use whether it is initialised yet.
    topLevelVar: true,
    minifyInternalExports: false,
    // Less to read when it is loaded. The names of functions and classes stay, so that a stack trace can be read.
    minify: { compress: false, mangle: { toplevel: false, keepNames: true }, codegen: false },
    sourcemap: 'hidden',
  });
  const chunks = output.filter(({ type }) => type === 'chunk');
  await Promise.all(chunks.map((chunk) => print(chunk, join(out, chunk.fileName))));
}

/** The MCP library brings a second ajv for its own client, of which only transports and OAuth are used. */
const withoutValidators = {
  name: 'without-validators',
  resolveId: (id) => (id === '@modelcontextprotocol/client/_shims' ? '\0without-validators' : null),
  load: (id) =>
    id === '\0without-validators'
      ? 'export class DefaultJsonSchemaValidator {} export const CORS_IS_POSSIBLE = false;'
      : null,
};

/**
 * What is loaded together is one file, for a file costs more than its bytes: all that importing the library loads, but
 * for what the door that is used without an engine takes of it, and what runs before any code is compiled.
 */
function loadedTogether({ index, rehearsal, 'compile-cache': first }) {
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
  return [
    group('compile-cache', 3, [first]),
    group('basics', 2, [index], [rehearsal]),
    group(ENGINE, 1, [index]),
    ...Object.entries(LOADED_FIRST).map(([name, sources]) => group(name, 0, sources)),
  ];
}

function memoized(make) {
  const made = new Map();
  return (key, ...rest) => {
    if (!made.has(key)) made.set(key, make(key, ...rest));
    return made.get(key);
  };
}

/**
 * What packages require is built into Node. The bundler's own way to it needs `import.meta.url`, which a bundle of
 * CommonJS has not: there every chunk that shares the bundler's helpers would fail to load.
 */
function requiringBuiltIns(code) {
  return code
    .replace(/^import \{ createRequire \} from "node:module";$/m, '')
    .replace(/\bcreateRequire\(import\.meta\.url\)/, 'process.getBuiltinModule.bind(process)');
}

async function print({ code, map, fileName }, path) {
  const text = /rolldown-runtime/.test(fileName) ? requiringBuiltIns(code) : code;
  const printed = await transform(map === null ? text : `${text}\n//# sourceMappingURL=${map.toUrl()}`, {
    format: 'esm',
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
  // Not named in the file: maps are for profiles made in a clone, and are not in the package.
  writeFileSync(path, printed.code);
  writeFileSync(`${path}.map`, printed.map);
}
