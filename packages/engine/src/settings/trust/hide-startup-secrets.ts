/**
 * Hides the environment and arguments of this process from the commands, servers and hooks that it starts.
 */
import { isMainThread } from 'node:worker_threads';
import { overwriteStartupStrings } from '@turnwright/base/process/startup-strings.ts';
import { isWithheld } from '../resolve/child-env.ts';

/** Options whose value may be JSON with headers, variables and addresses in it. */
const HOLDS_CONFIGURATION = /^--(?:mcp-config|settings|agents)(?:=|$)/;

let done = false;

/**
 * Called once per process, before it starts another one: a child process does not inherit secrets, but on
 * Linux it could read them in `/proc/<pid>/environ` and `cmdline` of its parent. Values in `process.env` stay
 * as they are. In a worker nothing is done, because its environment is not that of the process.
 */
export function hideStartupSecrets(): void {
  if (done || process.platform !== 'linux' || !isMainThread) return;
  done = true;
  const kept = { ...process.env };
  overwriteStartupStrings({ variable: isWithheld, word: configurationIn });
  for (const [name, value] of Object.entries(kept))
    if (process.env[name] !== value) process.env[name] = value;
}

/** Position of JSON in a word; -1: none. A path to a file stays readable. */
function configurationIn(word: string, before = ''): number {
  const json = /^\s*[[{]/;
  if (HOLDS_CONFIGURATION.test(before) && !before.includes('=') && json.test(word)) return 0;
  const value = HOLDS_CONFIGURATION.test(word) ? word.indexOf('=') + 1 : 0;
  return value > 0 && json.test(word.slice(value)) ? value : -1;
}
