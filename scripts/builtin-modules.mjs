// Node's own modules, taken one name at a time. `import … from 'node:util'` reads everything the module exports, and much
// of that is loaded only then (WebCrypto, MIME types, a second HTTP client): 10 to 40 ms at a start, for nothing. What a
// bundle takes is `process.getBuiltinModule('node:util').promisify`, and no more.
import { builtinModules } from 'node:module';
import { promisify } from 'node:util';

const ids = new Set(builtinModules);
/** All that we take of them is functions, and many a session calls none of them: the first call loads the module. */
const LOADED_BY_CALLS = ['node:fs/promises', 'node:child_process'];
const PREFIX = '\0builtin:';
const isName = (name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default';

/** For rolldown. */
export const builtinsByName = {
  name: 'builtins-by-name',
  resolveId(path, importer, { kind }) {
    const id = path.replace(/^node:/, '');
    if (!ids.has(id) || kind === 'dynamic-import') return undefined;
    // One for each file that asks: a shared one could become a chunk, which is a file more to load.
    return { id: [PREFIX, kind, `node:${id}`, importer].join('|'), moduleSideEffects: false };
  },
  load(id) {
    if (!id.startsWith(PREFIX)) return undefined;
    const [, kind, builtin] = id.split('|');
    return kind === 'require-call'
      ? `module.exports = process.getBuiltinModule('${builtin}');`
      : moduleOf(builtin);
  },
};

/** Each name by itself, so that what nobody imports is left out and never read. */
function moduleOf(id) {
  const load = `process.getBuiltinModule('${id}')`;
  const all = process.getBuiltinModule(id);
  const names = Object.keys(all).filter(isName);
  if (LOADED_BY_CALLS.includes(id)) {
    // Not classes: what is made with `new` has to be there. Importing one ends the build.
    const functions = names.filter((name) => typeof all[name] === 'function' && /^[a-z]/.test(name));
    return functions.map((name) => `export const ${name} = ${calling(load, name, all[name])};`).join('\n');
  }
  const exported = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => all.${name})();`);
  return [`const all = ${load};`, 'export default all;', ...exported].join('\n');
}

/** As a function whose module is loaded by its first call. `promisify` finds what Node says of some. */
function calling(load, name, original) {
  const call = `(...args) => ${load}.${name}(...args)`;
  if (original[promisify.custom] === undefined) return call;
  const key = "Symbol.for('nodejs.util.promisify.custom')";
  return `/* @__PURE__ */ Object.defineProperty(${call}, ${key}, { get: () => ${load}.${name}[${key}] })`;
}
