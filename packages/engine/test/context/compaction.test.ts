import { fail, hang, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { CompactionState, StepOutcome } from '../../src/protocol/model/context.ts';
import type { LoopMessage, SystemMessage, ViewMessage } from '../../src/protocol/model/messages.ts';
import type { HookCall, HookPort } from '../../src/protocol/tools/hook.ts';
import { NO_HOOK_VERDICT } from '../../src/protocol/tools/hook.ts';
import {
  applied,
  call,
  context,
  input,
  isWhole,
  prompt,
  prose,
  queued,
  type Ran,
  result,
  run,
  runStep,
  SMALL,
  session,
} from './conversation.ts';

const SUMMARY = say('<analysis>Hm.</analysis><summary>The gist.</summary>');
/** About 16 000 tokens: above the threshold of `SMALL`. */
const FULL = [
  ...session('a', 3, 5_000),
  prompt('latest', 'Carry on,\r\nplease.  '),
  call('x', 'x'),
  result('x', 'x'),
];
const full = (more = {}) => input(FULL, { limits: SMALL, ...more });

const systems = (yielded: readonly LoopMessage[]) =>
  yielded.filter((message): message is SystemMessage => message.type === 'system');
const edited = (outcome: StepOutcome) => {
  if (outcome.kind !== 'edits') throw new Error(`expected edits, not ${JSON.stringify(outcome)}`);
  return outcome;
};
const state = ({ outcome }: Ran<StepOutcome>): CompactionState | undefined =>
  outcome.kind === 'edits' || outcome.kind === 'note' ? outcome.compaction : undefined;

describe('autocompact', () => {
  it('puts boundary, summary and the kept tail in the place of the view', async () => {
    const { port, model, clock } = context([
      () => {
        void clock.advance(250);
        return SUMMARY;
      },
    ]);
    const { yielded, outcome } = await runStep(port, 'autocompact', full());
    const [compacting, settled, boundary, summary] = yielded as [
      SystemMessage,
      SystemMessage,
      SystemMessage,
      ViewMessage,
    ];
    expect(compacting).toMatchObject({ subtype: 'status', status: 'compacting' });
    expect(settled).toMatchObject({ subtype: 'status', status: null, compact_result: 'success' });
    expect(summary).toMatchObject({ type: 'user', isSynthetic: true, kind: 'summary' });
    expect(JSON.stringify(summary)).toContain('The gist.');
    expect(JSON.stringify(summary)).not.toContain('Hm.');
    expect(boundary).toMatchObject({
      subtype: 'compact_boundary',
      compact_metadata: {
        trigger: 'auto',
        preserved_messages: {
          anchor_uuid: summary.uuid,
          uuids: expect.arrayContaining(['latest', 'call-x', 'result-x']),
        },
      },
    });

    const after = applied(FULL, edited(outcome));
    expect(after[0]).toBe(summary);
    expect(isWhole(after)).toBe(true);
    expect(outcome).toMatchObject({
      source: 'boundary',
      compaction: { turnsSinceCompact: 0, rapidRefills: 0, consecutiveFailures: 0, warned: false },
    });
    const metadata = boundary.subtype === 'compact_boundary' ? boundary.compact_metadata : undefined;
    expect(edited(outcome).tokensFreed).toBe((metadata?.pre_tokens ?? 0) - (metadata?.post_tokens ?? 0));
    expect(metadata?.post_tokens).toBeLessThan(2_000);
    model.assertComplete();
  });

  it('F30: the last prompt is kept byte for byte, also through a second compaction', async () => {
    const blocks = [
      { type: 'text', text: 'Look at this:  \r\n' },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    ] as const;
    const asked = prompt('asked', blocks);
    let view: ViewMessage[] = [...session('a', 3, 5_000), asked];
    for (let pass = 1; pass <= 2; pass++) {
      for (let i = 0; i < 4; i++)
        view.push(call(`r${pass}${i}`, `${pass}${i}`), result(`${pass}${i}`, prose(5_000)));
      const { port } = context([SUMMARY]);
      const { outcome } = await runStep(port, 'autocompact', input(view, { limits: SMALL }));
      view = applied(view, edited(outcome));
      expect(view).toContain(asked);
      expect(view.filter((message) => message.type === 'user' && message.kind === 'summary')).toHaveLength(1);
    }
  });

  it('keeps a prompt that was queued while the model worked', async () => {
    const late = queued('late', 'Use blue.');
    const view = [
      prompt('p', 'Go.'),
      call('a', 'a'),
      result('a', prose(9_000)),
      late,
      call('b', 'b'),
      result('b', prose(9_000)),
    ];
    const { port } = context([SUMMARY]);
    const { outcome } = await runStep(port, 'autocompact', input(view, { limits: SMALL }));
    expect(applied(view, edited(outcome))).toContain(late);
  });

  it('summarises everything before the tail, with one call that hits the prompt cache', async () => {
    const { port, model } = context([SUMMARY]);
    await runStep(port, 'autocompact', full());
    const asked = model.requests[0]?.view ?? [];
    expect(asked.slice(0, -1)).toEqual(FULL.slice(0, asked.length - 1));
    expect(asked.length).toBeGreaterThan(5);
  });

  it.each([
    ['below the threshold', full({ estimateTokens: SMALL.autocompactAt - 1 })],
    ['for a compaction itself', full({ querySource: 'compact' })],
    ['twice in one pass', full({ compactedInThisPass: true })],
    [
      'while it is switched off',
      full({ compaction: { rapidRefills: 0, consecutiveFailures: 3, switchedOff: true, warned: true } }),
    ],
    [
      'F21: when system prompt and tools alone are too large',
      input([prompt('p', 'Hi.')], { limits: SMALL, estimateTokens: 50_000 }),
    ],
    [
      'F26: when everything is in the kept tail',
      input([prompt('p', 'Hi.'), call('a', 'a'), result('a', prose(15_000))], { limits: SMALL }),
    ],
  ])('does nothing %s', async (_, given) => {
    const { port } = context();
    const { yielded, outcome } = await runStep(port, 'autocompact', given);
    expect(outcome.kind).toBe('skip');
    expect(yielded).toEqual([]);
  });

  it('F18: three failures in a row switch it off, with one message; the view stays', async () => {
    const failing = fail({ kind: 'overloaded', message: 'Overloaded.' });
    const { port } = context([failing, failing, failing]);
    let compaction = full().compaction;
    for (let strike = 1; strike <= 3; strike++) {
      const ran = await runStep(port, 'autocompact', full({ compaction }));
      compaction = state(ran) as CompactionState;
      expect(ran.outcome.kind).toBe('note');
      expect(compaction).toMatchObject({ consecutiveFailures: strike, switchedOff: strike === 3 });
      const shown = systems(ran.yielded);
      expect(shown[1]).toMatchObject({
        status: null,
        compact_result: 'failed',
        compact_error: 'Overloaded.',
      });
      expect(shown.filter((message) => message.subtype === 'informational')).toHaveLength(
        strike === 3 ? 1 : 0,
      );
    }
  });

  it('F18, F19: an abort ends it at once, counts a strike and leaves the view', async () => {
    const controller = new AbortController();
    const { port } = context([hang()]);
    const running = runStep(port, 'autocompact', full({ life: controller }));
    controller.abort('user');
    expect((await running).outcome).toMatchObject({ kind: 'note', compaction: { consecutiveFailures: 1 } });
  });

  it('F22: the third refill within three turns stops the run and names the largest contributor', async () => {
    const { port } = context([SUMMARY, SUMMARY, SUMMARY]);
    let compaction = full().compaction;
    for (const refills of [0, 1, 2]) {
      compaction = state(await runStep(port, 'autocompact', full({ compaction }))) as CompactionState;
      expect(compaction.rapidRefills).toBe(refills);
      compaction = { ...compaction, turnsSinceCompact: 3 };
    }
    const { outcome } = await runStep(port, 'autocompact', full({ compaction }));
    expect(outcome).toMatchObject({ kind: 'stop', reason: 'rapid_refill_breaker' });
    expect(outcome.kind === 'stop' && outcome.message).toContain('a result of Bash (about 5,0');
    const tools = await runStep(port, 'autocompact', full({ compaction, estimateTokens: 24_000 }));
    expect(tools.outcome.kind === 'stop' && tools.outcome.message).toContain(
      'system prompt and the tool definitions',
    );
  });

  it('counts refills only in a row: four turns of work start the count afresh', async () => {
    const { port } = context([SUMMARY]);
    const compaction = { ...full().compaction, rapidRefills: 2, turnsSinceCompact: 4 };
    expect(state(await runStep(port, 'autocompact', full({ compaction })))).toMatchObject({
      rapidRefills: 0,
    });
  });

  it('F18: with no space left, the trim without a model frees some, and the failure still counts', async () => {
    const { port } = context([fail({ kind: 'overloaded', message: 'Overloaded.' })]);
    const ran = await runStep(port, 'autocompact', full({ estimateTokens: SMALL.effective }));
    expect(ran.outcome).toMatchObject({
      kind: 'edits',
      why: 'without a model: Overloaded.',
      compaction: { consecutiveFailures: 1, switchedOff: false, turnsSinceCompact: 0 },
    });
    expect(systems(ran.yielded).map((message) => message.subtype)).toEqual([
      'status',
      'status',
      'compact_boundary',
      'informational',
    ]);
    const after = applied(FULL, edited(ran.outcome));
    expect(isWhole(after)).toBe(true);
    expect(after.length).toBeLessThan(FULL.length);
  });

  it('F18: while it is switched off, the same trim works without a call', async () => {
    const compaction = { rapidRefills: 0, consecutiveFailures: 3, switchedOff: true, warned: true };
    const { port, model } = context([]);
    const ran = await runStep(port, 'autocompact', full({ compaction, estimateTokens: SMALL.effective }));
    expect(ran.outcome).toMatchObject({ kind: 'edits', compaction: { switchedOff: true } });
    const reactive = await run(
      port.recovery.reactiveCompact(full({ compaction }), { kind: 'prompt_too_long', message: '' }),
    );
    expect(reactive.outcome).toEqual({ kind: 'none', why: 'summaries are switched off' });
    model.assertComplete();
  });

  it('F21: a floor above the window is one clear error that names sizes', async () => {
    const tools = [{ name: 'Huge', description: 'word '.repeat(20_000), input_schema: { type: 'object' } }];
    const mainRequest = () => ({ sessionId: 's', foreground: true, system: [], tools, maxTokens: 4_000 });
    const { port } = context([], { mainRequest });
    const { outcome, yielded } = await runStep(
      port,
      'autocompact',
      input([prompt('p', 'Hi.')], { limits: SMALL }),
    );
    expect(yielded).toEqual([]);
    expect(outcome).toMatchObject({ kind: 'stop', reason: 'blocking_limit' });
    expect(outcome.kind === 'stop' && outcome.message).toMatch(
      /alone are about 2\d,\d{3} tokens.*16,000 of 20,000/,
    );
  });

  it('restores from its sources within their budget, one that fails is passed over; PreCompact and SessionStart hooks speak', async () => {
    const calls: HookCall[] = [];
    const hooks: HookPort = {
      has: () => true,
      async run(hook) {
        calls.push(hook);
        if (hook.event === 'PreCompact')
          return { ...NO_HOOK_VERDICT, additionalContext: ['Remember the colours.'] };
        if (hook.event === 'SessionStart')
          return { ...NO_HOOK_VERDICT, additionalContext: ['Started again.'] };
        return NO_HOOK_VERDICT;
      },
    };
    const { port, model } = context([SUMMARY], {
      hooks,
      sources: () => [
        { name: 'broken', collect: () => Promise.reject(new Error('no')) },
        {
          name: 'todos',
          collect: async () => [queued('todos', 'Todo: paint.'), queued('huge', prose(100_000))],
        },
      ],
    });
    const { yielded, outcome } = await runStep(port, 'autocompact', full());
    const after = JSON.stringify(applied(FULL, edited(outcome)));
    expect(after).toContain('Todo: paint.');
    expect(after).toContain('Started again.');
    expect(after).not.toContain('"huge"');
    expect(yielded).toHaveLength(6);
    expect(JSON.stringify(model.requests[0]?.view.at(-1))).toContain('Remember the colours.');
    expect(calls.map((hook) => hook.event)).toEqual(['PreCompact', 'SessionStart', 'PostCompact']);
    expect(calls[2]).toMatchObject({ compact_summary: 'The gist.' });
  });

  it('is prevented by a PreCompact hook without counting a strike', async () => {
    const hooks: HookPort = {
      has: () => true,
      run: async () => ({ ...NO_HOOK_VERDICT, blockingErrors: ['Not now.'] }),
    };
    const { port } = context([], { hooks });
    expect((await runStep(port, 'autocompact', full())).outcome).toEqual({
      kind: 'skip',
      why: 'a PreCompact hook prevented it: Not now.',
    });
  });
});

describe('reactive compaction', () => {
  const overflow = { kind: 'prompt_too_long', message: 'prompt is too long' } as const;

  it('compacts whatever the estimate says', async () => {
    const { port } = context([SUMMARY]);
    const ran = await run(port.recovery.reactiveCompact(full({ estimateTokens: 100 }), overflow));
    expect(ran.outcome).toMatchObject({ kind: 'edits', source: 'boundary', compacted: true });
  });

  it('says why when it could not: the trim is next', async () => {
    const { port } = context([fail({ kind: 'server_error', message: 'Broken.' })]);
    const ran = await run(port.recovery.reactiveCompact(full(), overflow));
    expect(ran.outcome).toEqual({ kind: 'none', why: 'Broken.' });
  });

  it('F27: with autocompact off nothing is compacted or trimmed, unless asked for', async () => {
    const off = context([], { autocompact: false }).port;
    expect(off.steps.map((step) => step.name)).not.toContain('autocompact');
    expect((await run(off.recovery.reactiveCompact(full(), overflow))).outcome.kind).toBe('none');
    expect((await run(off.recovery.mechanicalTrim(full()))).outcome.kind).toBe('none');
    const on = context([SUMMARY], { autocompact: false, reactiveCompact: true }).port;
    expect((await run(on.recovery.reactiveCompact(full(), overflow))).outcome.kind).toBe('edits');
  });

  it('has no staged collapses to drain', async () => {
    expect((await run(context().port.recovery.drainCollapses(full()))).outcome.kind).toBe('none');
  });
});
