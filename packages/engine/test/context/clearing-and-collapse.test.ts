/** Snip, microcompact and collapse from end to end: a real engine, real HTTP, the strict judge, and resume after each. */

import { systemClock } from '@turnwright/base/clock.ts';
import { fakeTool, recordingStore } from '@turnwright/testing';
import {
  type RehearsalRequest,
  type RehearsalServer,
  type Reply,
  reply,
  startRehearsal,
  toolUse,
} from '@turnwright/testing/rehearsal';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { QueryEngineConfig } from '../../src/engine/config.ts';
import { QueryEngine } from '../../src/engine/query-engine.ts';
import { createModelClient } from '../../src/model/create-model-client.ts';
import type { CallModel } from '../../src/protocol/model/model.ts';
import type { Usage } from '../../src/protocol/model/wire.ts';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import type { SDKMessage } from '../../src/protocol/stream/sdk-messages.ts';

const MODEL = 'claude-sonnet-5';
/** E = 45 000, autocompact at 37 500, the rungs before it from 22 500. */
const WINDOW = 60_000;
const GIST = 'The gist of it.';
/** 6 000 tokens by the server's count and by ours. */
const LONG = 'wide '.repeat(4_800);
const SYSTEM = `You are a test. ${'Be brief. '.repeat(600)}`;

interface Setup {
  readonly main: (request: RehearsalRequest) => Reply;
  /** The n-th call (from 1) of the tool, before it answers. */
  readonly onCall?: (n: number, condensed: number) => boolean;
  readonly serverWindow?: number;
  readonly config?: Partial<QueryEngineConfig>;
}

async function setUp({ main, onCall, serverWindow = WINDOW, config }: Setup) {
  const server = await startRehearsal({
    windows: { [MODEL]: serverWindow },
    scenario: (request) => {
      if (request.kind === 'helper') return reply(GIST);
      if (request.kind === 'main') return main(request);
      return undefined;
    },
  });
  const client = createModelClient({ baseUrl: server.url, apiKey: 'k', clock: systemClock, random: () => 0 });
  let condensed = 0;
  const callModel: CallModel = async function* (request, options) {
    const outcome = yield* client.call(request, options);
    if (request.querySource === 'summary') condensed += 1;
    return outcome;
  };
  let calls = 0;
  const look = fakeTool({
    name: 'Look',
    effectClass: 'pure',
    microcompactable: config?.compaction?.collapse === false,
    async answer() {
      calls += 1;
      // What runs in the background is waited for here, where a slow tool would let it come to rest.
      for (const n = calls; onCall?.(n, condensed) === false; )
        await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
      return LONG;
    },
  });
  const store = recordingStore();
  const open = (resume?: string) => {
    const engine = new QueryEngine({
      cwd: '/work',
      tools: [look],
      systemPrompt: SYSTEM,
      model: MODEL,
      modelOverrides: { [MODEL]: { contextWindow: WINDOW } },
      thinking: { type: 'disabled' },
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      callModel,
      store,
      ...config,
      ...(resume !== undefined && { resume }),
    });
    onTestFinished(() => engine.close());
    return engine;
  };
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return { server, open, store };
}

async function ask(engine: QueryEngine, prompt: string): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const message of engine.submitMessage(prompt)) messages.push(message);
  expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', is_error: false });
  return messages;
}

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly context_management?: { readonly edits: readonly { readonly keep: { readonly value: number } }[] };
}

/** Main requests that were answered, with the usage the server counted. */
function answered(
  server: RehearsalServer,
): { readonly body: Sent; readonly text: string; readonly usage: Usage }[] {
  return server.requests.flatMap(({ kind, verdict, body }) =>
    kind === 'main' && verdict.kind === 'answered'
      ? [{ body: body as Sent, text: JSON.stringify((body as Sent).messages), usage: verdict.usage }]
      : [],
  );
}

const inputTokens = (usage: Usage | undefined) =>
  usage === undefined
    ? 0
    : usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;

const bare = (messages: Sent['messages']) =>
  JSON.stringify(messages, (key, value: unknown) => (key === 'cache_control' ? undefined : value)).slice(
    0,
    -1,
  );

const times = (sent: { readonly text: string } | undefined, part: string) =>
  (sent?.text.split(part).length ?? 0) - 1;

/** Not asserted on as texts: a difference would be printed whole. */
const goesOn = (earlier: { readonly body: Sent } | undefined, later: { readonly body: Sent } | undefined) =>
  bare(later?.body.messages ?? []).startsWith(bare(earlier?.body.messages ?? []));

const subtypes = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) => (message.type === 'system' ? [message.subtype] : []));

const transitions = (entries: readonly JournalEntry[]) =>
  entries.flatMap((entry) =>
    entry.type === 'decision' && entry.record.decision?.kind === 'continue'
      ? [entry.record.decision.transition]
      : [],
  );

const lookThen = (times: number) => (request: RehearsalRequest) =>
  request.call <= times ? reply([toolUse('Look', {}, `toolu_${request.call}`)]) : reply('Done.');

describe('cached microcompact', () => {
  const config = { compaction: { collapse: false, keepToolResults: 1 } };

  it('keeps the bytes and the cache: what is cleared is cleared once, and read from the cache from then on', async () => {
    const { server, open, store } = await setUp({ main: lookThen(7), config });
    const engine = open();
    const messages = await ask(engine, 'Look around.');
    const requests = answered(server);
    // The fifth result makes four of them old: 24 000 tokens.
    const [before, first, second, third] = requests.slice(4, 8);
    expect(before?.body.context_management).toBeUndefined();
    expect(first?.body.context_management).toMatchObject({ edits: [{ keep: { value: 1 } }] });
    expect(second?.body.context_management).toMatchObject({ edits: [{ keep: { value: 2 } }] });

    expect(goesOn(before, first)).toBe(true);
    expect(inputTokens(before?.usage)).toBeGreaterThan(24_000);
    expect(inputTokens(first?.usage)).toBeLessThan(9_000);
    expect(first?.usage.cache_read_input_tokens).toBeGreaterThan(1_400);
    for (const [earlier, later] of [
      [first, second],
      [second, third],
    ])
      expect(later?.usage.cache_read_input_tokens).toBe(inputTokens(earlier?.usage));

    const boundaries = messages.filter(
      (message) => message.type === 'system' && message.subtype === 'microcompact_boundary',
    );
    expect(boundaries).toMatchObject([{ tool_use_ids: ['toolu_1', 'toolu_2', 'toolu_3', 'toolu_4'] }]);
    expect(server.report().rejected).toEqual([]);

    await engine.close();
    server.clear();
    server.setScenario(() => reply('Still here.'));
    await ask(open(engine.sessionId), 'And now?');
    const [resumed] = answered(server);
    expect(times(resumed, LONG)).toBe(7);
    expect(inputTokens(resumed?.usage)).toBeLessThan(9_000);
    expect(store.entries(engine.sessionId).some((entry) => entry.type === 'replacement')).toBe(false);
  });

  it('switched off, clears in the view, and a resumed session sends the same', async () => {
    const { server, open } = await setUp({
      main: lookThen(5),
      config: { compaction: { ...config.compaction, cachedMicrocompact: false } },
    });
    const engine = open();
    await ask(engine, 'Look around.');
    const last = answered(server).at(-1);
    expect(last?.body.context_management).toBeUndefined();
    expect(times(last, LONG)).toBe(1);
    expect(inputTokens(last?.usage)).toBeLessThan(9_000);
    await engine.close();
    server.clear();
    server.setScenario(() => reply('Still here.'));
    await ask(open(engine.sessionId), 'And now?');
    expect(goesOn(last, answered(server)[0])).toBe(true);
  });
});

describe('context collapse', () => {
  it('commits what was staged instead of compacting, and a resumed session projects the same view', async () => {
    const { server, open, store } = await setUp({
      main: lookThen(7),
      onCall: (n, condensed) => n < 7 || condensed >= 2,
    });
    const engine = open();
    const messages = await ask(engine, 'Look around.');
    expect(subtypes(messages)).not.toContain('compact_boundary');
    expect(server.requests.filter(({ kind }) => kind === 'compaction')).toEqual([]);
    const requests = answered(server);
    expect(inputTokens(requests.at(-2)?.usage)).toBeGreaterThan(36_000);
    expect(inputTokens(requests.at(-1)?.usage)).toBeLessThan(22_000);
    const last = requests.at(-1);
    expect(times(last, GIST)).toBe(2);
    expect(times(last, 'Look around.')).toBe(1);
    expect(server.report().rejected).toEqual([]);
    const result = messages.at(-1);
    expect(result?.type === 'result' && Object.keys(result.modelUsage)).toContain('claude-haiku-5-5');

    const entries = store.entries(engine.sessionId);
    expect(entries.filter((entry) => entry.type === 'collapse')).toHaveLength(1);
    await engine.close();
    server.clear();
    server.setScenario(() => reply('Still here.'));
    await ask(open(engine.sessionId), 'And now?');
    expect(goesOn(last, answered(server)[0])).toBe(true);
  });

  it('drains what is staged when a request was too long after all', async () => {
    const { server, open, store } = await setUp({
      main: lookThen(5),
      onCall: (n, condensed) => n < 5 || condensed >= 1,
      serverWindow: 32_000,
    });
    const engine = open();
    const messages = await ask(engine, 'Look around.');
    const entries = store.entries(engine.sessionId);
    expect(transitions(entries)).toContain('collapse_drain_retry');
    expect(transitions(entries)).not.toContain('reactive_compact_retry');
    expect(subtypes(messages)).not.toContain('compact_boundary');
    expect(messages.some((message) => message.type === 'assistant' && message.error !== undefined)).toBe(
      false,
    );
    const last = answered(server).at(-1);
    expect(times(last, GIST)).toBeGreaterThan(0);

    await engine.close();
    server.clear();
    server.setScenario(() => reply('Still here.'));
    await ask(open(engine.sessionId), 'And now?');
    expect(goesOn(last, answered(server)[0])).toBe(true);
  });
});

describe('snip', () => {
  it('takes what the model marks out of the context, tells the host, and stays so after resume', async () => {
    const told: number[] = [];
    const { server, open } = await setUp({
      main: ({ call }) => {
        if (call <= 2) return reply([toolUse('Look', {}, `toolu_${call}`)]);
        if (call === 3) return reply([toolUse('Snip', { tool_use_ids: ['toolu_1', 'toolu_9'] }, 'toolu_3')]);
        return reply('Done.');
      },
      config: {
        compaction: { snipTool: true },
        snipReplay: (_, store) => void told.push(store.length),
      },
    });
    const engine = open();
    const messages = await ask(engine, 'Look around.');
    const last = answered(server).at(-1);
    const ids = [...(last?.text ?? '').matchAll(/"tool_use_id":"(toolu_\d)"/g)].map(([, id]) => id);
    expect(ids).toEqual(['toolu_2', 'toolu_3']);
    const answer = /"content":"(1 call [^"]*)"/.exec(last?.text ?? '')?.[1];
    expect(answer).toBe(
      '1 call with its result will be removed from the context.\\n' +
        'toolu_9 was not removed: No call or message in the context has this id.',
    );
    expect(messages).toContainEqual(
      expect.objectContaining({
        subtype: 'snip_boundary',
        removed_uuids: [expect.any(String), expect.any(String)],
      }),
    );
    expect(told).toEqual([7]);
    expect(server.report().rejected).toEqual([]);

    await engine.close();
    server.clear();
    server.setScenario(() => reply('Still here.'));
    await ask(open(engine.sessionId), 'And now?');
    expect(goesOn(last, answered(server)[0])).toBe(true);
  });

  it('is offered when it is enabled, and only then', async () => {
    for (const [compaction, offered] of [
      [{}, false],
      [{ snipTool: true }, true],
      [{ snipTool: true, snip: false }, false],
    ] as const) {
      const { server, open } = await setUp({ main: () => reply('Done.'), config: { compaction } });
      await ask(open(), 'Hello.');
      const body = server.requests[0]?.body as { tools: { name: string }[] } | undefined;
      expect(body?.tools.some(({ name }) => name === 'Snip')).toBe(offered);
    }
  });
});
