/**
 * B3: tokens, cost and counts of generated sessions are one number, wherever they are said: in the result, the
 * ledger, the decision records, the page and `explain`, `cost`, spans and metrics.
 */
import { systemClock } from '@turnwright/base/clock.ts';
import { propertyRuns } from '@turnwright/test/long-form.ts';
import { TOOLS, turn } from '@turnwright/test/properties/generated-turns.ts';
import { inspectEntries } from '@turnwright/test/session/inspect-entries.ts';
import { recordingStore, sequentialIds } from '@turnwright/testing';
import { type RehearsalServer, startRehearsal } from '@turnwright/testing/rehearsal';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { QueryEngine, type SDKMessage, type SDKResultMessage } from '../../src/index.ts';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import { resumeSession } from '../../src/session/resume/resume.ts';
import { SessionSpans } from '../../src/telemetry/session-spans.ts';

const RUNS = propertyRuns(12, 500);
const impatient = {
  ...systemClock,
  sleep: (_ms: number, signal?: AbortSignal) => systemClock.sleep(0, signal),
};

const drawn = fc.record({
  turns: fc.array(turn, { maxLength: 5 }),
  /** How the first submission ends; the second one runs. */
  ending: fc.constantFrom('run', 'run', 'interrupt', 'leave'),
  after: fc.integer({ min: 1, max: 8 }),
  hasFallback: fc.boolean(),
  window: fc.constantFrom(undefined, 30_000, 9_000),
  maxTurns: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
});

let server: RehearsalServer;
beforeAll(async () => {
  server = await startRehearsal();
});
afterAll(() => server.close());

type Values = Record<string, unknown>;

/** A tracer and a meter that only keep what they are told. */
function keepSignals() {
  const spans: { readonly name: string; readonly attributes: Values; isEnded: boolean }[] = [];
  const sums = new Map<string, number>();
  const add = (name: string) => (value: number) => void sums.set(name, (sums.get(name) ?? 0) + value);
  const tracer = {
    startSpan(name: string, { attributes }: { readonly attributes: Values }) {
      const span = { name, attributes: { ...attributes }, isEnded: false };
      spans.push(span);
      return {
        setAttributes: (more: Values) => void Object.assign(span.attributes, more),
        addEvent: () => undefined,
        setStatus: () => undefined,
        end() {
          span.isEnded = true;
        },
      };
    },
  };
  const meter = {
    createCounter: (name: string) => ({ add: add(name) }),
    createHistogram: (name: string) => ({ record: add(name) }),
  };
  return { spans, sumOf: (name: string) => sums.get(name) ?? 0, tracing: { tracer, meter } };
}

const sumOf = <T>(all: readonly T[], figure: (one: T) => number | undefined): number =>
  all.reduce((sum, one) => sum + (figure(one) ?? 0), 0);
const cents = (usd: number) => Number(usd.toFixed(9));

async function submit(engine: QueryEngine, prompt: string, ending: string, after: number) {
  const messages: SDKMessage[] = [];
  for await (const message of engine.submitMessage(prompt)) {
    messages.push(message);
    if (messages.length !== after || ending === 'run') continue;
    if (ending === 'leave') break;
    engine.interrupt();
  }
  return messages.find((message): message is SDKResultMessage => message.type === 'result');
}

it(`B3 every figure is one number, in ${RUNS} generated sessions`, async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async ({ turns, ending, after, hasFallback, window, maxTurns }) => {
      server.clear();
      const summary = { type: 'text' as const, text: '<summary>Much.</summary>' };
      server.setScenario({
        name: 'generated',
        replies: [
          { when: { kind: 'compaction' }, blocks: [summary], times: 'any' },
          ...turns,
          { blocks: [{ type: 'text', text: 'Done.' }], times: 'any' },
        ],
      });
      const store = recordingStore({ clock: systemClock });
      const sessionId = sequentialIds().uuid();
      const { spans, sumOf: metricOf, tracing } = keepSignals();
      const engine = new QueryEngine({
        cwd: '/',
        tools: TOOLS,
        baseUrl: server.url,
        apiKey: 'key',
        model: 'claude-sonnet-5',
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        store,
        clock: impatient,
        sessionId,
        spans: new SessionSpans(tracing),
        ...(hasFallback && { fallbackModel: 'claude-opus-5-5' }),
        ...(maxTurns !== undefined && { maxTurns }),
        ...(window !== undefined && { compaction: { window } }),
      });
      const results = [
        await submit(engine, 'First.', ending, after),
        await submit(engine, 'Second.', 'run', 0),
      ].filter((result) => result !== undefined);
      await engine.close();

      const entries = store.entries(sessionId) as readonly JournalEntry[];
      const { spending, totalCostUsd } = resumeSession(entries).totals;
      const records = entries.flatMap((entry) => (entry.type === 'decision' ? [entry.record] : []));
      const last = results.at(-1) as SDKResultMessage;

      // Ledger, result and what a later process, `cost` and the metrics make of it.
      const rows = Object.values(last.modelUsage);
      const usd = cents(totalCostUsd);
      expect(cents(last.total_cost_usd)).toBe(usd);
      expect(cents(sumOf(spending, ({ costUSD }) => costUSD))).toBe(usd);
      expect(cents(sumOf(rows, ({ costUSD }) => costUSD))).toBe(usd);
      expect(cents(metricOf('turnwright.cost'))).toBe(usd);
      const bought = {
        input: sumOf(
          spending,
          (row) => row.inputTokens + row.cacheReadInputTokens + row.cacheCreationInputTokens,
        ),
        output: sumOf(spending, (row) => row.outputTokens),
        cacheRead: sumOf(spending, (row) => row.cacheReadInputTokens),
        cacheWrite: sumOf(spending, (row) => row.cacheCreationInputTokens),
      };
      const usage = 'gen_ai.client.inference.usage';
      expect({
        input: metricOf(`${usage}.input_tokens`),
        output: metricOf(`${usage}.output_tokens`),
        cacheRead: metricOf(`${usage}.cache_read.input_tokens`),
        cacheWrite: metricOf(`${usage}.cache_write.input_tokens`),
      }).toEqual(bought);

      // Spans: of requests, and of submissions.
      expect(spans.filter(({ isEnded }) => !isEnded)).toEqual([]);
      const chats = spans.filter(({ name }) => name.startsWith('chat '));
      const spanSum = (name: string) =>
        sumOf(chats, ({ attributes }) => attributes[name] as number | undefined);
      expect({
        input: spanSum('gen_ai.usage.input_tokens'),
        output: spanSum('gen_ai.usage.output_tokens'),
        cacheRead: spanSum('gen_ai.usage.cache_read.input_tokens'),
        cacheWrite: spanSum('gen_ai.usage.cache_write.input_tokens'),
      }).toEqual(bought);
      expect(cents(spanSum('turnwright.cost.usd'))).toBe(usd);
      expect(
        chats.filter(({ attributes }) => attributes['gen_ai.usage.output_tokens'] !== undefined),
      ).toHaveLength(sumOf(spending, ({ calls }) => calls));
      const submissions = spans.filter(({ name }) => name === 'invoke_agent');
      expect(cents(sumOf(submissions, ({ attributes }) => attributes['turnwright.cost.usd'] as number))).toBe(
        usd,
      );

      // The page's data, which `explain --json` prints.
      const page = inspectEntries(entries);
      expect(cents(page.totals.costUsd)).toBe(usd);
      expect(page.cost.rows).toEqual(spending);
      const { fresh, cacheRead, cacheWrite, output } = page.totals.tokens;
      expect({ input: fresh + cacheRead + cacheWrite, output, cacheRead, cacheWrite }).toEqual(bought);
      expect(
        page.iterations.filter(({ agent, attempts }) => agent === '' && attempts.length > 0).length,
      ).toBe(records.filter(({ attempts }) => attempts.length > 0).length);
      expect(page.totals.calls).toBe(sumOf(records, ({ tools }) => tools.length));

      // Decision records, which `explain` reads: the loop's own calls; helpers are rows of their own.
      const ofLoop = spending.filter(({ purpose }) => purpose === 'loop' || purpose === 'retry_waste');
      expect(cents(sumOf(records, ({ costUsd }) => costUsd))).toBe(
        cents(sumOf(ofLoop, ({ costUSD }) => costUSD)),
      );
      const wasted = spending.filter(({ purpose }) => purpose === 'retry_waste');
      expect(cents(sumOf(records, ({ wastedCostUsd }) => wastedCostUsd))).toBe(
        cents(sumOf(wasted, ({ costUSD }) => costUSD)),
      );
      expect(spans.filter(({ name }) => name === 'turnwright.iteration').length).toBeGreaterThanOrEqual(
        records.filter(({ attempts }) => attempts.length > 0).length,
      );
      const tools = spans.filter(({ name }) => name.startsWith('execute_tool '));
      expect(tools.length).toBeGreaterThanOrEqual(
        sumOf(records, (record) => record.tools.filter(({ startedMs }) => startedMs !== undefined).length),
      );
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: 500_000, markInterruptAsFailure: true },
  );
}, 900_000);
