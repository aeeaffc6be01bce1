// Who does the works. `load` gives what has a session, and throws where the client is not installed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openPi, PI, PI_WORKS, piCall } from './pi.mjs';

const REFERENCE = '@anthropic-ai/claude-agent-sdk';
const PEERS = join(import.meta.dirname, '..', 'peers');

/** The folder that a package is installed in. */
function rootOf(name, ...folders) {
  const root = [...folders, PEERS].find((folder) => folder && existsSync(join(folder, 'node_modules', name)));
  if (root === undefined)
    throw new Error(`not installed: ${name} (ORACLE_ROOT or PI_ROOT, or npm ci in bench/peers)`);
  return root;
}

/** `works`: those that it can do; default: all. `call`: a call of the script as its tools take it. */
export const RUNNERS = {
  turnwright: { strict: true, load: async () => by((await import('turnwright')).query) },
  reference: {
    strict: false,
    async load() {
      const root = rootOf(REFERENCE, process.env.ORACLE_ROOT);
      return by((await import(pathToFileURL(join(root, 'node_modules', REFERENCE, 'sdk.mjs')).href)).query);
    },
  },
  pi: {
    strict: false,
    works: PI_WORKS,
    call: piCall,
    kindOf: ({ tools }) => (tools.length === 0 ? 'compaction' : 'main'),
    load: async () => openPi(rootOf(PI, process.env.PI_ROOT)),
  },
};

const by = (query) => (session) => haveSession(query, session);

/** Has one session of a work; returns its id. */
async function haveSession(query, { prompts, options }) {
  const answered = resolvers(prompts.length);
  let handle;
  async function* input() {
    for (const [at, { text, before, pauseMs }] of prompts.entries()) {
      if (at > 0) await answered[at - 1].promise;
      if (pauseMs !== undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await before?.(handle);
      yield { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null };
    }
    await answered.at(-1).promise;
  }
  handle = query({ prompt: input(), options });
  let sessionId;
  let at = 0;
  for await (const message of handle) {
    if (message.type !== 'result') continue;
    if (message.is_error) throw new Error(message.errors?.join() ?? message.result);
    sessionId = message.session_id;
    answered[at++]?.resolve();
  }
  return sessionId;
}

const resolvers = (count) =>
  Array.from({ length: count }, () => {
    let resolve;
    const promise = new Promise((done) => {
      resolve = done;
    });
    return { promise, resolve };
  });
