/** The inspector's data: each end and transition has a plain sentence, breaks have a price, figures are the ledger's. */
import {
  emptyRow,
  type MadeIteration,
  MODEL,
  makeRecords,
  spendingIn,
} from '@turnwright/test/inspector/made-session.ts';
import { SAMPLE } from '@turnwright/test/inspector/sample-sessions.ts';
import { inShortAndLongForm } from '@turnwright/test/long-form.ts';
import { explainRecords, inspectEntries } from '@turnwright/test/session/inspect-entries.ts';
import { asEntries, decisionRecord } from '@turnwright/test/session/sample-journal.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RULES } from '../../src/loop/rules/index.ts';
import type { CacheBreakKind } from '../../src/protocol/model/cache.ts';
import type { DecisionRecord } from '../../src/protocol/session/decision-record.ts';
import type { IterationDetail } from '../../src/protocol/session/inspection.ts';
import { TERMINAL_REASONS, TERMINALS, type TerminalReason } from '../../src/protocol/session/terminal.ts';
import { TRANSITION_REASONS } from '../../src/protocol/session/transition.ts';
import { readDetails } from '../../src/session/inspection/read-detail.ts';
import { QUESTIONS, sayCacheBreak, sayDecision } from '../../src/session/inspection/sentences.ts';
import { showImages } from '../../src/session/inspection/shown-images.ts';
import { redactField } from '../../src/session/redact-records.ts';

const entriesOf = (iterations: readonly MadeIteration[]) =>
  asEntries(makeRecords({ ...SAMPLE, iterations }).map(({ body }) => body));

/** Words of the source, which a reader does not know. */
const JARGON = /next_turn|no rule objected|[a-z]_[a-z]/;

describe('why an iteration ended', () => {
  it.each(TERMINAL_REASONS)('%s has a plain sentence', (terminal) => {
    const decision = {
      kind: 'stop',
      terminal,
      sentence: `Stopped: ${terminal} (rule "x"), turn 1.`,
    } as const;
    const said = sayDecision(decisionRecord('s', 1, 1, decision));
    expect(said).toMatch(/^[A-Z].*\.$/s);
    expect(said.replaceAll(/--[\w-]+/g, '')).not.toMatch(JARGON);
    const { sentence } = TERMINALS[terminal];
    if (sentence !== '' && !['max_turns', 'budget_exhausted'].includes(terminal))
      expect(said).toContain(sentence);
  });

  it.each(TRANSITION_REASONS)('%s has a plain sentence', (transition) => {
    const decision = {
      kind: 'continue',
      transition,
      sentence: `Went on: ${transition} (rule "x", attempt 2).`,
    } as const;
    const said = sayDecision(decisionRecord('s', 1, 1, decision));
    expect(said).toMatch(/^[A-Z].*\.$/s);
    expect(said).not.toMatch(JARGON);
  });

  it('says how calls went, that a limit was reached, and that the model refused', () => {
    const call = { name: 'Bash', input: { command: 'x' } };
    const sentences = (iteration: MadeIteration) =>
      inspectEntries(entriesOf([iteration, {}])).iterations[0]?.sentence;
    expect(sentences({ calls: [call] })).toBe('The call of Bash was answered, so the model was asked again.');
    expect(sentences({ calls: [call, { ...call, outcome: 'error' }, { ...call, outcome: 'denied' }] })).toBe(
      '3 calls were answered (1 failed, 1 not allowed), so the model was asked again.',
    );
    const end = (terminal: 'max_turns' | 'completed', rule: string): DecisionRecord => ({
      ...decisionRecord('s', 1, 5, { kind: 'stop', terminal, sentence: '' }),
      rules: [{ name: rule, verdict: 'stop', read: {} }],
      budgets: { turnCount: 5, maxTurns: 5, costUsd: 0 },
    });
    expect(sayDecision(end('max_turns', 'turn_limit'))).toBe(
      'Stopped: all 5 turns that were allowed are used (--max-turns).',
    );
    expect(sayDecision(end('completed', 'refused'))).toBe('The model refused to answer, which ends the run.');
  });

  it('the rules are explained in the order in which the loop asks them', () => {
    expect(Object.keys(QUESTIONS)).toEqual(RULES.map(({ name }) => name));
  });
});

const KINDS: readonly CacheBreakKind[] = [
  'model',
  'settings',
  'system',
  'tools',
  'user_context',
  'message_changed',
  'message_removed',
  'message_inserted',
  'expired',
  'unexplained',
];

it.each(KINDS)('a cache break by %s is named with its price', (kind) => {
  const planted = { kind, tokens: 12_345, usd: 0.0617, why: 'Because of this.' };
  const { events, totals } = inspectEntries(entriesOf([{}, { cacheBreak: planted }, {}]));
  const found = events.filter((event) => event.kind === 'cache_break');
  expect(found).toEqual([
    { kind: 'cache_break', key: '1.2', step: '2', sentence: sayCacheBreak(planted), usd: 0.0617 },
  ]);
  expect(found[0]?.sentence).toMatch(
    /^The cache broke, because .*: 12\.3k tokens were read again, which cost \$0\.0617\. Because of this\.$/,
  );
  expect(found[0]?.sentence).not.toMatch(JARGON);
  expect(totals.cacheBreakUsd).toBe(0.0617);
});

describe('what ended a run, and what was lost', () => {
  const call = { name: 'Bash', input: { command: 'make' } };
  const stop = (terminal: TerminalReason) => ({ kind: 'stop', terminal, sentence: '' }) as const;

  it('an error of the API has its status and the words of the server', () => {
    const failure = {
      kind: 'authentication',
      message: 'The API refused the credentials: invalid x-api-key. Check the API key or token.',
      status: 401,
    } as const;
    const records = makeRecords({ ...SAMPLE, iterations: [{}, { decision: stop('api_error') }] });
    const bodies = records.map(({ body }) =>
      body.type === 'decision' && body.record.iteration === 2
        ? { ...body, told: { calls: [{ n: 0, attempts: 1, kind: 'failed' as const, failure }] } }
        : body,
    );
    const said = 'Stopped: the API refused the request (401): invalid x-api-key. Check the API key or token.';
    const data = inspectEntries(asEntries(bodies));
    expect(data.sentence).toBe(said);
    expect(data.events).toContainEqual({ kind: 'end', key: '1.2', step: '2', sentence: said });
    expect(explainRecords(asEntries(bodies))).toContain(said);
    expect(
      sayDecision(decisionRecord('s', 1, 1, stop('api_error')), {
        failure: { status: 529, message: 'Overloaded' },
      }),
    ).toBe('Stopped: the API failed (529): Overloaded.');
  });

  it('a spending limit is named', () => {
    const records = makeRecords({ ...SAMPLE, iterations: [{ decision: stop('budget_exhausted') }] });
    const bodies = records.map(({ body }) =>
      body.type === 'result'
        ? { ...body, result: { ...(body.result as object), errors: ['Reached maximum budget ($0.2)'] } }
        : body,
    );
    expect(inspectEntries(asEntries(bodies)).sentence).toMatch(
      /^Stopped: the spending limit of \$0\.2000 was reached, after \$0\.\d+ \(--max-budget-usd\)\.$/,
    );
  });

  it('recoveries, failed calls and interruptions stand out, and what they cost is that of the ledger', () => {
    const { events, totals, cost, iterations } = inspectEntries(
      entriesOf([
        { transition: 'max_output_tokens_escalate', costUsd: 0.5, calls: [] },
        { calls: [{ ...call, outcome: 'error', output: 'make: *** no rule' }] },
        { decision: stop('aborted_streaming'), costUsd: 0.25, calls: [] },
      ]),
    );
    expect(events.map(({ kind, sentence }) => [kind, sentence])).toEqual([
      ['recovery', 'The answer reached its length limit: it was asked for again with a higher one.'],
      ['failure', 'Bash make: make: *** no rule'],
      ['end', 'Stopped: interrupted while the model was answering.'],
    ]);
    expect(cost.waste).toMatchObject({ discardedUsd: 0.5, interruptedUsd: 0.25 });
    expect(totals.wastedUsd).toBe(0.75);
    expect(iterations.map(({ marks }) => marks.includes('wasted'))).toEqual([true, false, true]);
  });

  it('a denial names the hook with its reason, the deny rule with its file, or the lack of a person', () => {
    const denied = (permission: NonNullable<DecisionRecord['tools'][number]['permission']>, output = 'no') =>
      inspectEntries(entriesOf([{ calls: [{ ...call, outcome: 'denied', output, permission }] }, {}]));
    const hook = denied(
      { verdict: 'deny', source: 'hook' },
      'PreToolUse:Write hook error: package-lock.json is frozen until Friday',
    );
    expect(hook.events[0]?.sentence).toBe(
      'Bash make: Not allowed by the PreToolUse hook: package-lock.json is frozen until Friday.',
    );
    const rule = { rule: 'Read(./.env)', ruleSource: 'flagSettings' };
    expect(denied({ verdict: 'deny', source: 'rule', ...rule }).events[0]?.sentence).toBe(
      'Bash make: Not allowed by the deny rule Read(./.env) in the settings given to this run (--settings).',
    );
    const nobody = denied({
      verdict: 'deny',
      source: 'headless',
      askedMs: 46,
      ruled: { verdict: 'ask', source: 'mode' },
    });
    expect(nobody.events.map(({ kind, sentence }) => [kind, sentence])).toEqual([
      [
        'denial',
        'Bash make: Not allowed, as there was no one to ask. Before that, the permission mode said ask.',
      ],
    ]);
    expect(nobody.totals.waitingMs).toBe(0);
    expect(nobody.iterations[0]?.marks).toEqual(['denied']);
  });
});

describe('the first request of a later run', () => {
  /** What one process wrote, and then another one that resumed. */
  function resume({ idleMs = 1000, usage = {}, ...snapshot }: MadeResume) {
    const first = makeRecords({ ...SAMPLE, iterations: [{}, {}] });
    const sessionId = `second${SAMPLE.sessionId}`;
    const iterations = [
      { idleMs, usage: { cache_read_input_tokens: 0, cache_creation_input_tokens: 13_000, ...usage } },
      {},
    ];
    const startMs = (first.at(-1)?.at ?? 0) + 1;
    const second = makeRecords({ ...SAMPLE, sessionId, startMs, iterations });
    const bodies = [...first, ...second.map(({ body, at }) => ({ body: change(body), at }))];
    function change(body: (typeof second)[number]['body']) {
      if (body.type === 'context-snapshot') return { ...body, ...snapshot };
      if (body.type !== 'decision') return body;
      const { record } = body;
      return { ...body, record: { ...record, view: { ...record.view, length: record.view.length + 4 } } };
    }
    return inspectEntries(asEntries(bodies.map(({ body }) => body)));
  }
  interface MadeResume {
    readonly idleMs?: number;
    readonly usage?: MadeIteration['usage'];
    readonly system?: readonly string[];
    readonly toolNames?: readonly string[];
    readonly hash?: string;
  }

  it.each([
    ['another system prompt', 'system', { system: ['Answer in rhymes.'], hash: 'h2' }],
    ['other tools', 'tools', { toolNames: ['Bash'], hash: 'h3' }],
    ['a long pause', 'expired', { idleMs: 6 * 60_000 }],
    ['nothing that is recorded', 'unexplained', {}],
  ] as const)('is compared with the last one before: %s', (_, kind, given) => {
    const { iterations, events, totals, cost } = resume(given);
    // 10,500 read and 1,500 written before: what the second request left in the cache.
    expect(iterations.map(({ cacheBreak }) => cacheBreak?.kind)).toEqual([
      undefined,
      undefined,
      kind,
      undefined,
    ]);
    expect(iterations[2]?.cacheBreak).toMatchObject({ tokens: 12_000, usd: 0.0576 });
    expect(iterations[2]?.marks).toContain('cache_break');
    expect(events.filter((event) => event.kind === 'cache_break')).toMatchObject([
      { key: '2.1', usd: 0.0576 },
    ]);
    expect(totals.cacheBreakUsd).toBe(cost.waste.cacheBrokenUsd);
    expect(cost.waste.cacheBrokenUsd).toBeCloseTo(0.0576);
  });

  it('that found what the run before had written broke nothing', () => {
    const { totals, events } = resume({ usage: { cache_read_input_tokens: 12_000 }, hash: 'h2' });
    expect(events.filter(({ kind }) => kind === 'cache_break')).toEqual([]);
    expect(totals.cacheBreakUsd).toBe(0);
  });
});

describe('states', () => {
  it('of a session that runs, was cut off, or is done', () => {
    const records = makeRecords({ ...SAMPLE, iterations: [{}, { isCut: true }], result: false }).map(
      ({ body }) => body,
    );
    const withoutTotals = asEntries(records.filter(({ type }) => type !== 'cost'));
    const running = inspectEntries(withoutTotals, { isRunning: true });
    expect(running).toMatchObject({ state: 'running', sentence: 'Running: the model is answering.' });
    expect(running.iterations.at(-1)).toMatchObject({ out: 'running', marks: ['running'] });
    const cut = inspectEntries(withoutTotals);
    expect(cut).toMatchObject({ state: 'cut_off', sentence: expect.stringMatching(/^Cut off here/) });
    expect(inspectEntries(entriesOf([{}]))).toMatchObject({ state: 'stopped', terminal: 'completed' });
    expect(inspectEntries([])).toMatchObject({ state: 'empty', iterations: [] });
  });
});

describe('images', () => {
  const PNG =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const image = (media_type: string, data: string) => ({
    type: 'image',
    source: { type: 'base64', media_type, data },
  });

  it('of a result are data URLs of what their bytes are; others, and large ones, are not shown', () => {
    const content = [
      image('image/svg+xml', PNG),
      image('image/png', 'PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIj4='),
      image('image/png', `iVBORw0KGgo"onerror="x`),
      image('image/png', `iVBORw0KGgo${'A'.repeat(2_000_000)}`),
      { type: 'text', text: 'A picture.' },
    ];
    expect(showImages({ type: 'tool_result', content })).toEqual([`data:image/png;base64,${PNG}`]);
    const redacted = redactField({ type: 'base64', media_type: 'image/png', data: PNG }, 'source');
    expect(showImages({ type: 'image', source: redacted })).toEqual([]);
    const many = Array.from({ length: 9 }, () => image('image/png', PNG));
    expect(showImages({ type: 'tool_result', content: many })).toHaveLength(4);
  });
});

describe('a forecast', () => {
  const runs = Array.from({ length: 12 }, (_, n) => ({
    at: n,
    model: MODEL,
    agent: 'main',
    tokens: 2800,
    usd: (n + 1) / 10,
  }));
  const bodies = makeRecords({ ...SAMPLE, iterations: [{}, { isCut: true }], result: false }).map(
    ({ body }) => body,
  );

  it('of the running prompt counts what it has cost, one of a next run does not; without runs there is none', () => {
    const entries = asEntries(bodies.filter(({ type }) => type !== 'cost'));
    const running = inspectEntries(entries, { isRunning: true, runs });
    const [first] = running.iterations;
    expect(running.forecast).toMatchObject({
      of: 'running',
      spentUsd: first?.costUsd,
      forecast: { kind: 'range', lowUsd: 0.1, highUsd: 1.1, runs: 12 },
      sentence: expect.stringMatching(/^\$0\.072 is spent\. It will probably cost \$0\.10–1\.10: /),
    });
    expect(inspectEntries(entriesOf([{}]), { runs }).forecast).toMatchObject({
      of: 'next',
      spentUsd: 0,
      sentence: expect.stringMatching(/^A run like the last one\. It will probably cost \$/),
    });
    expect(inspectEntries(entries, { isRunning: true }).forecast).toBeUndefined();
  });
});

describe('what was sent', () => {
  it('is compared with the request before: what is new, what changed, what is gone', async () => {
    const item = (uuid: string, text: string) => ({
      type: 'user' as const,
      uuid,
      timestamp: '2026-11-30T09:00:00.000Z',
      isSynthetic: true,
      message: { role: 'user' as const, content: text },
    });
    const id = `${SAMPLE.sessionId.slice(0, 8)}-s1`;
    const entries = entriesOf([
      {},
      {},
      {
        before: [
          {
            type: 'replacement',
            id: 'e1',
            submission: id,
            why: 'x',
            edits: [{ kind: 'replace', uuid: `${id}-p`, item: item(`${id}-p`, 'Shorter.') }],
          },
        ],
      },
      {
        before: [
          {
            type: 'snip',
            id: 'e2',
            submission: id,
            why: 'x',
            edits: [{ kind: 'remove', uuids: [`${id}/1-a0`, `${id}/1-r0`] }],
          },
        ],
      },
    ]);
    async function* read() {
      yield* entries;
    }
    const details: IterationDetail[] = [];
    for await (const detail of readDetails(read(), () => true)) details.push(detail);
    expect(details.map(({ key }) => key)).toEqual(inspectEntries(entries).iterations.map(({ key }) => key));
    const [first, second, third, fourth] = details.map(({ sent }) => sent);
    expect(first).toMatchObject({ unchanged: 0, removedCount: 0 });
    expect(second).toMatchObject({ unchanged: 1, removedCount: 0 });
    expect(second?.entries.map(({ state, kind }) => `${state} ${kind}`)).toEqual([
      'new tool_use',
      'new tool_result',
    ]);
    expect(third?.unchanged).toBe(0);
    expect(third?.entries.map(({ state }) => state)).toEqual(['changed', 'same', 'same', 'new', 'new']);
    expect(fourth?.removed.map(({ kind }) => kind)).toEqual(['tool_use', 'tool_result']);
    expect(details[0]?.rules.every(({ verdict }) => verdict === 'no')).toBe(true);
  });
});

const tokens = fc.integer({ min: 0, max: 200_000 });
const made: fc.Arbitrary<MadeIteration> = fc.record({
  usage: fc.record({
    input_tokens: tokens,
    output_tokens: tokens,
    cache_read_input_tokens: tokens,
    cache_creation_input_tokens: tokens,
  }),
  costUsd: fc.integer({ min: 1, max: 10_000_000 }).map((millionths) => millionths / 1e6),
  calls: fc.array(fc.constant({ name: 'Bash', input: { command: 'true' } }), { maxLength: 4 }),
  ms: fc.integer({ min: 1, max: 60_000 }),
});

it('tokens, costs and counts are those of the ledger and of the result, in any session', () => {
  fc.assert(
    fc.property(fc.array(made, { minLength: 1, maxLength: 12 }), fc.boolean(), (iterations, hasAgent) => {
      const more = hasAgent ? [{ ...emptyRow('explorer'), calls: 2, inputTokens: 5, costUSD: 0.25 }] : [];
      const records = makeRecords({ ...SAMPLE, iterations, more });
      const {
        totals,
        cost,
        submissions,
        iterations: rows,
        agents,
      } = inspectEntries(asEntries(records.map(({ body }) => body)));
      const ledger = spendingIn(records);
      const sum = (pick: (row: (typeof ledger)[number]) => number) =>
        ledger.reduce((total, row) => total + pick(row), 0);
      expect(cost.rows).toEqual(ledger);
      expect(totals.costUsd).toBe(submissions[0]?.costUsd);
      expect(totals.tokens).toMatchObject({
        fresh: sum(({ inputTokens }) => inputTokens),
        cacheRead: sum(({ cacheReadInputTokens }) => cacheReadInputTokens),
        cacheWrite: sum(({ cacheCreationInputTokens }) => cacheCreationInputTokens),
        output: sum(({ outputTokens }) => outputTokens),
      });
      // The rows of the page add up to the same.
      const own = rows.reduce((total, { costUsd = 0 }) => total + costUsd, 0);
      expect(own + (hasAgent ? 0.25 : 0)).toBeCloseTo(totals.costUsd, 9);
      expect(totals.turns).toBe(submissions[0]?.turns);
      expect(totals.calls).toBe(iterations.reduce((total, { calls = [] }) => total + calls.length, 0));
      expect(agents[0]?.treeCostUsd).toBe(totals.costUsd);
      expect(rows.every(({ model }) => model === MODEL)).toBe(true);
    }),
    { numRuns: inShortAndLongForm(60, 500) },
  );
});
