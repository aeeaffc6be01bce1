/**
 * Whatever a judge of the mode `auto` answers, and whenever: no call runs that rules deny or ask about, or that is for a
 * person; a strict budget is kept; each prompt has exactly one result, and each call one answer.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Options } from '@turnwright/engine';
import { reply, type ScriptedReply, toolUse } from '@turnwright/testing/rehearsal';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inForm } from '../long-form.ts';
import { unanswered } from '../scenarios/journal.ts';
import { allows, handsOn, JUDGE, judged } from '../scenarios/judge-answers.ts';
import { rehearse } from '../scenarios/rehearse.ts';

const bash = (command: string) => reply(toolUse('Bash', { command }));
const write = (file_path: string) => reply(toolUse('Write', { file_path, content: 'x' }));

const CALLS = {
  denied: () => bash('touch forbidden'),
  asked: () => write('asked.txt'),
  protected: () => write('.claude/settings.json'),
  outside: () => write('../outside.txt'),
  unread: () => bash('touch "$(echo unread)"'),
  outward: () => bash('git push --force'),
  open: () => write('open.txt'),
  pair: () =>
    reply([
      toolUse('Write', { file_path: 'one.txt', content: 'x' }),
      toolUse('Bash', { command: 'touch forbidden' }),
      toolUse('Write', { file_path: 'two.txt', content: 'x' }),
    ]),
} as const;

const ANSWERS: Readonly<Record<string, () => ScriptedReply>> = {
  allow: () => allows(),
  handOn: () => handsOn(),
  garbage: () => judged('Certainly! {"verdict":"allow","reason":"x"}'),
  both: () => judged('{"verdict":"allow","verdict":"hand_on","reason":1}'),
  slow: () => judged('{"verdict":"allow","reason":"late"}', { timing: { headersMs: 3_600_000 } }),
  fails: () => judged('x', { faults: [{ name: 'http-status', status: 400 }] }),
  cut: () => judged('{"verdict":"allow","reason":"cut"}', { faults: [{ name: 'reset-before-headers' }] }),
};

const limits: fc.Arbitrary<Options> = fc.record({
  maxTurns: fc.integer({ min: 1, max: 5 }),
  maxBudgetUsd: fc.constantFrom(0.01, 0.5, 5),
  strictBudget: fc.constant(true),
});

it('no sequence of answers gets around a rule, a bound, a budget or the one result', {
  timeout: 300_000,
}, async () => {
  const keys = <T extends object>(of: T) => fc.constantFrom(...(Object.keys(of) as (keyof T)[]));
  const script = fc.array(keys(CALLS), { minLength: 1, maxLength: 4 });
  const answers = fc.array(keys(ANSWERS), { minLength: 8, maxLength: 8 });
  const interrupts = fc.boolean();
  await fc.assert(
    fc.asyncProperty(script, answers, limits, interrupts, async (calls, said, limit, interrupt) => {
      const run = await rehearse({
        replies: [
          ...calls.map((call) => CALLS[call]()),
          ...said.map((answer) => ANSWERS[answer]?.() as ScriptedReply),
          ...Array.from({ length: 6 }, () => reply('Done.')),
        ],
        options: {
          permissionMode: 'auto',
          autoMode: { judge: JUDGE, timeoutMs: 100 },
          disallowedTools: ['Bash(touch:*)'],
          settings: { permissions: { ask: ['Write(asked.txt)'] } },
          ...limit,
        },
        partial: true,
        onMessage: async (message, { query, server }) => {
          const isJudged = server.requests.some(({ body }) => JSON.stringify(body).includes(JUDGE));
          if (interrupt && message.type === 'assistant' && isJudged) await query.interrupt();
        },
      });
      const exists = (name: string) => existsSync(join(run.cwd, name));
      expect(
        ['forbidden', 'asked.txt', '.claude/settings.json', '../outside.txt', 'unread'].filter(exists),
      ).toEqual([]);
      expect(run.results).toHaveLength(1);
      expect(run.results[0]?.total_cost_usd).toBeLessThanOrEqual(limit.maxBudgetUsd ?? 0);
      expect(unanswered(run.entries)).toEqual([]);
      if (!said.includes('allow')) expect(exists('open.txt')).toBe(false);
      const allowed = run.entries.filter((entry) => entry.type === 'judge' && entry.verdict === 'allow');
      expect(allowed.length).toBeLessThanOrEqual(said.filter((answer) => answer === 'allow').length);
    }),
    { numRuns: inForm(8, 200) },
  );
});
