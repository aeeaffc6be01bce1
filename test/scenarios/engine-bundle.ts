/** The engine as one plain file, so that a process of its own can run it: it is there to be killed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const SCRIPT = `
import { query } from './engine.mjs';
const { prompt, options } = JSON.parse(process.argv[2]);
for await (const message of query({ prompt, options })) console.log(JSON.stringify(message));
`;

/** A script that runs \`query()\` with \`{ prompt, options }\` from its one argument, one message a line. */
export function writeQueryScript(folder: string): string {
  buildSync({
    entryPoints: [fileURLToPath(new URL('../../src/index.ts', import.meta.url))],
    outfile: join(folder, 'engine.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['@vscode/ripgrep'],
    logLevel: 'error',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  const script = join(folder, 'query.mjs');
  writeFileSync(script, SCRIPT);
  return script;
}
