/** A module with all that it imports as one plain file, for a process of its own: nothing is loaded while it runs. */
import { type BuildOptions, buildSync } from 'esbuild';

/** `entry`: path of the module. ripgrep, which is a program, is not part of the file. */
export function writeOneFile(
  entry: string,
  outfile: string,
  options: Pick<BuildOptions, 'minify'> = {},
): void {
  buildSync({
    ...options,
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['@vscode/ripgrep'],
    logLevel: 'error',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
}
