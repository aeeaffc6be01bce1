import { fail, type ScriptStep, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import {
  applied,
  call,
  context,
  input,
  isWhole,
  prompt,
  prose,
  result,
  runStep,
  SMALL,
  session,
} from './conversation.ts';

const SUMMARY = say('<summary>The gist.</summary>');
const tooLong = fail({ kind: 'prompt_too_long', message: 'Too long.' });

async function compacted(
  view: readonly ViewMessage[],
  script: readonly ScriptStep[],
  more: Parameters<typeof context>[1] = {},
) {
  const { port, model } = context(script, more);
  const ran = await runStep(port, 'autocompact', input(view, { limits: SMALL }));
  const after = ran.outcome.kind === 'edits' ? applied(view, ran.outcome) : [...view];
  expect(isWhole(after)).toBe(true);
  for (const { view: sent } of model.requests) expect(isWhole(sent)).toBe(true);
  return {
    ...ran,
    model,
    after,
    sizes: model.requests.map((request) => JSON.stringify(request.view).length),
  };
}

const why = (ran: { outcome: { kind: string; why?: string } }) => ran.outcome.why;

describe('the ladder of a summary call', () => {
  it('F15: refused as too long, it goes on without media', async () => {
    const picture = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(4_000) },
    } as const;
    const view = [
      prompt('p', [{ type: 'text', text: 'See.' }, picture, picture, picture, picture]),
      ...session('a', 2, 4_000),
    ];
    const ran = await compacted(view, [tooLong, SUMMARY]);
    expect(why(ran)).toContain('without media');
    expect(JSON.stringify(ran.model.requests[1]?.view)).not.toContain('AAAA');
  });

  it('F15: then with old tool output cut', async () => {
    const ran = await compacted(session('a', 4, 3_500), [tooLong, SUMMARY]);
    expect(why(ran)).toContain('with tool output cut');
    expect(JSON.stringify(ran.model.requests[1]?.view)).toContain('characters left out');
    expect(ran.sizes[1]).toBeLessThan((ran.sizes[0] ?? 0) / 2);
  });

  it('F15: then without its oldest rounds, three times at most, and says so in the summary', async () => {
    const view = [...session('a', 30, 450), prompt('q', 'Carry on.'), call('x', 'x'), result('x', 'x')];
    const ran = await compacted(view, [tooLong, tooLong, tooLong, SUMMARY]);
    expect(why(ran)).toContain('without the oldest rounds');
    expect(JSON.stringify(ran.after[0])).toMatch(/The oldest \d+ messages did not fit/);
    const sizes = ran.sizes;
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(new Set(ran.model.requests.map((request) => request.effectKey)).size).toBe(4);
  });

  it('F15: then in pieces that are put together', async () => {
    const view = [...session('a', 30, 450), prompt('q', 'Carry on.'), call('x', 'x'), result('x', 'x')];
    const parts: ScriptStep[] = Array.from({ length: 12 }, (_, i) =>
      i < 4 ? tooLong : say(`<summary>Part ${i}.</summary>`),
    );
    const ran = await compacted(view, parts);
    expect(why(ran)).toContain('in pieces');
    const asked = ran.model.requests.slice(4).map((request) => JSON.stringify(request.view.at(-1)));
    expect(asked[0]).toContain('part 1 of');
    expect(asked.at(-1)).toContain('Put them together');
    expect(JSON.stringify(ran.after[0])).toContain(`Part ${ran.model.requests.length - 1}.`);
  });

  it('takes the parts themselves when putting them together fails', async () => {
    const view = [...session('a', 30, 450), prompt('q', 'Carry on.'), call('x', 'x'), result('x', 'x')];
    const script: ScriptStep[] = [tooLong, tooLong, tooLong, tooLong];
    for (let i = 0; i < 12; i++)
      script.push((request) =>
        JSON.stringify(request.view.at(-1)).includes('Put them together')
          ? fail({ kind: 'server_error', message: 'Broken.' })
          : say('<summary>A part.</summary>'),
      );
    const ran = await compacted(view, script);
    expect(JSON.stringify(ran.after[0])).toContain('<part number=\\"2\\">');
  });

  it('another failure ends it at once: it has nothing to do with length', async () => {
    const ran = await compacted(session('a', 4, 3_500), [fail({ kind: 'server_error', message: 'Broken.' })]);
    expect(ran.outcome).toMatchObject({ kind: 'note', why: 'Broken.' });
  });

  it('F17: a summary model with a smaller window gets pieces, before anything is refused', async () => {
    const sizes = { 'test-model': 20_000, small: 8_000 } as const;
    const ran = await compacted(
      session('a', 30, 450),
      Array.from({ length: 6 }, () => SUMMARY),
      {
        summaryModel: 'small',
        modelSize: (model) => ({ contextWindow: sizes[model as keyof typeof sizes], maxOutputTokens: 4_000 }),
      },
    );
    expect(why(ran)).toContain('in pieces');
    for (const request of ran.model.requests) expect(request.model).toBe('small');
    // Four characters are a token at least, and the answer needs its part of the window.
    expect(Math.max(...ran.sizes)).toBeLessThan(7_000 * 6);
  });

  it('the main model replaces a summary model that fails', async () => {
    const ran = await compacted(
      session('a', 4, 3_500),
      [fail({ kind: 'not_found', message: 'No such model.' }), SUMMARY],
      {
        summaryModel: 'gone',
      },
    );
    expect(ran.model.requests.map((request) => request.model)).toEqual(['gone', 'test-model']);
    expect(ran.outcome.kind).toBe('edits');
  });

  it('a round that is too long alone is cut until it fits a piece', async () => {
    const view = [prompt('p', prose(13_500)), ...session('a', 2, 300)];
    const ran = await compacted(
      view,
      Array.from({ length: 8 }, () => SUMMARY),
      {
        summaryModel: 'small',
        modelSize: (model) => ({ contextWindow: model === 'small' ? 6_000 : 20_000, maxOutputTokens: 4_000 }),
      },
    );
    expect(ran.outcome.kind).toBe('edits');
    expect(Math.max(...ran.sizes)).toBeLessThan(6_000 * 6);
  });
});
