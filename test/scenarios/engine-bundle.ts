/** The engine as one plain file, so that a process of its own can run it: it is there to be killed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeOneFile } from '../one-file.ts';

const SCRIPT = `
import { query } from './engine.mjs';
const { prompt, options } = JSON.parse(process.argv[2]);
for await (const message of query({ prompt, options })) console.log(JSON.stringify(message));
`;

/** Bundled once for all tests of a worker. */
let engine: Buffer | undefined;

/** A script that runs \`query()\` with \`{ prompt, options }\` from its one argument, one message a line. */
export function writeQueryScript(folder: string): string {
  const file = join(folder, 'engine.mjs');
  if (engine !== undefined) writeFileSync(file, engine);
  else {
    writeOneFile(fileURLToPath(new URL('../../src/index.ts', import.meta.url)), file);
    engine = readFileSync(file);
  }
  const script = join(folder, 'query.mjs');
  writeFileSync(script, SCRIPT);
  return script;
}
