/** The engine as one plain file, so that a process of its own can run it: it is there to be killed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeOneFile } from '../one-file.ts';

const SCRIPT = `
import { query } from './engine.mjs';
const { prompt, options } = JSON.parse(process.argv[2]);
for await (const message of query({ prompt, options })) console.log(JSON.stringify(message));
`;

/** A script that runs \`query()\` with \`{ prompt, options }\` from its one argument, one message a line. */
export function writeQueryScript(folder: string): string {
  writeOneFile(
    fileURLToPath(new URL('../../packages/engine/src/index.ts', import.meta.url)),
    join(folder, 'engine.mjs'),
  );
  const script = join(folder, 'query.mjs');
  writeFileSync(script, SCRIPT);
  return script;
}
