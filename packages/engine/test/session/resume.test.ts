import { faultsOf } from '@turnwright/test/session/conversation.ts';
import {
  asEntries,
  assistant,
  attachment,
  CWD,
  decisionRecord,
  fixedClock,
  SESSION,
  toolResult,
  toolUse,
  user,
} from '@turnwright/test/session/sample-journal.ts';
import { describe, expect, it } from 'vitest';
import { EMPTY_USAGE } from '../../src/protocol/model/wire.ts';
import type { JournalBody } from '../../src/protocol/session/journal.ts';
import type { EffectClass } from '../../src/protocol/tools/tool.ts';
import { createMemoryJournalStore } from '../../src/session/journal/memory-store.ts';
import { readEntries } from '../../src/session/journal/read-journal.ts';
import { resumeSession } from '../../src/session/resume/resume.ts';

const submission: JournalBody = {
  type: 'submission',
  id: 's1',
  submission: 's1',
  model: 'claude-test',
  permissionMode: 'plan',
};
const prompt: JournalBody = { ...user('u1', 'do it', { kind: 'prompt' }), submission: 's1' };
const request = (iteration = 1, attempt = 1): JournalBody => ({
  type: 'request',
  id: `s1/${iteration}/${attempt}/request`,
  submission: 's1',
  iteration,
  attempt,
  model: 'claude-test',
  maxTokens: 8000,
  querySource: 'main',
});
const block = (
  uuid: string,
  content: Parameters<typeof assistant>[2],
  iteration = 1,
  messageId = 'm1',
): JournalBody => ({
  ...assistant(uuid, messageId, content),
  submission: 's1',
  iteration,
});
const response = (iteration = 1, more: object = {}): JournalBody => ({
  type: 'response',
  id: `s1/${iteration}/1/response`,
  submission: 's1',
  iteration,
  messageId: 'm1',
  stopReason: 'tool_use',
  usage: { ...EMPTY_USAGE, input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 50 },
  costUsd: 0.25,
  ...more,
});
const intent = (toolUseId: string, effectClass: EffectClass): JournalBody => ({
  type: 'intent',
  id: `s1/1/1/intent/${toolUseId}`,
  submission: 's1',
  toolUseId,
  toolName: 'Bash',
  effectClass,
});
const result = (uuid: string, id: string): JournalBody => ({ ...toolResult(uuid, id), submission: 's1' });
const decided = (iteration: number, turnCount: number, kind: 'next_turn' | 'completed'): JournalBody => ({
  type: 'decision',
  id: `s1/${iteration}/1/decision`,
  submission: 's1',
  record: decisionRecord(
    's1',
    iteration,
    turnCount,
    kind === 'completed'
      ? { kind: 'stop', terminal: 'completed', sentence: 'Stopped: completed.' }
      : { kind: 'continue', transition: 'next_turn', sentence: 'Went on.' },
  ),
});

const resume = (...bodies: JournalBody[]) => resumeSession(asEntries(bodies));
const openOf = (...bodies: JournalBody[]) => {
  const { interrupted: open } = resume(...bodies);
  if (open === undefined) throw new Error('nothing is open');
  return open;
};

describe('the resume table (L4.1)', () => {
  it('an empty journal, and one with nothing asked, have nothing open', () => {
    expect(resume().interrupted).toBeUndefined();
    expect(resume().view.messages.length).toBe(0);
    expect(resume(submission).interrupted).toBeUndefined();
  });

  it('a prompt without a request is asked', () => {
    const open = openOf(submission, prompt);
    expect(open).toMatchObject({
      id: 's1',
      next: 'ask',
      startAt: { iteration: 1, turnCount: 1, response: undefined },
      reopening: [],
      closing: [],
    });
  });

  it('a request without blocks is asked again', () => {
    expect(openOf(submission, prompt, request())).toMatchObject({ next: 'ask', superseded: [], calls: [] });
  });

  it('L4.3 blocks without the end, and without a call: retracted and asked again', () => {
    const open = openOf(submission, prompt, request(), block('a1', { type: 'text', text: 'half' }));
    expect(open).toMatchObject({ next: 'ask', superseded: ['a1'] });
    expect(open.reopening).toEqual([
      {
        type: 'retract',
        id: 's1/1/resume/retract/a1',
        submission: 's1',
        uuids: ['a1'],
        reason: 'superseded',
      },
    ]);
    // A new prompt keeps what was said.
    expect(open.closing).toEqual([]);
  });

  it('L4.3 a complete call without the end of its response: kept, and run once', () => {
    const open = openOf(
      submission,
      prompt,
      request(1, 2),
      block('a1', { type: 'text', text: 'so' }),
      block('a2', toolUse('t1')),
    );
    expect(open).toMatchObject({ next: 'tools', superseded: [], reopening: [] });
    expect(open.startAt).toMatchObject({
      iteration: 1,
      turnCount: 1,
      response: {
        known: [],
        calls: [{ assistantUuid: 'a2', effectKey: 's1/1/2/tool/t1', block: { id: 't1' } }],
      },
    });
  });

  it.each([
    ['pure', 'rerun'],
    ['idempotent', 'rerun'],
    ['unsafe', 'unknown'],
    ['something new', 'unknown'],
  ] as const)('F01 intent of a(n) %s call without a result: %s', (effectClass, plan) => {
    const journal = [
      submission,
      prompt,
      request(),
      block('a1', toolUse('t1')),
      response(),
      intent('t1', effectClass as EffectClass),
    ];
    const open = openOf(...journal);
    expect(open.calls).toMatchObject([{ plan, call: { effectKey: 's1/1/1/tool/t1' } }]);
    expect(open.startAt.response?.known.length).toBe(plan === 'unknown' ? 1 : 0);
    expect(open.reopening.map(({ type }) => type)).toEqual(plan === 'unknown' ? ['unknown', 'user'] : []);
    // With a new prompt none of them runs.
    const { closing } = open;
    expect(closing).toMatchObject([
      { type: 'unknown', toolUseId: 't1' },
      {
        type: 'user',
        kind: 'tool_result',
        nonExecution: 'unknown_outcome',
        sourceAssistantUuid: 'a1',
        message: {
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              is_error: true,
              content: expect.stringContaining('outcome unknown'),
            },
          ],
        },
      },
    ]);
    expect(faultsOf(resume(...journal, ...closing).view.messages)).toEqual([]);
  });

  it('F01 a call that never started is answered so before a new prompt', () => {
    const open = openOf(submission, prompt, request(), block('a1', toolUse('t1')), response());
    expect(open.calls[0]?.plan).toBe('run');
    expect(open.closing).toMatchObject([
      {
        type: 'user',
        nonExecution: 'aborted',
        message: { content: [{ content: expect.stringContaining('before it ran') }] },
      },
    ]);
  });

  it('F39 what is answered is known and not run; results stand in the order of the calls', () => {
    const journal = [
      submission,
      prompt,
      request(),
      block('a1', toolUse('t1')),
      block('a2', toolUse('t2')),
      intent('t2', 'unsafe'),
      result('r2', 't2'),
      block('a3', toolUse('t3')),
      response(),
    ];
    const open = openOf(...journal);
    expect(open.calls.map(({ plan }) => plan)).toEqual(['run', 'answered', 'run']);
    expect(open.startAt.response?.known.map(({ uuid }) => uuid)).toEqual(['r2']);
    const closed = resume(...journal, ...open.closing);
    expect(closed.view.messages.slice().map((message) => message.type)).toEqual([
      'user',
      'assistant',
      'assistant',
      'assistant',
      'user',
      'user',
      'user',
    ]);
    const answers = closed.view.messages
      .slice(4)
      .map((message) =>
        message.type === 'user' ? (message.message.content[0] as { tool_use_id: string }).tool_use_id : '',
      );
    expect(answers).toEqual(['t1', 't2', 't3']);
  });

  it('closing twice is closing once', () => {
    const journal = [submission, prompt, request(), block('a1', toolUse('t1')), intent('t1', 'unsafe')];
    const { closing } = openOf(...journal);
    expect(openOf(...journal, ...closing).closing).toEqual([]);
    const half = openOf(...journal, closing[0] as JournalBody);
    expect(half.calls[0]?.plan).toBe('unknown');
    expect(resume(...journal, ...closing, ...closing).view.messages.length).toBe(3);
  });

  it('a call whose outcome was given up never runs later, whatever its class', () => {
    const gaveUp: JournalBody = { type: 'unknown', id: 'x', submission: 's1', toolUseId: 't1' };
    expect(
      openOf(submission, prompt, request(), block('a1', toolUse('t1')), intent('t1', 'pure'), gaveUp).calls[0]
        ?.plan,
    ).toBe('unknown');
  });

  it('a call whose input did not parse is taken up as one that never runs', () => {
    const input = { __unparsedToolInput: { raw: '{"a":', len: 5 } };
    const open = openOf(
      submission,
      prompt,
      request(),
      block('a1', toolUse('t1', 'Bash', input)),
      response(1, { stopReason: 'max_tokens' }),
    );
    expect(open.calls[0]?.call.unparsed).toEqual({ raw: '{"a":', cut: true });
  });

  it('attachments and nudges behind the tools are made anew when it is carried on, extra messages are not', () => {
    const journal: JournalBody[] = [
      submission,
      prompt,
      request(),
      block('a1', toolUse('t1')),
      response(),
      intent('t1', 'pure'),
      result('r1', 't1'),
      { ...user('extra', 'an image'), isSynthetic: true, submission: 's1' },
      { ...attachment('n1'), submission: 's1' },
      { ...attachment('value'), attachment: { type: 'structured_output', data: 1 }, submission: 's1' },
      { ...user('nudge', 'go on', { kind: 'nudge', isSynthetic: true }), submission: 's1' },
    ];
    const open = openOf(...journal);
    expect(open.superseded).toEqual(['n1', 'nudge']);
    const carried = resume(...journal, ...open.reopening);
    expect(carried.view.messages.slice().map(({ uuid }) => uuid)).toEqual([
      'u1',
      'a1',
      'r1',
      'extra',
      'value',
    ]);
    // Once the iteration was decided they stay.
    expect(openOf(...journal, decided(1, 1, 'next_turn'))).toMatchObject({
      next: 'ask',
      startAt: { iteration: 2, turnCount: 2 },
      superseded: [],
    });
  });

  it('a turn without a recorded decision is counted by the following request', () => {
    const journal = [submission, prompt, request(), block('a1', toolUse('t1')), response()];
    expect(openOf(...journal, request(2))).toMatchObject({ startAt: { iteration: 2, turnCount: 1 } });
    expect(openOf(...journal, result('r1', 't1'), request(2))).toMatchObject({
      startAt: { iteration: 2, turnCount: 2 },
    });
    expect(openOf(...journal, result('r1', 't1'), decided(1, 1, 'next_turn'), request(2))).toMatchObject({
      startAt: { iteration: 2, turnCount: 2 },
    });
  });

  it('a submission that was decided has only its result left to give', () => {
    const open = openOf(
      submission,
      prompt,
      request(),
      block('a1', { type: 'text', text: 'done' }),
      response(),
      decided(1, 1, 'completed'),
    );
    expect(open).toMatchObject({
      next: 'stopped',
      terminal: { reason: 'completed', turnCount: 1 },
      superseded: [],
      startAt: { response: undefined },
      reopening: [],
    });
  });

  it('a run that was being aborted is not carried on', () => {
    const note: JournalBody = {
      ...user('i1', '[Request interrupted by user]', { kind: 'interruption' }),
      submission: 's1',
    };
    expect(
      openOf(submission, prompt, request(), block('a1', { type: 'text', text: 'x' }), note),
    ).toMatchObject({
      next: 'stopped',
      terminal: { reason: 'aborted_streaming' },
    });
  });

  it('a submission that is carried on stays one, and counts its turns on', () => {
    const carriesOn: JournalBody = {
      type: 'submission',
      id: 's1/again',
      submission: 's1',
      carriesOn: true,
      model: 'claude-test',
      permissionMode: 'plan',
    };
    const journal = [
      submission,
      prompt,
      request(),
      block('a1', toolUse('t1')),
      response(),
      intent('t1', 'pure'),
      result('r1', 't1'),
      decided(1, 1, 'next_turn'),
      request(2),
      carriesOn,
      request(1),
      block('b1', { type: 'text', text: 'done' }, 1, 'm9'),
    ];
    const resumed = resume(...journal);
    expect(resumed.view.messages.slice().map(({ uuid }) => uuid)).toEqual(['u1', 'a1', 'r1', 'b1']);
    expect(resumed.interrupted).toMatchObject({ id: 's1', next: 'ask', superseded: ['b1'] });
  });

  it('open questions are reported, with the answer if there is one', () => {
    const ask: JournalBody = {
      type: 'ask',
      id: 'x',
      submission: 's1',
      askId: 'q1',
      toolUseId: 't1',
      question: 'may I?',
    };
    const answer: JournalBody = { type: 'answer', id: 'y', submission: 's1', askId: 'q1', answer: 'yes' };
    const journal = [submission, prompt, request(), block('a1', toolUse('t1')), ask];
    expect(openOf(...journal).asks).toEqual([{ askId: 'q1', toolUseId: 't1', question: 'may I?' }]);
    expect(openOf(...journal, answer).asks).toMatchObject([{ answer: 'yes' }]);
  });
});

describe('what a session comes to', () => {
  const done: JournalBody[] = [
    submission,
    prompt,
    request(),
    block(
      'a1',
      toolUse('t1', 'TodoWrite', { todos: [{ content: 'x', status: 'pending', activeForm: 'doing x' }] }),
    ),
    response(),
    result('r1', 't1'),
    decided(1, 1, 'next_turn'),
  ];

  it('adds up what was spent, from the last cost record on', () => {
    const cost: JournalBody = {
      type: 'cost',
      id: 'c',
      submission: 's1',
      totalCostUsd: 3,
      modelUsage: { 'claude-test': { inputTokens: 1000, costUSD: 3 } },
    };
    const { totals } = resume(...done, cost, request(2), response(2));
    expect(totals.totalCostUsd).toBe(3.25);
    expect(totals.modelUsage['claude-test']).toMatchObject({
      inputTokens: 1100,
      outputTokens: 20,
      cacheReadInputTokens: 50,
      costUSD: 3.25,
    });
  });

  it('knows todos, title, inbox, snapshot, model and decisions', () => {
    const resumed = resume(
      ...done,
      { type: 'title', id: 't', submission: 's1', title: 'Fixing it' },
      { type: 'inbox', id: 'i', submission: 's1', consumed: ['k'] },
      {
        type: 'context-snapshot',
        id: 'x',
        submission: 's1',
        system: ['sys'],
        userContext: [],
        toolNames: ['Bash'],
        hash: 'h',
      },
      { type: 'result', id: 'r', submission: 's1', result: { subtype: 'success' } },
    );
    expect(resumed.consumed.has('k')).toBe(true);
    expect(resumed).toMatchObject({
      todos: [{ content: 'x' }],
      title: 'Fixing it',
      contextSnapshot: { system: ['sys'], hash: 'h' },
      interrupted: undefined,
      model: 'claude-test',
    });
    expect(resumed.decisions.map(({ iteration }) => iteration)).toEqual([1]);
  });

  it('replays retractions, edits and boundaries; errors the engine wrote are not sent', () => {
    const note: JournalBody = {
      ...assistant('e1', 'm2', { type: 'text', text: 'oops' }),
      synthetic: { error: 'server_error' },
      submission: 's1',
      iteration: 1,
    };
    const summary = user('sum', 'so far', { kind: 'summary', isSynthetic: true });
    const boundary: JournalBody = {
      type: 'boundary',
      id: 'b',
      submission: 's1',
      why: 'full',
      edits: [{ kind: 'reset', head: [summary], keep: ['r1', 'a1'], tail: [] }],
    };
    const shown: JournalBody = {
      type: 'system',
      subtype: 'compact_boundary',
      uuid: 'sb',
      timestamp: '',
      compact_metadata: { trigger: 'auto', pre_tokens: 1234 },
      submission: 's1',
    };
    const resumed = resume(...done, note, boundary, shown);
    expect(resumed.view.messages.slice().map(({ uuid }) => uuid)).toEqual(['sum', 'a1', 'r1']);
    expect(resumed.compactedTokens).toBe(1234);
    const retracted = resume(...done, {
      type: 'retract',
      id: 'x',
      submission: 's1',
      uuids: ['a1'],
      reason: 'superseded',
    });
    expect(retracted.view.messages.slice().map(({ uuid }) => uuid)).toEqual(['u1']);
  });

  it('F70 malformed records cost nothing but themselves', () => {
    const bad = [
      { type: 'attachment', uuid: 'x1', timestamp: '', attachment: null, rendered: 7, submission: 's1' },
      { type: 'user', uuid: 'x2', timestamp: '', message: 'no', submission: 's1' },
      { type: 'assistant', uuid: 'x3', timestamp: '', submission: 's1' },
      { type: 'retract', id: 'x4', submission: 's1' },
      { type: 'boundary', id: 'x5', submission: 's1', edits: [{ kind: 'remove' }] },
      { type: 'response', id: 'x6', submission: 's1' },
    ] as unknown as JournalBody[];
    const mixed: JournalBody = {
      ...block('a5', toolUse('t5')),
      message: {
        ...assistant('a5', 'm5', toolUse('t5')).message,
        content: [
          null,
          { type: 'tool_use', name: 'x' },
          { type: 'tool_use', id: 't5', name: 'Bash', input: 'ls' },
        ],
      },
    } as unknown as JournalBody;
    const resumed = resume(...done, ...bad, request(2), mixed, result('r5', 't5'), result('r6', 'nobody'));
    expect(resumed.problems).toMatchObject({ malformed: 6, orphanResults: 1 });
    expect(faultsOf(resumed.view.messages)).toEqual([]);
    expect(resumed.view.messages.at(3)).toMatchObject({ message: { content: [{ id: 't5', input: {} }] } });
  });

  it('F70 a result lost in the middle is synthesised, and replaced when it arrives after all', () => {
    const [s, p, r, a, e] = done as [JournalBody, JournalBody, JournalBody, JournalBody, JournalBody];
    const lost = [
      s,
      p,
      r,
      a,
      e,
      decided(1, 1, 'next_turn'),
      request(2),
      block('a2', { type: 'text', text: 'ok' }, 2, 'm2'),
    ];
    const resumed = resume(...lost);
    expect(resumed.problems.missingResults).toBe(1);
    expect(resumed.view.messages.slice().map(({ type }) => type)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(
      resume(...lost, result('late', 't1'))
        .view.messages.slice()
        .map(({ uuid }) => uuid),
    ).toEqual(['u1', 'a1', 'late', 'a2']);
  });

  it('reads through a store', async () => {
    const store = createMemoryJournalStore({ cwd: CWD, clock: fixedClock });
    await store.takeOver(SESSION);
    await store.append(SESSION, 1, 0, done);
    expect(resumeSession(await readEntries(store, SESSION)).view.messages.length).toBe(3);
    expect(resumeSession(await readEntries(store, 'absent')).view.messages.length).toBe(0);
  });
});
