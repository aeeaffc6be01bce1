// Builds the entry of an app with one bundler: node build.mjs <bundler> <entry> <output folder>
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

const [bundler, entry, out] = process.argv.slice(2);
const external = /^(?:pg|@dbos-inc\/|@anthropic-ai\/|@azure\/)/;

const BUILDERS = {
  async esbuild() {
    const { build } = await import('esbuild');
    const common = {
      entryPoints: [entry],
      bundle: true,
      platform: 'node',
      logLevel: 'warning',
      external: ['pg'],
    };
    await build({ ...common, format: 'esm', outfile: join(out, 'agent.mjs') });
    await build({ ...common, format: 'cjs', minify: true, outfile: join(out, 'agent.cjs') });
  },
  async rollup() {
    const [{ rollup }, { nodeResolve }, { default: commonjs }, { default: json }] = await Promise.all([
      import('rollup'),
      import('@rollup/plugin-node-resolve'),
      import('@rollup/plugin-commonjs'),
      import('@rollup/plugin-json'),
    ]);
    const built = await rollup({
      input: entry,
      external: (id) => id.startsWith('node:') || external.test(id),
      plugins: [nodeResolve({ preferBuiltins: true }), commonjs(), json()],
      onwarn(warning) {
        if (warning.code !== 'CIRCULAR_DEPENDENCY') console.error(warning.message);
      },
    });
    await built.write({ format: 'esm', file: join(out, 'agent.mjs'), inlineDynamicImports: true });
  },
  async vite() {
    const { build } = await import('vite');
    await build({
      root: dirname(entry),
      logLevel: 'warn',
      ssr: { noExternal: true, external: ['pg', '@dbos-inc/dbos-sdk'] },
      build: {
        ssr: entry,
        outDir: out,
        emptyOutDir: false,
        rollupOptions: { output: { entryFileNames: 'agent.mjs' } },
      },
    });
  },
  async webpack() {
    const { default: webpack } = await import('webpack');
    const stats = await new Promise((resolve, reject) => {
      const config = {
        mode: 'production',
        // What is tested is what webpack makes of the imports.
        optimization: { minimize: false },
        target: 'node',
        entry,
        output: { path: out, filename: 'agent.mjs', module: true, chunkFormat: 'module' },
        experiments: { outputModule: true },
        externals: [
          ({ request }, done) => (external.test(request) ? done(null, `module ${request}`) : done()),
        ],
      };
      webpack(config, (error, result) => (error ? reject(error) : resolve(result)));
    });
    if (stats.hasErrors()) throw new Error(stats.toString('errors-only'));
  },
  async nft() {
    const { nodeFileTrace } = await import('@vercel/nft');
    const base = dirname(dirname(entry));
    const { fileList } = await nodeFileTrace([entry], { base });
    for (const file of fileList) {
      const to = join(out, file);
      await mkdir(dirname(to), { recursive: true });
      await cp(join(base, file), to, { dereference: true });
    }
    console.log(relative(base, entry));
  },
};

await BUILDERS[bundler]();
