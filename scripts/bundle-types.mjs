// The type declarations: a file for each door, and one with what several doors have in common.
import { realpathSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const SHARED = 'shared';

/**
 * `doors`: the compiler's declaration by name of the door; `declarations`: the folder of all of them. Writes `<out>/<door>.d.ts` and `<out>/shared.d.ts`. What two
 * doors reach is declared once: it is the same type, private members included, whichever it is imported from.
 */
export async function bundleTypes(doors, { declarations, out }) {
  const built = await rollup({
    input: doors,
    external: (id) => !/^[./]|^@turnwright\//.test(id),
    plugins: [ownPackages(declarations), dts()],
    onwarn(warning) {
      // Parts of public types that have no name in the package.
      if (!/private shared type exports/.test(warning.message)) throw new Error(warning.message);
    },
  });
  const { output } = await built.write({
    dir: out,
    format: 'es',
    hoistTransitiveImports: false,
    entryFileNames: '[name].d.ts',
    chunkFileNames: '[name].d.ts',
    manualChunks: (id, { getModuleInfo }) => (doorsTo(id, getModuleInfo).size > 1 ? SHARED : undefined),
  });
  await built.close();
  return output.map(({ fileName }) => fileName);
}

/** Leads the name of a package of ours to the declarations of what its `exports` say. */
function ownPackages(declarations) {
  return {
    name: 'own-packages',
    resolveId: (id) => (id.startsWith('@turnwright/') ? resolve(declarations, declarationOf(id)) : null),
  };
}

function declarationOf(id) {
  const source = relative(resolve('packages'), realpathSync(fileURLToPath(import.meta.resolve(id))));
  return source.replace(/\.ts$/, '.d.ts');
}

/** The doors that reach a module. */
function doorsTo(id, getModuleInfo) {
  const seen = new Set();
  const doors = new Set();
  const visit = (module) => {
    if (seen.has(module)) return;
    seen.add(module);
    const { isEntry, importers } = getModuleInfo(module);
    if (isEntry) doors.add(module);
    importers.forEach(visit);
  };
  visit(id);
  return doors;
}
