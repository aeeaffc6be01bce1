/**
 * A module of the tests with all that it imports as one file. Nothing is loaded or transformed while it runs, and modules
 * call each other directly: what the test runner makes of modules takes twice the time.
 */
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin, stop } from 'esbuild';

/** `import.meta` of a module is that of its source: programs and data lie beside it. */
const sourcePlaces: Plugin = {
  name: 'source-places',
  setup({ onLoad }) {
    onLoad({ filter: /\/(src|test)\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      const contents = text
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: 'ts' };
    });
  },
};

/** A program, and what the rows of this process share with the test runner. */
const OUTSIDE = ['@vscode/ripgrep', 'esbuild', 'vitest'];
/** Of the bundle itself: the words are apart, so that they are not replaced here. */
const REQUIRE = `import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(${'import.meta'}.url);`;

/**
 * `entry`: below this folder. `remove` deletes the file. Packages are in it: what is loaded while a simulation runs takes
 * real time. A CommonJS program is for `programs/start-compiled.cjs`.
 */
export async function bundled(
  entry: string,
  format: 'esm' | 'cjs' = 'esm',
): Promise<{ readonly file: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'bundled-'));
  const file = join(folder, format === 'esm' ? 'program.mjs' : 'program.cjs');
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  await build({
    entryPoints: [join(import.meta.dirname, entry)],
    outfile: file,
    bundle: true,
    format,
    platform: 'node',
    external: OUTSIDE,
    ...(format === 'esm' ? { banner: { js: REQUIRE } } : { minify: true }),
    plugins: [sourcePlaces],
    logLevel: 'error',
  });
  // The process that esbuild has started would stay.
  await stop();
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
