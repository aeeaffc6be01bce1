// A session in which one thing writes far too much, through the built library: how much memory the process takes on.
// Prints one line of JSON. Usage:
//   node --expose-gc output-floods.mjs '{ "url", "folder", "warmUp", "prompt", "options" }'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { query } from '../../../dist/index.js';
import { unattended } from './unattended.mjs';

const { url, folder, warmUp, prompt, options } = JSON.parse(process.argv[2]);
const cwd = join(folder, 'work');
mkdirSync(cwd, { recursive: true });

/** Bytes, as the kernel counts them: `VmRSS`, or `VmHWM` for the most since the last reset. */
const memory = (name) =>
  1024 * Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);

async function session(text) {
  let result;
  const running = query({
    prompt: text,
    options: {
      cwd,
      ...unattended(url, join(folder, 'home'), { HOME: folder }),
      model: 'claude-sonnet-5',
      settingSources: [],
      ...options,
    },
  });
  try {
    for await (const message of running) if (message.type === 'result') result = message;
  } catch (error) {
    return { subtype: 'error', errors: [error.message] };
  }
  return result;
}

// The same with little: code is loaded, and the first garbage is collected.
for (let n = 0; n < 3; n++) await session(warmUp);
for (let n = 0; n < 3; n++) {
  globalThis.gc();
  await new Promise((resolve) => setTimeout(resolve, 50));
}
writeFileSync('/proc/self/clear_refs', '5');
const before = memory('VmRSS');
const result = await session(prompt);
console.log(
  JSON.stringify({
    growth: memory('VmHWM') - before,
    before,
    subtype: result?.subtype,
    said: JSON.stringify(result?.errors ?? result?.result ?? ''),
  }),
);
