import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import {
  idleHooks,
  loopDeps,
  loopParams,
  runLoop,
  type ScriptStep,
  say,
  scriptedModel,
  sequentialIds,
  virtualClock,
} from '@turnwright/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSnipMarks } from '../../src/context/clearing/snip-marks.ts';
import { createContext } from '../../src/context/context-port.ts';
import { estimateTokens } from '../../src/context/estimate/token-estimate.ts';
import { snip } from '../../src/context/steps/remove-snipped.ts';
import { queryLoop } from '../../src/loop/query-loop.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import {
  answer,
  applied,
  call,
  input,
  isWhole,
  prompt,
  prose,
  result,
  run,
  session,
  text,
} from './conversation.ts';

const uuids = (messages: readonly ViewMessage[]) => messages.map((message) => message.uuid);
const thinking = (response: string) =>
  answer(response, `${response}-thinking`, { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' });

async function snipping(view: readonly ViewMessage[], ...ids: string[]) {
  const marks = createSnipMarks();
  marks.mark(ids);
  const step = snip(marks, { clock: virtualClock(), ids: sequentialIds() });
  const ran = await run(step.run(input(view)));
  return { ...ran, marks, step, after: applied(view, ran.outcome) };
}

describe('snip', () => {
  it('skips with a reason when nothing is marked', async () => {
    const { outcome, yielded } = await snipping(session('a', 1, 10));
    expect(outcome).toEqual({ kind: 'skip', why: 'nothing is marked as dead weight' });
    expect(yielded).toEqual([]);
  });

  it('removes a call with its result, and says so first', async () => {
    const view = session('a', 3, 1_000);
    const { outcome, yielded, after, marks } = await snipping(view, 'a-1');
    const freed = estimateTokens(view) - estimateTokens(after);
    expect(uuids(after)).toEqual(uuids(view).filter((uuid) => !uuid.endsWith('-a-1')));
    expect(outcome).toMatchObject({ kind: 'edits', source: 'snip', tokensFreed: freed });
    expect(yielded).toMatchObject([
      { subtype: 'snip_boundary', removed_uuids: ['call-a-1', 'result-a-1'], tokens_freed: freed },
    ]);
    expect(marks.pending.size).toBe(0);
  });

  it('takes either half of a pair for the whole, by uuid too', async () => {
    const view = session('a', 2, 10);
    for (const id of ['a-1', 'call-a-1', 'result-a-1'])
      expect(uuids((await snipping(view, id)).after)).toEqual(
        uuids(view).filter((uuid) => !uuid.endsWith('a-1')),
      );
  });

  it('cuts one of several calls out of messages that hold more', async () => {
    const two = answer('r', 'both', { type: 'tool_use', id: 'x', name: 'Bash', input: {} });
    const view: ViewMessage[] = [
      prompt('p', 'Go.'),
      {
        ...two,
        message: {
          ...two.message,
          content: [...two.message.content, { type: 'tool_use', id: 'y', name: 'Bash', input: {} }],
        },
      },
      {
        ...result('x', 'one'),
        toolUseResult: { of: 'x' },
        message: {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'x', content: 'one' },
            { type: 'tool_result', tool_use_id: 'y', content: 'two' },
          ],
        },
      },
      text('end', 'Done.'),
    ];
    const { after, outcome } = await snipping(view, 'y');
    expect(isWhole(after)).toBe(true);
    expect(uuids(after)).toEqual(uuids(view));
    expect(JSON.stringify(after)).not.toContain('"y"');
    expect(after[2]).not.toHaveProperty('toolUseResult');
    expect(outcome).toMatchObject({ edits: [{ kind: 'replace' }, { kind: 'replace' }] });
  });

  it('thinking goes with the last thing it led to, and stays as long as there is one', async () => {
    const silent = [thinking('r'), call('r', 'x'), result('x', 'one')];
    const said = [thinking('q'), text('q', 'It is broken.'), call('q', 'y'), result('y', 'two')];
    const view = [prompt('p', 'Go.'), ...silent, ...said, text('end', 'Done.')];
    const { after } = await snipping(view, 'x', 'y', 'q-thinking');
    expect(uuids(after)).toEqual(['p', 'q-thinking', 'q-text', 'end-text']);
  });

  it('the newest answer waits until another has followed', async () => {
    const view = [prompt('p', 'Go.'), call('r', 'x'), result('x', 'one')];
    const { outcome, marks, step, yielded } = await snipping(view, 'x');
    expect(outcome).toEqual({ kind: 'skip', why: 'what is marked belongs to the newest answer and waits' });
    expect(yielded).toEqual([]);
    expect([...marks.pending]).toEqual(['x']);
    const later = [...view, call('s', 'z'), result('z', 'two')];
    const { outcome: then } = await run(step.run(input(later)));
    expect(uuids(applied(later, then))).toEqual(['p', 'call-z', 'result-z']);
  });

  it('never takes the last prompt; earlier ones go when a host marks them', async () => {
    const view = [...session('a', 1, 10), ...session('b', 1, 10)];
    const { after } = await snipping(view, 'a-prompt', 'b-prompt');
    expect(uuids(after)).toEqual(uuids(view).filter((uuid) => uuid !== 'a-prompt'));
  });

  it('forgets marks whose target has left the view', async () => {
    const { outcome, marks } = await snipping(session('a', 1, 10), 'gone');
    expect(outcome.kind).toBe('skip');
    expect(marks.pending.size).toBe(0);
  });

  it('whatever is marked, no half of a pair is left, and the last prompt stays', async () => {
    const view = [
      ...session('a', 4, 5),
      thinking('t'),
      call('t', 'k'),
      result('k', prose(5)),
      ...session('b', 3, 5),
    ];
    const ids = [...uuids(view), 'a-1', 'a-3', 'k', 'b-2', 'nothing'];
    await fc.assert(
      fc.asyncProperty(fc.subarray(ids), async (marked) => {
        const { after, outcome } = await snipping(view, ...marked);
        expect(isWhole(after)).toBe(true);
        expect(uuids(after)).toContain('b-prompt');
        expect(after.at(-1)).toBe(view.at(-1));
        if (outcome.kind === 'edits')
          expect(estimateTokens(view) - estimateTokens(after)).toBe(outcome.tokensFreed);
      }),
    );
  });
});

describe('marks', () => {
  it('name something, or are refused with a reason', async () => {
    const view = session('a', 1, 10);
    const { marks } = await snipping(view);
    expect(marks.mark(['a-1', 'nothing', 'a-prompt', 'a-1'])).toEqual({
      marked: ['a-1'],
      refused: [
        { id: 'nothing', why: 'No call or message in the context has this id.' },
        { id: 'a-prompt', why: "It is the user's latest prompt, which always stays." },
      ],
    });
  });

  it('are taken unseen before the first request', () => {
    expect(createSnipMarks().mark(['later'])).toEqual({ marked: ['later'], refused: [] });
  });
});

describe('snip in the loop', () => {
  /** Autocompact's threshold is 13 500 tokens. */
  async function drive(marked: readonly string[], script: readonly ScriptStep[]) {
    const model = scriptedModel(script);
    const base = loopDeps({ callModel: model.callModel });
    const marks = createSnipMarks();
    marks.mark(marked);
    const { callModel, clock, ids, ledger } = base;
    const made = createContext({
      callModel,
      clock,
      ids,
      ledger,
      hooks: idleHooks,
      spill: async () => ({ path: '/tool-results/a.txt' }),
      modelSize: () => ({ contextWindow: 20_000, maxOutputTokens: 4_000 }),
      mainRequest: () => ({ sessionId: 's', foreground: true, system: [], tools: [], maxTokens: 4_000 }),
      snipMarks: marks,
      collapse: false,
    });
    const earlier = [...session('a', 5, 1_500), ...session('b', 3, 3_000), prompt('asked', 'Go on.')];
    const view = PersistentList.from(earlier);
    await runLoop(queryLoop, loopParams({ view: () => view }), { ...base, context: made });
    return model.requests.map((request) => request.querySource);
  }
  const summary = say('<summary>The gist.</summary>');

  it('what it freed can make a compaction unnecessary', async () => {
    expect(await drive([], [summary, say('Done.')])).toEqual(['compact', 'main']);
    expect(await drive(['b-1', 'b-2'], [say('Done.')])).toEqual(['main']);
  });

  it('is not counted twice', async () => {
    // About 13 600 tokens are left, and 10 600 if what is freed were taken off once more.
    expect(await drive(['a-1', 'a-2'], [summary, say('Done.')])).toEqual(['compact', 'main']);
  });
});
