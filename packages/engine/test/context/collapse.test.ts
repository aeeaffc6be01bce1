import { deferred, fail, hang, pause, reply, type ScriptStep, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../src/context/estimate/token-estimate.ts';
import type { StepInput } from '../../src/protocol/model/context.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import { resumeSession } from '../../src/session/resume/resume.ts';
import {
  applied,
  call,
  context,
  input,
  isWhole,
  prompt,
  prose,
  result,
  run,
  runStep,
  SMALL,
  session,
} from './conversation.ts';

const GIST = say('Condensed.');
/** 60 % of the threshold of a window of 20 000, and the threshold. */
const EARLY = 8_100;
const FULL = 13_500;

/** Rounds of 3 000 tokens: a span each. The last one is the kept tail. */
const view = [...session('old', 2, 3_000), ...session('now', 2, 3_000)];

function collapsing(script: readonly ScriptStep[], more: Parameters<typeof context>[1] = {}) {
  const made = context(script, { collapseModel: () => 'small-model', ...more });
  const at = (
    estimateTokens: number,
    messages: readonly ViewMessage[] = view,
    rest: Partial<StepInput> = {},
  ) => runStep(made.port, 'context-collapse', input(messages, { limits: SMALL, estimateTokens, ...rest }));
  /** Stages, and lets the background come to rest. */
  const stage = async (messages?: readonly ViewMessage[]) => {
    const ran = await at(EARLY, messages);
    await made.clock.settle();
    return ran;
  };
  return { ...made, at, stage };
}

const collapses = (messages: readonly ViewMessage[]) =>
  messages.filter((message) => message.type === 'user' && message.kind === 'collapse');

describe('staging', () => {
  it('begins at 60 % of the threshold, in the background, with the small model', async () => {
    const { at, stage, model, ledger } = collapsing([GIST, GIST, GIST]);
    expect((await at(EARLY - 1)).outcome).toEqual({ kind: 'skip', why: '8099 tokens, below 8100' });
    expect(model.requests).toHaveLength(0);
    const { outcome, yielded } = await stage();
    expect(outcome).toEqual({ kind: 'skip', why: '0 spans are staged, condensing goes on' });
    expect(yielded).toEqual([]);
    const [request] = model.requests;
    expect(request).toMatchObject({
      model: 'small-model',
      querySource: 'summary',
      foreground: false,
      sessionId: 'session-1',
      tools: [],
    });
    expect(JSON.stringify(request?.view)).toContain('Do old.');
    expect(ledger.settled).toContainEqual(expect.objectContaining({ model: 'small-model', main: false }));
    expect(new Set(ledger.settled.map((spent) => spent.effectKey)).size).toBe(ledger.settled.length);
  });

  it('is never waited for', async () => {
    const held = deferred<void>();
    const { at, model, clock } = collapsing([reply([pause(held.promise), GIST]), GIST, GIST]);
    await at(EARLY);
    expect((await at(EARLY)).outcome).toMatchObject({ why: '0 spans are staged, one is being condensed' });
    expect(model.requests).toHaveLength(1);
    held.resolve();
    await clock.settle();
    expect((await at(EARLY)).outcome.kind).toBe('skip');
  });

  it('stages what a full context would need, and no more', async () => {
    const { stage, model } = collapsing(Array.from({ length: 9 }, () => GIST));
    const long = [...session('old', 9, 3_000), ...session('now', 1, 3_000)];
    await stage(long);
    expect(model.requests).toHaveLength(3);
    expect((await stage(long)).outcome).toMatchObject({
      why: '3 spans are staged, and nothing more is to be',
    });
    await stage(long);
    expect(model.requests).toHaveLength(3);
  });

  it('leaves the last prompt, the kept tail and earlier summaries alone, and never parts a call from its result', async () => {
    const summary = { ...prompt('summary', 'So far …'), kind: 'summary' as const, isSynthetic: true };
    const parallel: ViewMessage[] = [
      call('r', 'x'),
      call('r', 'y'),
      result('x', prose(2_000)),
      result('y', prose(2_000)),
    ];
    const messages = [
      summary,
      ...parallel,
      prompt('asked', 'And now?'),
      ...session('now', 2, 3_000).slice(1),
    ];
    const { stage, at } = collapsing([GIST, GIST]);
    await stage(messages);
    const { outcome } = await at(15_500, messages);
    const after = applied(messages, outcome);
    expect(isWhole(after)).toBe(true);
    expect(after[0]).toBe(summary);
    expect(collapses(after)).toHaveLength(2);
    expect(after.map((message) => message.uuid)).toContain('asked');
    expect(after.at(-1)).toBe(messages.at(-1));
  });

  it('forgets failures quietly, and rests after three in a row until the next submission', async () => {
    const overloaded = fail({ kind: 'overloaded' });
    const { stage, at, model, clock } = collapsing([overloaded, overloaded, overloaded, GIST, GIST, GIST]);
    await stage();
    await stage();
    expect(model.requests).toHaveLength(3);
    expect((await stage()).outcome).toMatchObject({ why: 'staging rests: it failed 3 times in a row' });
    expect(model.requests).toHaveLength(3);
    await at(EARLY, view, { effectKey: 'submission-2/1' });
    await clock.settle();
    expect(model.requests.length).toBeGreaterThan(3);
  });

  it.each([
    ['an empty answer', say(' ')],
    ['a cut answer', say('Condens', { stopReason: 'max_tokens' })],
    ['a refusal', say('No.', { stopReason: 'refusal' })],
    ['a longer text than it stands for', say(prose(9_000))],
    [
      'a call that throws',
      () => {
        throw new Error('Out of paper.');
      },
    ],
  ] satisfies [string, ScriptStep][])('stages nothing for %s', async (_, step) => {
    const { stage, port } = collapsing([step, step, step]);
    await stage();
    expect((await run(port.recovery.drainCollapses(input(view, { limits: SMALL })))).outcome.kind).toBe(
      'none',
    );
  });

  it('ends with the session', async () => {
    const session = new AbortController();
    const { at, model, clock, port } = collapsing([hang(), GIST], { session });
    await at(EARLY);
    await clock.settle();
    expect(model.requests[0]?.options.signal).toBe(session.signal);
    session.abort();
    await clock.settle();
    expect(model.requests).toHaveLength(1);
    expect((await run(port.recovery.drainCollapses(input(view, { limits: SMALL })))).outcome.kind).toBe(
      'none',
    );
  });

  it('F17: passes over rounds that the small model cannot read at once', async () => {
    const sizes = (model: string) => ({
      contextWindow: model === 'small-model' ? 4_000 : 20_000,
      maxOutputTokens: 1_000,
    });
    const { stage, model } = collapsing([], { modelSize: sizes });
    expect((await stage()).outcome).toMatchObject({ why: '0 spans are staged, and nothing more is to be' });
    expect(model.requests).toEqual([]);
  });
});

describe('committing', () => {
  it('happens at autocompact’s threshold only, oldest first, all that is staged, without a word', async () => {
    const { stage, at } = collapsing([GIST, GIST, GIST]);
    await stage();
    expect((await at(FULL - 1)).outcome.kind).toBe('skip');
    const { outcome, yielded } = await at(FULL);
    expect(yielded).toEqual([]);
    expect(outcome).toMatchObject({ kind: 'edits', source: 'collapse' });
    expect(outcome.kind === 'edits' && outcome.edits.map(({ kind }) => kind)).toEqual(
      Array(3).fill('splice'),
    );
    const after = applied(view, outcome);
    expect(after[0]).toMatchObject({ type: 'user', isSynthetic: true, kind: 'collapse' });
    expect(JSON.stringify(after[0])).toContain('Condensed.');
    expect(outcome.kind === 'edits' && outcome.tokensFreed).toBe(
      estimateTokens(view) - estimateTokens(after),
    );
    expect(isWhole(after)).toBe(true);
  });

  it('leaves it to autocompact when everything staged would not be enough', async () => {
    const { stage, at } = collapsing([GIST, GIST]);
    await stage();
    expect((await at(30_000)).outcome).toMatchObject({
      kind: 'skip',
      why: expect.stringContaining('not enough'),
    });
    const struckOut = { rapidRefills: 0, consecutiveFailures: 3, switchedOff: true, warned: false };
    expect((await at(30_000, view, { compaction: struckOut })).outcome.kind).toBe('edits');
  });

  it('leaves it to autocompact when more would be written again than freed', async () => {
    const long = [...session('old', 3, 1_000), ...session('now', 5, 3_000)];
    const { stage, at, clock } = collapsing([GIST]);
    await stage(long);
    expect((await at(FULL, long)).outcome).toMatchObject({
      kind: 'skip',
      why: expect.stringContaining('fewer than would be written again'),
    });
    await clock.advance(6 * 60_000);
    expect((await at(FULL, long)).outcome.kind).toBe('edits');
  });

  it('does not commit a span that has changed its shape, or has become part of what stays', async () => {
    const { stage, at, port } = collapsing([GIST, GIST]);
    await stage();
    const broken = view.filter((message) => message.uuid !== 'result-old-1' && message.uuid !== 'call-old-1');
    const tail = input(broken.slice(0, 3), { limits: SMALL });
    expect((await run(port.recovery.drainCollapses(tail))).outcome.kind).toBe('none');
    const struckOut = { rapidRefills: 0, consecutiveFailures: 3, switchedOff: true, warned: false };
    expect((await at(FULL, broken, { compaction: struckOut })).outcome).toMatchObject({
      edits: [{ kind: 'splice', uuids: ['call-old-2', 'result-old-2'] }],
    });
  });

  it('is replayed by resume: the same view, and the history whole', async () => {
    const { stage, at } = collapsing([GIST, GIST, GIST]);
    await stage();
    const { outcome } = await at(FULL);
    if (outcome.kind !== 'edits') throw new Error('Nothing was committed.');
    const bodies = [
      { type: 'submission', id: 's/submission', submission: 's', model: 'm', permissionMode: 'default' },
      ...view.map((message) => ({ ...message, submission: 's', iteration: 1 })),
      { type: outcome.source, id: 's/2/0/edit', submission: 's', edits: outcome.edits, why: outcome.why },
      { type: 'result', id: 's/result', submission: 's', result: {} },
    ];
    const entries = bodies.map((body, n) =>
      JSON.parse(
        JSON.stringify({ v: 1, seq: n + 1, epoch: 1, sessionId: 'x', cwd: '/', timestamp: '', ...body }),
      ),
    ) as JournalEntry[];
    expect(
      resumeSession(entries)
        .view.messages.slice()
        .map((message) => message.uuid),
    ).toEqual(applied(view, outcome).map((message) => message.uuid));
    expect(entries.filter((entry) => entry.type === 'user' || entry.type === 'assistant')).toHaveLength(
      view.length,
    );
  });
});

describe('draining', () => {
  const drained = async ({ port }: ReturnType<typeof collapsing>, messages = view) =>
    (await run(port.recovery.drainCollapses(input(messages, { limits: SMALL })))).outcome;

  it('commits everything staged at once, and then has nothing more', async () => {
    const made = collapsing([GIST, GIST, GIST]);
    expect(await drained(made)).toEqual({ kind: 'none', why: 'no collapse is staged' });
    await made.stage();
    const outcome = await drained(made);
    expect(outcome).toMatchObject({ kind: 'edits', source: 'collapse', compacted: false });
    expect(collapses(applied(view, outcome)).length).toBe(3);
    expect((await drained(made)).kind).toBe('none');
  });

  it('takes no more than is staged', async () => {
    const held = deferred<void>();
    const made = collapsing([GIST, reply([pause(held.promise), GIST])]);
    await made.stage();
    expect(collapses(applied(view, await drained(made)))).toHaveLength(1);
  });
});

describe('the switches (L2)', () => {
  const names = (options: Parameters<typeof context>[1]) =>
    context([], options).port.steps.map((step) => step.name);
  const drains = async (options: Parameters<typeof context>[1]) =>
    (await run(context([], options).port.recovery.drainCollapses(input(view)))).outcome;

  it('each takes its step out of the list', () => {
    expect(names({ snip: false })).not.toContain('snip');
    expect(names({ collapse: false })).not.toContain('context-collapse');
    expect(names({ cachedMicrocompact: false })).toContain('microcompact');
  });

  it('autocompact takes collapse with it, unless reactive compaction was asked for', async () => {
    expect(names({ autocompact: false })).not.toContain('context-collapse');
    expect(await drains({ autocompact: false })).toEqual({ kind: 'none', why: 'switched off' });
    expect(names({ autocompact: false, reactiveCompact: true })).toContain('context-collapse');
    expect(names({ autocompact: false, reactiveCompact: true, collapse: false })).not.toContain(
      'context-collapse',
    );
    expect(names({ reactiveCompact: false })).toContain('context-collapse');
  });
});
