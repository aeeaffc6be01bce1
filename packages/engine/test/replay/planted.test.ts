/** One thing is changed, in the loop, its ports or the record: the replay names the iteration and the fact. */

import { lazily } from '@turnwright/base/collections/made-once.ts';
import { engineUnderTest } from '@turnwright/test/engine/engine-under-test.ts';
import { callTool, fakeTool, type ReplayOptions, replay, reply, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { Rule } from '../../src/loop/rule.ts';
import { RULES } from '../../src/loop/rules/index.ts';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import type { ToolExecutor } from '../../src/protocol/tools/tool-call.ts';

/** Three turns, the second with two calls; then an answer above the cap; then stop hooks. */
const recorded = lazily(async () => {
  const run = engineUnderTest(
    [
      callTool('Look', { at: 'it' }),
      reply([say('Both.'), callTool('Look', { at: 'a' }), callTool('Look', { at: 'b' })]),
      reply([say('Cut')], { stopReason: 'max_tokens' }),
      say('Whole.'),
      say('Yes.'),
      say('Second.'),
    ],
    {
      tools: [fakeTool({ name: 'Look', readOnly: true })],
      maxTurns: 9,
      parkAfterMs: 60_000,
      hooks: { Stop: [{ hooks: [once()] }] },
    },
  );
  await run.run('Begin.');
  await run.run('Again.');
  return run.store.entries(run.engine.sessionId);
});

function once() {
  let left = 1;
  return async () => (left-- > 0 ? { decision: 'block' as const, reason: 'Sure?' } : {});
}

type Change = (entries: readonly JournalEntry[]) => readonly JournalEntry[];

/** Changes one record: the n-th of its type. */
const record =
  (type: JournalEntry['type'], n: number, change: (entry: never) => object): Change =>
  (entries) => {
    let seen = 0;
    return entries.map((entry) =>
      entry.type === type && ++seen === n
        ? ({ ...entry, ...change(structuredClone(entry) as never) } as JournalEntry)
        : entry,
    );
  };

interface Planted {
  readonly name: string;
  readonly change?: Change;
  readonly options?: ReplayOptions;
  readonly rules?: (rules: Rule[]) => void;
  readonly at: readonly [submission: number, iteration: number];
  readonly fact: RegExp;
}

const decision = (n: number, change: (r: Record<string, unknown>) => void): Change =>
  record('decision', n, (entry: { record: Record<string, unknown> }) => {
    change(entry.record);
    return { record: entry.record };
  });
const altering = (iteration: number, from: string, to: string): ReplayOptions => ({
  alterBytes: (bytes, place) =>
    place.iteration === iteration ? Buffer.from(bytes.toString().replace(from, to)) : bytes,
});
const named = (rules: Rule[], name: string) => rules.findIndex((rule) => rule.name === name);

const PLANTED: readonly Planted[] = [
  { name: 'the order of two rules', rules: (rules) => rules.reverse(), at: [1, 1], fact: /^rules\[0\]/ },
  {
    name: 'a rule that is gone',
    rules: (rules) => rules.splice(named(rules, 'output_cap'), 1),
    at: [1, 1],
    fact: /^rules/,
  },
  {
    name: 'a rule that decides otherwise',
    rules: (rules) => {
      rules[named(rules, 'output_cap')] = {
        ...(rules[named(rules, 'output_cap')] as Rule),
        applies: () => false,
      };
    },
    at: [1, 1],
    fact: /^rules/,
  },
  {
    name: 'a byte of an answer',
    options: altering(4, 'Whole', 'Whale'),
    at: [1, 4],
    fact: /^answer\[0\]\.text/,
  },
  { name: 'a byte of a call', options: altering(1, 'it', 'at'), at: [1, 1], fact: /^answer/ },
  {
    name: 'a stop reason',
    options: altering(3, '"max_tokens"', '"end_turn"'),
    at: [1, 3],
    fact: /^written|^response|^rules/,
  },
  {
    name: 'a count of tokens',
    options: altering(2, '"output_tokens":5', '"output_tokens":6'),
    at: [1, 2],
    fact: /usage/,
  },
  {
    name: 'fewer turns',
    options: { alter: () => ({ params: { maxTurns: 2 } }) },
    at: [1, 1],
    fact: /^budgets\.maxTurns/,
  },
  {
    name: 'another cap of the output',
    options: { alter: () => ({ params: { defaultOutputCap: 4_000 } }) },
    at: [1, 1],
    fact: /^request\.maxTokens/,
  },
  {
    name: 'another model',
    options: { alter: () => ({ params: { model: 'claude-sonnet-5' } }) },
    at: [1, 1],
    fact: /^(context|prepare|request)/,
  },
  {
    name: 'another effort',
    options: { alter: () => ({ params: { effort: 'low' } }) },
    at: [1, 1],
    fact: /^request\.effort/,
  },
  {
    name: 'a threshold of the context',
    change: record('decision', 1, () => ({
      told: { head: 679, run: { hooks: ['Stop'], limits: { autocompactTokens: 500 } } },
    })),
    at: [1, 1],
    fact: /^prepare/,
  },
  {
    name: 'an escalated cap',
    options: { alter: () => ({ params: { escalatedOutputCap: 32_000 } }) },
    at: [1, 3],
    fact: /^next\.recovery\.capOverride/,
  },
  {
    name: 'a stop hook that lets the run end',
    options: { alter: ({ deps }) => ({ deps: { hooks: { ...deps.hooks, has: () => false } } }) },
    at: [1, 4],
    fact: /^written|^rules/,
  },
  {
    name: 'the result of a tool',
    options: {
      alter: ({ deps }) => ({
        deps: {
          context: {
            ...deps.context,
            keepResult: (message) => ({
              ...message,
              message: {
                role: 'user',
                content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'other' }],
              },
            }),
          },
        },
      }),
    },
    at: [1, 1],
    fact: /^results\[0\]/,
  },
  {
    name: 'the text of a prompt',
    change: record('user', 1, () => ({
      message: { role: 'user', content: 'Begin, please, with all of it.' },
    })),
    at: [1, 1],
    fact: /^prepare\[\d\]\.why|^view\.tokens/,
  },
  {
    name: 'a permission',
    change: decision(1, (r) =>
      Object.assign((r['tools'] as { outcome: string }[])[0] as object, { outcome: 'denied' }),
    ),
    options: {
      alter: ({ deps }) => ({
        deps: { tools: { ...deps.tools, open: (given) => allowed(deps.tools.open(given)) } },
      }),
    },
    at: [1, 1],
    fact: /^tools\[0\]\.outcome/,
  },
  {
    name: 'a recorded verdict',
    change: decision(2, (r) => Object.assign((r['rules'] as object[])[0] as object, { verdict: 'stop' })),
    at: [1, 2],
    fact: /^rules\[0\]\.verdict/,
  },
  {
    name: 'a fact that a rule read',
    change: decision(1, (r) =>
      Object.assign((r['rules'] as { read: object }[])[2]?.read as object, { stopReason: 'refusal' }),
    ),
    at: [1, 1],
    fact: /^rules\[2\]\.read/,
  },
  {
    name: 'a transition',
    change: decision(1, (r) =>
      Object.assign(r['decision'] as object, { transition: 'token_budget_continuation' }),
    ),
    at: [1, 1],
    fact: /^decision\.transition/,
  },
  {
    name: 'a step that had run',
    change: decision(2, (r) =>
      Object.assign((r['prepare'] as object[])[0] as object, { why: 'no boundary' }),
    ),
    at: [1, 2],
    fact: /^prepare\[0\]\.why/,
  },
  {
    name: 'a message that the loop writes',
    change: record('user', 5, () => ({
      message: { role: 'user', content: [{ type: 'text', text: 'Other words.' }] },
    })),
    at: [1, 4],
    fact: /^written/,
  },
  {
    name: 'another stop of the clock',
    change: decision(3, (r) => Object.assign(r, { in: 'stop_hook_blocking' })),
    at: [1, 3],
    fact: /^in/,
  },
  {
    name: 'a rule that is new',
    rules: (rules) =>
      rules.splice(named(rules, 'output_cap'), 0, {
        ...(rules[named(rules, 'output_cap')] as Rule),
        name: 'another' as never,
        applies: () => false,
      }),
    at: [1, 1],
    fact: /^rules\[\d\]/,
  },
  {
    name: 'a rule whose name is another',
    rules: (rules) => {
      rules[0] = { ...(rules[0] as Rule), name: 'other' as never };
    },
    at: [1, 1],
    fact: /^rules\[0\]\.name/,
  },
  {
    name: 'a rule that stops where it went on',
    change: decision(4, (r) => Object.assign((r['rules'] as object[]).at(-1) as object, { verdict: 'stop' })),
    at: [1, 4],
    fact: /^rules\[\d+\]\.verdict/,
  },
  {
    name: 'what a stop hook answered',
    change: record('decision', 4, (entry: { told: { hooks: { verdict: object }[] } }) => {
      Object.assign(entry.told.hooks[0]?.verdict as object, { blockingErrors: ['Really?'] });
      return { told: entry.told };
    }),
    at: [1, 4],
    fact: /^written\[0\]/,
  },
  {
    name: 'what a stop hook had let pass',
    change: record('decision', 4, (entry: { told: { hooks: { verdict: object }[] } }) => {
      Object.assign(entry.told.hooks[0]?.verdict as object, { blockingErrors: [] });
      return { told: entry.told };
    }),
    at: [1, 4],
    fact: /^written/,
  },
  {
    name: 'the size of the tools',
    change: record('decision', 1, (entry: { told: { head: number } }) => ({
      told: { ...entry.told, head: entry.told.head + 1_000 },
    })),
    at: [1, 1],
    fact: /^(?:prepare|view|context)/,
  },
  {
    name: 'a model that answers in the second submission',
    change: record('submission', 2, () => ({ model: 'claude-haiku-5-5' })),
    options: { submission: 2, alter: () => ({ params: { model: 'claude-haiku-5-5' } }) },
    at: [2, 1],
    fact: /^(?:context|prepare|request)/,
  },
  {
    name: 'an aborted submission',
    options: {
      alter: ({ deps }) => ({
        deps: { guard: { ...deps.guard, verdict: () => ({ reason: 'budget_exhausted', turnCount: 1 }) } },
      }),
    },
    at: [1, 1],
    fact: /^(?:decision|answer|attempts|written|rules)/,
  },
  {
    name: 'money that was spent',
    options: { alter: ({ deps }) => ({ deps: { ledger: { ...deps.ledger, totalCostUsd: () => 7 } } }) },
    at: [1, 1],
    fact: /^budgets\.costUsd/,
  },
  {
    name: 'a turn that counts twice',
    change: decision(2, (r) => Object.assign(r['budgets'] as object, { turnCount: 3 })),
    at: [1, 2],
    fact: /^budgets\.turnCount/,
  },
  {
    name: 'a message that was not in the view',
    change: decision(2, (r) => (r['view'] as { added: string[] }).added.push('another')),
    at: [1, 2],
    fact: /^view\.added/,
  },
  {
    name: 'the length of the view',
    change: decision(3, (r) => Object.assign(r['view'] as object, { length: 2 })),
    at: [1, 3],
    fact: /^view\.length/,
  },
  {
    name: 'the outcome of an attempt',
    change: decision(2, (r) => Object.assign((r['attempts'] as object[])[0] as object, { outcome: 'cut' })),
    at: [1, 2],
    fact: /^attempts\[0\]/,
  },
  {
    name: 'the id of an answer',
    options: altering(2, '"id":"msg_', '"id":"other_'),
    at: [1, 2],
    fact: /^response\.messageId/,
  },
  {
    name: 'the name of a tool in an answer',
    options: altering(2, '"name":"Look"', '"name":"Lock"'),
    at: [1, 2],
    fact: /^answer\[1\]\.name/,
  },
  {
    name: 'an answer without its last event',
    options: {
      alterBytes: (bytes, { iteration }) =>
        iteration === 2 ? bytes.subarray(0, bytes.indexOf('event: message_delta')) : bytes,
    },
    at: [1, 2],
    fact: /^(?:response|usage)/,
  },
  {
    name: 'a result that is lost',
    change: (entries) => {
      const lost = entries.findIndex((entry) => entry.type === 'user' && entry.kind === 'tool_result');
      return entries.filter((_, at) => at !== lost);
    },
    at: [1, 1],
    fact: /^(?:results|tools)/,
  },
  {
    name: 'a decision of the second submission',
    change: decision(6, (r) => Object.assign(r['decision'] as object, { terminal: 'max_turns' })),
    at: [2, 1],
    fact: /^decision\.terminal/,
  },
];

/** Every call is said to have been allowed. */
function allowed(executor: ToolExecutor) {
  const take = executor.take.bind(executor);
  executor.take = () =>
    take().map((update) =>
      update.kind === 'result' ? { ...update, trace: { ...update.trace, outcome: 'ok' as const } } : update,
    );
  return executor;
}

describe('a replay finds', () => {
  it('nothing where nothing was changed', async () => {
    const report = await replay(await recorded());
    expect(report.difference && { ...report.difference, records: undefined }).toBeUndefined();
    expect(report.iterations).toBe(6);
  });

  for (const { name, change, options, rules, at, fact } of PLANTED)
    it(`${name}, at its iteration`, async () => {
      const entries = await recorded();
      const before = [...RULES];
      rules?.(RULES as Rule[]);
      try {
        const { difference } = await replay(change?.(entries) ?? entries, options);
        expect(
          difference === undefined ? 'the same' : `${difference.submission}/${difference.iteration}`,
        ).toBe(at.join('/'));
        const all = [difference, ...(difference?.others ?? [])].map((each) => each?.fact ?? '');
        expect(fact.test(all[0] ?? '') ? 'named' : all.join(', ')).toBe('named');
      } finally {
        (RULES as Rule[]).splice(0, RULES.length, ...before);
      }
    });
});
