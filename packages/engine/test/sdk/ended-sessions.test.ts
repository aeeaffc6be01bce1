import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { query } from '../../src/index.ts';

let server: RehearsalServer;
let folder: string;
beforeEach(async () => {
  server = await startRehearsal();
  folder = await mkdtemp(join(tmpdir(), 'turnwright-ended-'));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a session that holds on to its host's function while it lives. */
async function held(how: 'to its result' | 'closed'): Promise<WeakRef<object>> {
  const canUseTool = async () => ({ behavior: 'allow' as const });
  const session = query({
    prompt: 'Go.',
    options: {
      cwd: folder,
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', TURNWRIGHT_HOME: join(folder, 'home') },
      tools: ['Write'],
      promptSuggestions: true,
      canUseTool,
    },
  });
  if (how === 'closed') {
    await session.next();
    await session.close();
  } else expect((await gather(session)).results).toMatchObject([{ subtype: 'success' }]);
  return new WeakRef(canUseTool);
}

describe('of a session that has ended', () => {
  it.each(['to its result', 'closed'] as const)('nothing is kept in memory (%s)', async (how) => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    server.setScenario(({ body }) =>
      JSON.stringify(body).includes('tool_result')
        ? reply('Written.')
        : reply(toolUse('Write', { file_path: join(folder, 'note.txt'), content: 'x' })),
    );
    const refs: WeakRef<object>[] = [];
    for (let i = 0; i < 4; i++) refs.push(await held(how));
    // What ran last may still be on its way out.
    refs.pop();
    await expect
      .poll(() => {
        collect();
        return refs.filter((ref) => ref.deref() !== undefined).length;
      })
      .toBe(0);
  });
});
