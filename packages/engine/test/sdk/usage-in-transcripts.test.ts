/** Programs that read transcripts sum what each response cost, per message id and request id. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { type RehearsalServer, reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { query } from '../../src/index.ts';

let server: RehearsalServer;
let folder: string;
beforeEach(async () => {
  server = await startRehearsal();
  folder = await mkdtemp(join(tmpdir(), 'turnwright-usage-'));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const FIGURES = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
] as const;
type Figures = Record<(typeof FIGURES)[number], number>;

interface Line {
  readonly type: string;
  readonly requestId?: string;
  readonly message?: { readonly id?: string; readonly usage?: Figures; readonly stop_reason?: string | null };
}

/** As such a program does it: every transcript of the home, of each pair the last line. */
async function sumLikeReaders(home: string, only = /\.jsonl$/): Promise<Figures> {
  const last = new Map<string, Figures>();
  for (const name of await readdir(join(home, 'projects'), { recursive: true })) {
    if (!only.test(name)) continue;
    for (const line of (await readFile(join(home, 'projects', name), 'utf8')).trim().split('\n')) {
      const { type, requestId, message } = JSON.parse(line) as Line;
      if (type !== 'assistant' || message?.id === undefined || message.usage === undefined) continue;
      expect(requestId, 'every record of an answer names its request').toMatch(/^req_/);
      last.set(`${message.id} ${requestId}`, message.usage);
    }
  }
  return Object.fromEntries(
    FIGURES.map((name) => [name, [...last.values()].reduce((sum, usage) => sum + usage[name], 0)]),
  ) as Figures;
}

describe('who sums usage over transcripts', () => {
  it('comes to what the result says, agents and a cut answer included', async () => {
    server.setScenario({
      name: 'usage',
      replies: [
        reply([
          { type: 'text', text: 'Two things to look at.' },
          toolUse('Agent', { subagent_type: 'digger', prompt: 'Dig.', description: 'dig' }),
        ]),
        reply('Found it, after a long while of digging.', { when: { kind: 'helper' } }),
        reply(['A whole block.', 'And one that is cut off.'], { faults: [{ name: 'cut', after: 5 }] }),
        reply('Here is what it comes to.'),
      ],
    });
    const home = join(folder, 'home');
    const { messages, results, error } = await gather(
      query({
        prompt: 'Go.',
        options: {
          cwd: folder,
          env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k', TURNWRIGHT_HOME: home },
          tools: ['Agent'],
          agents: { digger: { description: 'Digs.', prompt: 'You dig.' } },
        },
      }),
    );
    expect(error).toBeUndefined();
    const [result] = results;
    if (result === undefined) throw new Error('no result');
    expect(result).toMatchObject({ subtype: 'success', result: 'Here is what it comes to.' });
    expect(await sumLikeReaders(home, /^[^/]+\/[^/]+\.jsonl$/)).toEqual(
      Object.fromEntries(FIGURES.map((name) => [name, result.usage[name]])),
    );
    const used = Object.values(result.modelUsage);
    const total = (name: keyof (typeof used)[number]) =>
      used.reduce((sum, each) => sum + Number(each[name]), 0);
    expect(await sumLikeReaders(home)).toEqual({
      input_tokens: total('inputTokens'),
      output_tokens: total('outputTokens'),
      cache_creation_input_tokens: total('cacheCreationInputTokens'),
      cache_read_input_tokens: total('cacheReadInputTokens'),
    });
    for (const message of messages)
      if (message.type === 'assistant') expect(message.request_id).toMatch(/^req_rehearsal_/);
  });
});
