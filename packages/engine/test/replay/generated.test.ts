/** Generated conversations, with faults, fallbacks, aborts and a resume, decide the same when they are replayed. */

import { systemClock } from '@turnwright/base/clock.ts';
import { propertyRuns } from '@turnwright/test/long-form.ts';
import { TOOLS, turn } from '@turnwright/test/properties/generated-turns.ts';
import { recordingStore, replay, sequentialIds } from '@turnwright/testing';
import { type RehearsalServer, startRehearsal } from '@turnwright/testing/rehearsal';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QueryEngine, type SDKMessage } from '../../src/index.ts';
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
const conversation = fc.record({
  turns: fc.array(turn, { maxLength: 5 }),
  endings: fc.tuple(ending, ending),
  hasFallbacks: fc.boolean(),
  maxTurns: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  window: fc.constantFrom(undefined, 30_000, 9_000),
  reopen: fc.integer({ min: 0, max: 2 }),
  stopHook: fc.boolean(),
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
        const { turns, endings, hasFallbacks, maxTurns, window, reopen, stopHook } = drawn;
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
        const store = recordingStore({ clock: systemClock });
        const sessionId = sequentialIds().uuid();
        let blocks = 1;
        const open = (resume: boolean) =>
          new QueryEngine({
            cwd: '/',
            tools: TOOLS,
            baseUrl: server.url,
            apiKey: 'key',
            model: 'claude-sonnet-5',
            permissionMode: 'bypassPermissions',
            allowDangerouslySkipPermissions: true,
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
        await submit(engine, 'First.', endings[0]);
        const goOn = async () => {
          await engine.close();
          engine = open(true);
        };
        if (reopen > 0) await goOn();
        await submit(engine, 'Second.', endings[1]);
        if (reopen > 1) await goOn();
        await submit(engine, 'Third.', { how: 'run', after: 0 });
        await engine.close();
        const entries = store.entries(sessionId);
        const report = await replay(entries);
        if (report.difference !== undefined && process.env['REPLAY_DUMP'])
          for (const entry of store.entries(sessionId)) console.log(JSON.stringify(entry));
        if (report.difference !== undefined) {
          const { records: _, ...difference } = report.difference;
          expect(difference, JSON.stringify(drawn)).toBeUndefined();
        }
        expect(report.iterations).toBeGreaterThan(0);
        expect(report.notRecorded).toEqual([]);
        const { difference: redacted } = await replay(redactRecords(entries));
        expect(redacted && { ...redacted, records: undefined }, JSON.stringify(drawn)).toBeUndefined();
      }),
      {
        numRuns: RUNS,
        endOnFailure: process.env['NOSHRINK'] !== undefined,
        interruptAfterTimeLimit: 500_000,
        markInterruptAsFailure: true,
        ...seeded(),
      },
    );
  }, 900_000);
});

function seeded(): { seed?: number; path?: string } {
  const seed = process.env['TURNWRIGHT_PROPERTY_SEED'];
  const path = process.env['TURNWRIGHT_PROPERTY_PATH'];
  return { ...(seed === undefined ? {} : { seed: Number(seed) }), ...(path === undefined ? {} : { path }) };
}

async function submit(engine: QueryEngine, prompt: string, { how, after }: Ending): Promise<void> {
  const messages: SDKMessage[] = [];
  for await (const message of engine.submitMessage(prompt)) {
    messages.push(message);
    if (messages.length !== after || how === 'run') continue;
    if (how === 'leave') return;
    if (how === 'interrupt') engine.interrupt();
    else await engine.queue.put({ content: 'Never mind, this instead.', priority: 'now' });
  }
  for (let queued = engine.queue.take(); queued !== undefined; queued = engine.queue.take());
}
