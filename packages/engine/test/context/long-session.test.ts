/**
 * A long piece of work with large tool results, over real HTTP against the strict judge: whatever becomes of the
 * summaries, the session never stops of itself, and no refusal is left unrecovered.
 */

import { inShortAndLongForm } from '@turnwright/test/long-form.ts';
import { type RehearsalRequest, type Reply, text, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import type { DecisionRecord } from '../../src/protocol/session/decision-record.ts';
import {
  done,
  type Rehearsed,
  refusal,
  rehearsedEngine,
  resultOf,
  SUMMARY,
  systemWords,
} from './rehearsed-engine.ts';

const ITERATIONS = inShortAndLongForm(36, 400);

/** 1 000 to 13 000 tokens an iteration, now and then in two calls at once. */
function work({ call }: RehearsalRequest): Reply {
  if (call > ITERATIONS) return done('All looked at.');
  const tokens = 1_000 + (call % 7) * 2_000;
  const calls = call % 5 === 0 ? [tokens / 2, tokens / 2] : [tokens];
  return { blocks: [text(`Look ${call}.`), ...calls.map((part) => toolUse('Look', { tokens: part, call }))] };
}

/** Errors and empty answers, in turn. */
const useless = ({ call }: RehearsalRequest): Reply =>
  [refusal(500), { blocks: [] }, refusal(529), refusal(400)][call % 4] as Reply;

async function longRun(others: (request: RehearsalRequest) => Reply, collapse: boolean): Promise<Rehearsed> {
  const run = await rehearsedEngine({
    reply: (request) => (request.kind === 'main' ? work(request) : others(request)),
    window: undefined,
    config: { compaction: { collapse } },
  });
  const messages = await run.run('Look at everything.');
  expect(resultOf(messages)).toMatchObject({
    is_error: false,
    result: 'All looked at.',
    terminal_reason: 'completed',
  });
  const decisions = run.decisions();
  expect(decisions.filter(({ response }) => response !== undefined)).toHaveLength(ITERATIONS + 1);
  const rejected = run.server.report().rejected.map(({ request, rule }) => ({ request, rule }));
  const answered = run.server.requests.filter(({ kind }) => kind === 'main').length - rejected.length;
  expect(answered, 'every refused request was made again').toBeGreaterThanOrEqual(ITERATIONS + 1);
  console.log(`${rungs(decisions)}; refused ${rejected.length}; told ${count(systemWords(messages))}`);
  return run;
}

function rungs(decisions: readonly DecisionRecord[]): string {
  const fired = decisions.flatMap(({ prepare }) =>
    prepare
      .filter(({ ran, step }) => ran && step !== 'usage-warning')
      .map(({ step, why, tokensBefore, tokensAfter }) =>
        tokensAfter !== undefined && tokensAfter < (tokensBefore ?? 0)
          ? `${step}${why.startsWith('without a model') ? ' (trim)' : ''}`
          : `${step} (strike)`,
      ),
  );
  const recovered = decisions.flatMap(({ decision }) =>
    decision?.kind === 'continue' && decision.transition !== 'next_turn' ? [decision.transition] : [],
  );
  return `rungs: ${count([...fired, ...recovered])}`;
}

function count(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, n]) => `${word} ${n}`).join(', ') || 'none';
}

it(`${ITERATIONS} iterations with summaries`, async () => {
  const run = await longRun(() => SUMMARY, false);
  expect(run.sent('compaction').length).toBeGreaterThan(ITERATIONS / 40);
}, 300_000);

it(`F15, F18: ${ITERATIONS} iterations in which no summary can ever be had`, async () => {
  const run = await longRun(useless, false);
  // Three strikes, then none until the next prompt.
  expect(run.sent('compaction').length).toBeLessThanOrEqual(6);
  expect(
    run.decisions().some(({ prepare }) => prepare.some(({ why }) => why.startsWith('without a model'))),
  ).toBe(true);
}, 300_000);
