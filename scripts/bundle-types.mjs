// The type declarations: a file for each door, and one with what several doors have in common.
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const SHARED = 'shared';

/**
 * `doors`: the compiler's declaration by name of the door. Writes `<out>/<door>.d.ts` and `<out>/shared.d.ts`. What two
 * doors reach is declared once: it is the same type, private members included, whichever it is imported from.
 */
export async function bundleTypes(doors, { out }) {
  const built = await rollup({
    input: doors,
    external: (id) => !/^[./]/.test(id),
    plugins: [dts()],
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
