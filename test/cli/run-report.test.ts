import type { DecisionRecord, ModelUsage, SDKResultMessage } from '@turnwright/engine';
import { TERMINAL_REASONS } from '@turnwright/engine';
import { EMPTY_USAGE } from '@turnwright/engine/protocol/model/wire.ts';
import { createTheme } from '@turnwright/terminal/text/theme.ts';
import { expect, test } from 'vitest';
import { createRunNotes } from '../../packages/cli/src/run/run-notes.ts';
import { reportRows, toolWork } from '../../packages/cli/src/run/run-report.ts';
import { stopSentence, summaryLines } from '../../packages/cli/src/words/summary.ts';
import { wholeUsage } from '../../packages/engine/src/engine/output/result-fields.ts';
import { say } from './fake-run.ts';

const USAGE: ModelUsage = {
  inputTokens: 100,
  outputTokens: 1_500,
  cacheReadInputTokens: 3_000,
  cacheCreationInputTokens: 900,
  cacheCreationEphemeral5mInputTokens: 900,
  cacheCreationEphemeral1hInputTokens: 0,
  thinkingTokens: 0,
  webSearchRequests: 0,
  costUSD: 0.02,
  contextWindow: 1_000_000,
  maxOutputTokens: 128_000,
  costBasis: 'list',
};

const RESULT: SDKResultMessage = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'Done.',
  duration_ms: 4_200,
  duration_api_ms: 3_000,
  num_turns: 3,
  stop_reason: 'end_turn',
  terminal_reason: 'completed',
  total_cost_usd: 0.0234,
  usage: wholeUsage(EMPTY_USAGE),
  modelUsage: { 'claude-opus-5-5': USAGE },
  permission_denials: [],
  uuid: 'u',
  session_id: 's',
};

type Times = readonly [from: number | undefined, to: number];

function decision(attempts: readonly Times[], tools: readonly Times[], next?: 'next_turn'): DecisionRecord {
  return {
    attempts: attempts.map(([startMs = 0, endMs]) => ({
      startMs,
      endMs,
      model: 'm',
      stream: true,
      bytes: 1,
      outcome: 'complete',
    })),
    tools: tools.map(([startedMs, endedMs]) => ({
      id: 't',
      name: 'Read',
      queuedMs: 0,
      ...(startedMs !== undefined && { startedMs }),
      endedMs,
      outcome: 'ok',
      inputChars: 1,
      resultChars: 1,
      concurrent: true,
    })),
    decision:
      next === undefined
        ? { kind: 'stop', terminal: 'completed', sentence: '' }
        : { kind: 'continue', transition: next, sentence: '' },
  } as unknown as DecisionRecord;
}

test('tool work is counted once where tools overlap, and only as far as its own response was streaming', () => {
  expect(
    toolWork([
      decision(
        [[0, 100]],
        [
          [20, 60],
          [40, 80],
          [90, 150],
        ],
      ),
    ]),
  ).toEqual({ calls: 3, busyMs: 120, overlapMs: 70 });
  // Never started, and a tool that began when the stream was over.
  expect(
    toolWork([
      decision(
        [[0, 100]],
        [
          [undefined, 120],
          [110, 130],
        ],
      ),
    ]),
  ).toEqual({ calls: 2, busyMs: 20, overlapMs: 0 });
  expect(toolWork([])).toEqual({ calls: 0, busyMs: 0, overlapMs: 0 });
});

test('a report tells what was recorded', async () => {
  const notes = createRunNotes();
  await notes.show(
    say.system({
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: 500,
      error_status: 529,
      error: 'overloaded',
    }),
  );
  await notes.show(
    say.system({
      subtype: 'compact_boundary',
      compact_metadata: { trigger: 'auto', pre_tokens: 40_000, post_tokens: 9_000 },
    }),
  );
  const decisions = [decision([[0, 100]], [[50, 150]], 'next_turn'), decision([[200, 300]], [])];
  const rows = Object.fromEntries(
    reportRows({ result: RESULT, notes, decisions, statuses: [529, 200, 200] }),
  );
  expect(rows).toEqual({
    iterations: '2, ended as completed',
    transitions: 'next_turn ×1',
    HTTP: '3 requests: 529 ×1, 200 ×2',
    retries: 'overloaded (529), waited 500 ms',
    compactions: '40.0k → 9.0k tokens',
    tools: '1 call, 100 ms of work, 50 % of it while the model was still answering',
    tokens: '4.0k in, 1.5k out',
    'cache hits': '75 % of the input (3.0k read, 900 written)',
    cost: '$0.0234 by list prices',
    time: '4.2 s',
  });
});

test('the summary of a run that completed', () => {
  const lines = summaryLines(RESULT, { turns: 3, calls: 2 }, createTheme('none'));
  expect(lines).toEqual([
    '— 3 turns · 2 tool calls · 4.0k tokens in (75 % from cache) · 1.5k out · $0.0234 · 4.2 s',
  ]);
});

test('models without a price are not passed off as free', () => {
  const result = {
    ...RESULT,
    modelUsage: { local: { ...USAGE, costBasis: 'unknown' as const } },
    total_cost_usd: 0,
  };
  expect(summaryLines(result, { turns: 1, calls: 0 }, createTheme('none'))[0]).toContain('no price known');
});

test('every way to stop but completion has its words', () => {
  for (const terminal_reason of TERMINAL_REASONS) {
    const said = stopSentence({ ...RESULT, terminal_reason });
    if (terminal_reason === 'completed') expect(said).toBeUndefined();
    else expect(said).toMatch(/^\w[^_]*$/);
  }
  expect(stopSentence({ ...RESULT, stop_reason: 'refusal' })).toContain('refused');
});
