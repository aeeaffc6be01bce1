/**
 * Generated conversations decide the same when they are replayed: faults, fallbacks, aborts, compactions, agents in the
 * foreground and the background, questions that are answered by another process, and up to two resumes.
 */

import { systemClock } from '@turnwright/base/clock.ts';
import { propertyRuns } from '@turnwright/test/long-form.ts';
import { TOOLS, turn } from '@turnwright/test/properties/generated-turns.ts';
import { obedientTool } from '@turnwright/test/properties/obedient-tools.ts';
import { recordingStore, replay, sequentialIds } from '@turnwright/testing';
import {
  type RehearsalServer,
  type ScriptedReply,
  startRehearsal,
  toolUse,
} from '@turnwright/testing/rehearsal';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CanUseTool, QueryEngine, type SDKMessage } from '../../src/index.ts';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import { redactRecords } from '../../src/session/redact-records.ts';

const RUNS = propertyRuns(15, 500);

const impatient = {
  ...systemClock,
  sleep: (_ms: number, signal?: AbortSignal) => systemClock.sleep(0, signal),
};

interface Ending {
  readonly how: 'run' | 'interrupt' | 'preempt' | 'leave';
  /** After this many messages. */
  readonly after: number;
}
const ending: fc.Arbitrary<Ending> = fc.record({
  how: fc.oneof(
    { weight: 4, arbitrary: fc.constant('run' as const) },
    {
      weight: 3,
      arbitrary: fc.constantFrom('interrupt' as const, 'preempt' as const, 'leave' as const),
    },
  ),
  after: fc.integer({ min: 1, max: 8 }),
});
/** A call that a person is asked about, and agents, which take the next answers for themselves. */
const moreCalls = fc.array(
  fc.constantFrom(
    toolUse('Ask', { deed: 'ok' }),
    toolUse('Ask', { deed: 'error' }),
    toolUse('Agent', { description: 'dig', prompt: 'Dig.', subagent_type: 'worker' }),
    toolUse('Agent', { description: 'd', prompt: 'Fill.', subagent_type: 'worker', run_in_background: true }),
  ),
  { maxLength: 2 },
);
const turnWithMore = fc
  .tuple(turn, moreCalls)
  .map(([drawn, calls]): ScriptedReply => ({ ...drawn, blocks: [...(drawn.blocks ?? []), ...calls] }));
const conversation = fc.record({
  turns: fc.array(fc.oneof(turn, turnWithMore), { maxLength: 6 }),
  /** Of the person; later questions are allowed. */
  answers: fc.array(fc.constantFrom('allow', 'deny', 'interrupt', 'later', 'later'), { maxLength: 5 }),
  endings: fc.tuple(ending, ending),
  hasFallbacks: fc.boolean(),
  maxTurns: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  window: fc.constantFrom(undefined, 30_000, 9_000),
  reopen: fc.integer({ min: 0, max: 2 }),
  stopHook: fc.boolean(),
  parkAfterMs: fc.constantFrom(undefined, 5),
  words: fc.constantFrom(1, 1, 4_000),
});

let server: RehearsalServer;
beforeAll(async () => {
  server = await startRehearsal();
});
afterAll(() => server.close());

describe('generated conversations', () => {
  it(`decide the same in a replay, in ${RUNS} runs`, async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (drawn) => {
        const {
          turns,
          answers,
          endings,
          hasFallbacks,
          maxTurns,
          window,
          reopen,
          stopHook,
          parkAfterMs,
          words,
        } = drawn;
        server.clear();
        server.setScenario({
          name: 'generated',
          replies: [
            {
              when: { kind: 'compaction' },
              blocks: [{ type: 'text', text: '<summary>Much.</summary>' }],
              times: 'any',
            },
            ...turns,
            { blocks: [{ type: 'text', text: 'Done.' }], times: 'any' },
          ],
        });
        const { store, journals } = knownJournals();
        const left = [...answers];
        const canUseTool: CanUseTool = async (_, updatedInput, { agentID }) => {
          const answer = left.shift();
          // Questions of agents are waited for.
          const canWait = parkAfterMs !== undefined && agentID === undefined;
          if (answer === 'later' && canWait) return new Promise(() => {});
          if (answer !== 'deny' && answer !== 'interrupt') return { behavior: 'allow', updatedInput };
          return { behavior: 'deny', message: 'No.', interrupt: answer === 'interrupt' };
        };
        const sessionId = sequentialIds().uuid();
        let blocks = 1;
        const open = (resume: boolean) =>
          new QueryEngine({
            cwd: '/',
            tools: [...TOOLS, ASK],
            agents: [{ name: 'worker', description: 'Works.', prompt: 'You work.' }],
            baseUrl: server.url,
            apiKey: 'key',
            model: 'claude-sonnet-5',
            allowRules: ['Look', 'Change', 'Agent'],
            canUseTool,
            parkAfterMs,
            store,
            clock: impatient,
            ...(hasFallbacks && {
              fallbackModel: 'elsewhere:claude-haiku-5-5,claude-opus-5-5',
              providers: {
                elsewhere: { type: 'anthropic', baseUrl: server.url, apiKeyEnv: 'ELSEWHERE' },
              },
              providerEnv: { ELSEWHERE: 'key' },
            }),
            ...(maxTurns === undefined ? {} : { maxTurns }),
            ...(window !== undefined && { compaction: { window } }),
            ...(stopHook && {
              hooks: {
                Stop: [
                  {
                    hooks: [
                      async () => (blocks-- > 0 ? { decision: 'block' as const, reason: 'Not yet.' } : {}),
                    ],
                  },
                ],
              },
            }),
            ...(resume ? { resume: sessionId } : { sessionId }),
          });
        let engine = open(false);
        const reopened = async () => {
          await engine.close();
          engine = open(true);
        };
        /** Parked, it goes on in another process. */
        const say = async (prompt: string, how: Ending) => {
          let last = await submit(engine, prompt, how).catch(async (error: { readonly code?: string }) => {
            // It was left as it was about to be parked.
            if (error.code !== 'engine_closed') throw error;
            await reopened();
            return await lastOf(engine.resume());
          });
          for (let times = 0; isParked(last) && times < 20; times++) {
            await reopened();
            last = await lastOf(engine.resume());
          }
        };
        await say('First. '.repeat(words), endings[0]);
        if (reopen > 0) await reopened();
        await say('Second.', endings[1]);
        if (reopen > 1) await reopened();
        await say('Third.', { how: 'run', after: 0 });
        await engine.close();
        for (const name of journals) {
          const entries = store.entries(name);
          const isAgent = name !== sessionId;
          count(entries, isAgent);
          const report = await replay(entries, { isAgent });
          if (report.difference !== undefined && process.env['REPLAY_DUMP'])
            for (const entry of entries) console.log(JSON.stringify(entry));
          const { records: _, ...difference } = report.difference ?? {};
          expect(difference, `${name} ${JSON.stringify(drawn)}`).toEqual({});
          if (!isAgent) expect(report.iterations).toBeGreaterThan(0);
          expect(report.notRecorded).toEqual([]);
          const { difference: redacted } = await replay(redactRecords(entries), { isAgent });
          expect(redacted && { ...redacted, records: undefined }, JSON.stringify(drawn)).toBeUndefined();
        }
      }),
      {
        numRuns: RUNS,
        endOnFailure: process.env['NOSHRINK'] !== undefined,
        timeout: 30_000,
        interruptAfterTimeLimit: 1_500_000,
        markInterruptAsFailure: true,
        ...seeded(),
      },
    );
    // A share of the sessions has each kind.
    if (RUNS >= 200) for (const kind of KINDS) expect([kind, counts.get(kind) ?? 0]).not.toEqual([kind, 0]);
  }, 1_800_000);
});

const ASK = obedientTool('Ask', { safe: false, effects: 'unsafe' }, { wait: async () => undefined });

/** A store, and the sessions and agents of which it has a journal. */
function knownJournals() {
  const store = recordingStore({ clock: systemClock });
  const journals = new Set<string>();
  return {
    journals,
    store: {
      ...store,
      takeOver(...given: Parameters<typeof store.takeOver>) {
        journals.add(given[0]);
        return store.takeOver(...given);
      },
    },
  };
}

const KINDS = ['agents', 'background agents', 'parked', 'retries', 'aborts', 'compactions'] as const;
const counts = new Map<(typeof KINDS)[number], number>();

function count(entries: readonly JournalEntry[], isAgent: boolean): void {
  const text = JSON.stringify(entries.filter(({ type }) => type !== 'context-snapshot'));
  const has: Record<(typeof KINDS)[number], boolean> = {
    agents: isAgent,
    'background agents': text.includes('"run_in_background":true'),
    parked: text.includes('"type":"parked"'),
    retries: text.includes('"api_retry"'),
    aborts: text.includes('"name":"aborted","verdict":"stop"'),
    compactions: text.includes('"type":"boundary"'),
  };
  for (const kind of KINDS) if (has[kind]) counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

const isParked = (last: SDKMessage | undefined): boolean =>
  last?.type === 'system' && last.subtype === 'session_parked';

async function lastOf(messages: AsyncIterable<SDKMessage>): Promise<SDKMessage | undefined> {
  let last: SDKMessage | undefined;
  for await (const message of messages) last = message;
  return last;
}

function seeded(): { seed?: number; path?: string } {
  const seed = process.env['TURNWRIGHT_PROPERTY_SEED'];
  const path = process.env['TURNWRIGHT_PROPERTY_PATH'];
  return { ...(seed === undefined ? {} : { seed: Number(seed) }), ...(path === undefined ? {} : { path }) };
}

async function submit(
  engine: QueryEngine,
  prompt: string,
  { how, after }: Ending,
): Promise<SDKMessage | undefined> {
  const messages: SDKMessage[] = [];
  for await (const message of engine.submitMessage(prompt)) {
    messages.push(message);
    if (messages.length !== after || how === 'run') continue;
    if (how === 'leave') return undefined;
    if (how === 'interrupt') engine.interrupt();
    else await engine.queue.put({ content: 'Never mind, this instead.', priority: 'now' });
  }
  for (let queued = engine.queue.take(); queued !== undefined; queued = engine.queue.take());
  return messages.at(-1);
}
