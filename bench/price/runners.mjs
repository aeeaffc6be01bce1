// Who does the works: two clients with one interface. `load` throws where the client is not installed.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const REFERENCE = '@anthropic-ai/claude-agent-sdk';
const PEERS = join(import.meta.dirname, '..', 'peers');

export const RUNNERS = {
  turnwright: { strict: true, load: async () => (await import('turnwright')).query },
  reference: {
    strict: false,
    async load() {
      const root = [process.env.ORACLE_ROOT, PEERS].find(
        (folder) => folder && existsSync(join(folder, 'node_modules', REFERENCE)),
      );
      if (root === undefined)
        throw new Error(`not installed: ${REFERENCE} (ORACLE_ROOT, or npm ci in bench/peers)`);
      return (await import(pathToFileURL(join(root, 'node_modules', REFERENCE, 'sdk.mjs')).href)).query;
    },
  },
};

/** Has one session of a work; returns its id. */
export async function haveSession(query, { prompts, options }) {
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
