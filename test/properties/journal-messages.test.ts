/**
 * What a program that reads the journal of a session sees, and what the one that runs it saw: the same messages in the
 * same order, whatever broke on the way.
 */

import { systemClock } from '@turnwright/base/clock.ts';
import {
  createJournalMapper,
  createSdkMcpServer,
  type Options,
  query,
  type SDKMessage,
  type SDKUserMessage,
  tool,
} from '@turnwright/engine';
import { callTool, fakeTool, type RecordingStore, recordingStore, sequentialIds } from '@turnwright/testing';
import { type RehearsalServer, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lives, silentHost } from '../engine/parking/lives.ts';
import { propertyRuns } from '../long-form.ts';
import { TOOLS, turn } from './generated-turns.ts';

const RUNS = propertyRuns(20, 300);

/** Waits of back-offs are not slept; everything else is real. */
const impatient = {
  ...systemClock,
  sleep: (_ms: number, signal?: AbortSignal) => systemClock.sleep(0, signal),
};

let server: RehearsalServer;
beforeAll(async () => {
  server = await startRehearsal();
});
afterAll(() => server.close());

const prompt = (text: string, uuid: string): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content: text },
  parent_tool_use_id: null,
  uuid,
});

interface Session {
  readonly live: readonly SDKMessage[];
  readonly store: RecordingStore;
  readonly sessionId: string;
}

/** One submission after the other; `interruptAt`: after this many messages of the second. */
async function run(prompts: readonly string[], options: Options, interruptAt?: number): Promise<Session> {
  const store = recordingStore();
  const ids = sequentialIds();
  const sessionId = ids.uuid();
  const live: SDKMessage[] = [];
  let next: () => void = () => {};
  async function* input() {
    for (const text of prompts) {
      const answered = new Promise<void>((resolve) => {
        next = resolve;
      });
      yield prompt(text, ids.uuid());
      await answered;
    }
  }
  const running = query({
    prompt: input(),
    options: {
      cwd: '/',
      settingSources: [],
      env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'key' },
      model: 'claude-sonnet-5',
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      replayUserMessages: true,
      sessionId,
      ...options,
      engine: { store, clock: impatient, tools: TOOLS },
    },
  });
  let results = 0;
  let seen = 0;
  try {
    for await (const message of running) {
      live.push(message);
      if (results === 1 && ++seen === interruptAt) await running.interrupt();
      if (message.type !== 'result') continue;
      results += 1;
      next();
    }
  } catch (error) {
    if ((error as { code?: string }).code !== 'error_result') throw error;
  }
  return { live, store, sessionId };
}

async function derived({ store, sessionId }: Session): Promise<readonly SDKMessage[]> {
  const mapper = await createJournalMapper({ replayUserMessages: true });
  const messages: SDKMessage[] = [];
  for await (const entry of store.read(sessionId)) messages.push(...mapper.map(entry));
  return messages;
}

/** What a record cannot know: it is written with the end of the response, which the live message preceded. */
function withoutEnd(message: SDKMessage): SDKMessage {
  if (message.type !== 'assistant') return message;
  const { stop_reason: _, stop_sequence: __, usage: ___, ...body } = message.message;
  return { ...message, message: body } as SDKMessage;
}

const same = (message: SDKMessage): unknown => JSON.parse(JSON.stringify(withoutEnd(message)));

/** What only the process that runs a session says. */
const LIVE_ONLY = new Set(['init', 'thinking_tokens', 'model_refusal_no_fallback']);

function isRecorded(message: SDKMessage): boolean {
  switch (message.type) {
    case 'system':
      return !LIVE_ONLY.has(message.subtype);
    case 'command_lifecycle':
      return false;
    // What a local command answers is in the result alone.
    case 'assistant':
      return message.message.model !== '<synthetic>' || message.error !== undefined;
    case 'user':
      return !JSON.stringify(message.message.content).includes('<local-command-stdout>');
    default:
      return true;
  }
}

async function expectSame(session: Session, isInterrupted: boolean): Promise<void> {
  const all = await derived(session);
  const live = session.live.filter(isRecorded);
  const known = new Set(live.map(({ uuid }) => uuid));
  // The results of calls that an interrupt cut off are recorded, although no one waits for them.
  const read = isInterrupted ? all.filter(({ uuid }) => known.has(uuid)) : all;
  expect(read.map(same)).toEqual(live.map(same));
  expect(new Set(all.map(({ uuid }) => uuid)).size, 'each once').toBe(all.length);
}

describe('the journal of a session holds its stream', () => {
  it(`in ${RUNS} generated sessions`, async () => {
    const session = fc.record({
      turns: fc.array(turn, { maxLength: 5 }),
      prompts: fc.array(fc.constantFrom('Go on.', 'Go on.', '/compact'), { minLength: 1, maxLength: 3 }),
      maxTurns: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      interruptAt: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(session, async ({ turns, prompts, maxTurns, interruptAt }) => {
        server.clear();
        server.setScenario({
          name: 'generated',
          replies: [...turns, { blocks: [{ type: 'text', text: 'Done.' }], times: 'any' }],
        });
        const options = maxTurns === undefined ? {} : { maxTurns };
        await expectSame(await run(prompts, options, interruptAt), interruptAt !== undefined);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 300_000, markInterruptAsFailure: true },
    );
  }, 320_000);

  it('with the names of a server that a tool belongs to', async () => {
    server.clear();
    server.setScenario({
      name: 'server',
      replies: [
        { blocks: [toolUse('mcp__weather__rain_today', { place: 'Kiel' })] },
        { blocks: [{ type: 'text', text: 'Done.' }] },
      ],
    });
    const weather = createSdkMcpServer({
      name: 'weather',
      tools: [
        tool('rain_today', 'Tells whether it rains.', {}, async () => ({
          content: [{ type: 'text', text: 'yes' }],
        })),
      ],
    });
    const session = await run(['Does it rain?'], { mcpServers: { weather } });
    await expectSame(session, false);
    expect(await derived(session)).toContainEqual(
      expect.objectContaining({
        tool_use_meta: [expect.objectContaining({ server_display_name: 'weather', tool_name: 'rain_today' })],
      }),
    );
  });

  it('with the summary of a compaction', async () => {
    server.clear();
    const long = { type: 'text' as const, text: 'A long answer. '.repeat(1_500) };
    server.setScenario({
      name: 'long',
      replies: [
        { when: { kind: 'compaction' }, blocks: [{ type: 'text', text: 'In short.' }] },
        { blocks: [long], times: 'any' },
      ],
    });
    const prompts = [...Array.from({ length: 8 }, (_, n) => `Question ${n}.`), '/compact', 'And then?'];
    const session = await run(prompts, {});
    const summaries = (messages: readonly SDKMessage[]) =>
      messages.flatMap((message) =>
        message.type === 'user' && message.isSynthetic === true ? [message.uuid] : [],
      );
    const all = await derived(session);
    expect(summaries(all)).toHaveLength(1);
    expect(summaries(all)).toEqual(summaries(session.live));
    const boundaries = (messages: readonly SDKMessage[]) =>
      messages.filter((message) => message.type === 'system' && message.subtype === 'compact_boundary');
    expect(boundaries(all)).toHaveLength(1);
    expect(boundaries(all)).toEqual(boundaries(session.live));
  });

  it('with the end of a run that parks', async () => {
    const session = lives();
    const { canUseTool } = silentHost();
    const { messages } = await session.run({
      prompt: 'Go.',
      script: [callTool('Touch')],
      tools: [fakeTool({ name: 'Touch' })],
      options: { canUseTool },
    });
    const all = await derived({ ...session, live: messages });
    expect(all.at(-1)).toMatchObject({ subtype: 'session_parked' });
    expect(all.at(-1)).toEqual(messages.at(-1));
  });
});
