import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import { anyText } from '@turnwright/test/any-text.ts';
import { inForm, propertyRuns } from '@turnwright/test/long-form.ts';
import {
  assistant,
  attachment,
  calls,
  result,
  says,
  thinks,
  user,
  viewOf,
} from '@turnwright/test/model/conversation.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cacheMark } from '../../src/model/request/engine-breakpoints.ts';
import { createViewBytes } from '../../src/model/request/message-byte-cache.ts';
import { CONTINUE, MISSING_RESULT, OPENING } from '../../src/model/request/normalise.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import type { View } from '../../src/protocol/model/view.ts';
import { brokenRules, type WireTurn } from './api-rules.ts';

const MODEL = 'claude-sonnet-5';

function wireText(
  view: View,
  more: { cache?: boolean; userContext?: string[]; thinking?: boolean } = {},
  bytes = createViewBytes(),
): string {
  const made = bytes.messages({
    view,
    userContext: more.userContext ?? [],
    thinkingKey: String(more.thinking ?? true),
    keepsThinking: ({ message }) => (more.thinking ?? true) && message.model === MODEL,
    mark: more.cache === true ? cacheMark('5m') : undefined,
  });
  return Buffer.concat(made.sealed).toString('utf8') + made.rest;
}

function wire(...args: Parameters<typeof wireText>): WireTurn[] {
  return JSON.parse(`[${wireText(...args)}]`);
}

const t = (text: string) => ({ type: 'text', text });

describe('from the view to the wire', () => {
  it('merges the blocks of one response and what the user side says to it', () => {
    const view = viewOf(
      user('hi'),
      thinks('m1', 'hm'),
      says('m1', 'Looking. \n'),
      calls('m1', 't1', { a: 1 }),
      result('t1', 'ok'),
      attachment({ type: 'text', text: 'note' }),
      user('more'),
    );
    expect(wire(view)).toEqual([
      { role: 'user', content: [t('hi')] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
          t('Looking. \n'),
          { type: 'tool_use', id: 't1', name: 'Read', input: { a: 1 } },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }, t('note'), t('more')],
      },
    ]);
  });

  it('sends neither synthetic errors nor attachments that render to nothing', () => {
    const view = viewOf(
      user('hi'),
      assistant('e', { type: 'text', text: 'API error' }, { synthetic: { error: 'server_error' } }),
      attachment(),
      user('again'),
    );
    expect(wire(view)).toEqual([{ role: 'user', content: [t('hi'), t('again')] }]);
  });

  it('puts user context ahead of the first user message, as blocks of its own', () => {
    expect(wire(viewOf(user('hi')), { userContext: ['rules', '', 'date'] })[0]?.content).toEqual([
      t('rules'),
      t('date'),
      t('hi'),
    ]);
  });

  it('answers calls in their order, whatever order results came in', () => {
    const view = viewOf(
      user('hi'),
      calls('m1', 'a'),
      calls('m1', 'b'),
      user('between'),
      result('b', '2'),
      result('a', '1'),
    );
    expect(wire(view)[2]?.content.map((block) => block['tool_use_id'] ?? block['text'])).toEqual([
      'a',
      'b',
      'between',
    ]);
  });

  it('makes up missing results, drops orphans and repeats', () => {
    const view = viewOf(
      user('hi'),
      calls('m1', 'a'),
      calls('m1', 'b'),
      result('b', '2'),
      result('b', 'again'),
      result('zzz', 'orphan'),
    );
    expect(wire(view)[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: MISSING_RESULT, is_error: true },
      { type: 'tool_result', tool_use_id: 'b', content: '2' },
    ]);
  });

  it('takes results that arrived while their response still streamed', () => {
    const view = viewOf(
      user('hi'),
      calls('m1', 'a'),
      calls('m1', 'b'),
      result('a', '1'),
      says('m1', 'tail'),
      result('b', '2'),
    );
    expect(wire(view).map((turn) => turn.content.length)).toEqual([1, 3, 2]);
    expect(wireText(view)).not.toContain(MISSING_RESULT);
  });

  it('keeps responses apart that share an id, as scripted servers give', () => {
    const view = viewOf(user('hi'), calls('m', 'a'), result('a', '1'), calls('m', 'b'), result('b', '2'));
    expect(wire(view).map((turn) => turn.role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
  });

  it('F06 two calls with the same id, or none, get distinct ids on both sides', () => {
    const view = viewOf(
      user('hi'),
      calls('m1', 'x'),
      calls('m1', 'x'),
      calls('m1', ''),
      result('x', 'first'),
      result('x', 'second'),
      result('', 'third'),
    );
    const [, answer, results] = wire(view);
    expect(answer?.content.map((block) => block['id'])).toEqual(['x', 'x_2', 'call']);
    expect(results?.content.map((block) => [block['tool_use_id'], block['content']])).toEqual([
      ['x', 'first'],
      ['x_2', 'second'],
      ['call', 'third'],
    ]);
  });

  it('F06 an id that comes again in a later turn', () => {
    const view = viewOf(user('hi'), calls('m1', 'x'), result('x', '1'), calls('m2', 'x'), result('x', '2'));
    expect(
      wire(view).flatMap((turn) => turn.content.map((block) => block['id'] ?? block['tool_use_id'])),
    ).toEqual([undefined, 'x', 'x', 'x_2', 'x_2']);
  });

  it('F07 ids of another provider are brought into the alphabet without collision', () => {
    const view = viewOf(
      user('hi'),
      calls('m1', 'shell:0'),
      calls('m1', 'shell_0'),
      result('shell_0', 'b'),
      result('shell:0', 'a'),
    );
    expect(wire(view)[2]?.content.map((block) => [block['tool_use_id'], block['content']])).toEqual([
      ['shell_0', 'a'],
      ['shell_0_2', 'b'],
    ]);
  });

  it('F08 an answer of calls or reasoning alone leaves no empty text', () => {
    const view = viewOf(
      user('hi'),
      says('m1', ' \n'),
      calls('m1', 'a'),
      result('a', '1'),
      thinks('m2', 'only'),
      user('nudge'),
    );
    expect(wire(view)).toEqual([
      { role: 'user', content: [t('hi')] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '1' }, t('nudge')] },
    ]);
  });

  it.each([[''], [' \n ']])('F09 a tool that said %j', (said) => {
    const view = viewOf(user('hi'), calls('m1', 'a'), result('a', said));
    expect(wire(view)[2]?.content[0]?.['content']).toBe('(no output)');
  });

  it('F09 a result of empty blocks, and a failed one with an image', () => {
    const view = viewOf(
      user('hi'),
      calls('m1', 'a'),
      calls('m1', 'b'),
      user([{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: '' }] }]),
      user([
        {
          type: 'tool_result',
          tool_use_id: 'b',
          is_error: true,
          content: [{ type: 'image', source: { type: 'url', url: 'x' } }],
        },
      ]),
    );
    expect(wire(view)[2]?.content.map((block) => block['content'])).toEqual([
      '(no output)',
      [t('[image left out of a failed result]')],
    ]);
  });

  it('makes lone surrogates well-formed and leaves pairs and escapes alone', () => {
    const view = viewOf(
      user('a\ud800b 👋 \\ud800 \u0001'),
      calls('m1', 'a', { ['k\udc00']: '\\' }),
      result('a', '\udfff'),
    );
    const [first, second, third] = wire(view);
    expect(first?.content[0]?.['text']).toBe('a\ufffdb 👋 \\ud800 \u0001');
    expect(second?.content[0]?.['input']).toEqual({ 'k\ufffd': '\\' });
    expect(third?.content[0]?.['content']).toBe('\ufffd');
  });

  it('drops unsigned thinking and that of another model; all of it on request', () => {
    const view = viewOf(
      user('hi'),
      thinks('m1', 'foreign', 'claude-opus-5'),
      assistant('m1', { type: 'thinking', thinking: 'unsigned', signature: '' }),
      says('m1', 'a'),
      user('b'),
      thinks('m2', 'own'),
      says('m2', 'c'),
      user('d'),
    );
    expect(wireText(view)).not.toMatch(/foreign|unsigned/);
    expect(wireText(view)).toContain('own');
    expect(wireText(view, { thinking: false })).not.toContain('own');
  });

  it('strips marks and fields of its own, keeps unknown blocks', () => {
    const view = viewOf(
      user([{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }]),
      assistant('m1', { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      says('m1', 'y'),
      user('z'),
    );
    expect(wireText(view)).not.toContain('cache_control');
    expect(wire(view)[1]?.content[0]).toEqual({
      type: 'server_tool_use',
      id: 's',
      name: 'web_search',
      input: {},
    });
  });

  it('begins and ends with the user', () => {
    expect(wire(viewOf(says('m1', 'I was saying  ')))).toEqual([
      { role: 'user', content: [t(OPENING)] },
      { role: 'assistant', content: [t('I was saying')] },
      { role: 'user', content: [t(CONTINUE)] },
    ]);
    expect(wire(viewOf())).toEqual([{ role: 'user', content: [t(OPENING)] }]);
  });

  it('leaves a paused turn at the end, for the API to go on with', () => {
    const view = viewOf(
      user('hi'),
      assistant('m1', { type: 'text', text: 'searching' }, { stop: 'pause_turn' }),
    );
    expect(wire(view).at(-1)?.role).toBe('assistant');
  });

  it(`${inForm('2 000', '10 000')} calls in one message stay linear`, () => {
    const many = Array.from({ length: inForm(2_000, 10_000) }, (_, n) => `t${n}`);
    const view = viewOf(
      user('hi'),
      ...many.map((id) => calls('m1', id)),
      ...many.toReversed().map((id) => result(id, id)),
    );
    expect(brokenRules(wire(view))).toEqual([]);
  });
});

const someText = fc.oneof(fc.constantFrom('', ' ', 'a', 'b \n', '\ud800', '"\\'), anyText());
const someId = fc.constantFrom('', 'a', 'b', 'c', 'a:b', 'a_b', 'é', 'a_2');
const someMessage: fc.Arbitrary<ViewMessage> = fc.oneof(
  someText.map((text) => user(text)),
  fc.tuple(someId, someText, fc.boolean()).map(([id, text, bad]) => result(id, text, bad)),
  someText.map((text) => attachment({ type: 'text', text })),
  fc.constant(attachment()),
  fc
    .tuple(
      fc.constantFrom('m1', 'm2', 'm3', ''),
      fc.oneof(
        someText.map((text) => ({ type: 'text', text }) as const),
        fc
          .tuple(someId, fc.constantFrom<unknown>({ x: 1 }, {}, 'raw', null, [1]))
          .map(
            ([id, input]) =>
              ({ type: 'tool_use', id, name: 'no name!', input: input as Record<string, unknown> }) as const,
          ),
        someText.map((thinking) => ({ type: 'thinking', thinking, signature: 's' }) as const),
        fc.constant({ type: 'redacted_thinking', data: 'x' } as const),
      ),
      fc.constantFrom(MODEL, 'other'),
      fc.boolean(),
    )
    .map(([id, block, model, synthetic]) =>
      assistant(id, block, { model, ...(synthetic && { synthetic: { error: 'unknown' } }) }),
    ),
);

describe('properties', () => {
  it('the judge of these properties notices what is wrong', () => {
    const use = { type: 'tool_use', id: 'a', name: 'Read', input: {} };
    const answer = { type: 'tool_result', tool_use_id: 'a', content: 'x' };
    const turns = (...contents: object[][]) =>
      contents.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })) as WireTurn[];
    expect(brokenRules(turns([t('a')], [use], [answer, t('b')]))).toEqual([]);
    expect(brokenRules(turns([t('a')], [use], [t('b')]))).toContain(
      'every call is answered once, in order, in the next message',
    );
    expect(brokenRules(turns([t('a')], [use], [t('b'), answer]))).toContain('results come first');
    expect(brokenRules(turns([t('a')], [use], [answer, answer]))).not.toEqual([]);
    expect(brokenRules(turns([t('')]))).toContain('no text is empty');
  });

  it('whatever the view holds, the API would take it', () => {
    fc.assert(
      fc.property(
        fc.array(someMessage, { maxLength: 30 }),
        fc.array(someText, { maxLength: 2 }),
        fc.boolean(),
        (messages, userContext, cache) => {
          const turns = wire(PersistentList.from(messages), { userContext, cache });
          expect(brokenRules(turns)).toEqual([]);
          expect(JSON.stringify(turns)).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/);
          expect(JSON.stringify(turns).split('"cache_control"').length - 1).toBeLessThanOrEqual(
            cache ? 2 : 0,
          );
        },
      ),
      { numRuns: propertyRuns(170, 500) },
    );
  });

  it('a growing view gives the same bytes as one read afresh, and so does an older version of it', () => {
    fc.assert(
      fc.property(fc.array(fc.array(someMessage, { maxLength: 6 }), { maxLength: 8 }), (steps) => {
        const bytes = createViewBytes();
        let view: PersistentList<ViewMessage> = PersistentList.from([user('start')]);
        const versions = [view];
        for (const step of steps) {
          view = view.append(step);
          versions.push(view);
          expect(wireText(view, { cache: true }, bytes)).toBe(wireText(view, { cache: true }));
        }
        for (const version of versions) expect(wireText(version, {}, bytes)).toBe(wireText(version));
      }),
      { numRuns: propertyRuns(70, 200) },
    );
  });

  it('bytes of each message recur in place; the last user message may only be extended', () => {
    const round = fc.record({ count: fc.integer({ min: 0, max: 3 }), said: someText, note: someText });
    fc.assert(
      fc.property(fc.array(round, { minLength: 1, maxLength: 6 }), (rounds) => {
        const bytes = createViewBytes();
        let view: PersistentList<ViewMessage> = PersistentList.from([user('start')]);
        let before = wire(view, {}, bytes);
        rounds.forEach(({ count, said, note }, n) => {
          const ids = Array.from({ length: count }, (_, at) => `t${n}-${at}`);
          view = view.append([
            thinks(`m${n}`, 'hm'),
            says(`m${n}`, said),
            ...ids.map((id) => calls(`m${n}`, id)),
            ...ids.map((id) => result(id, note)),
            user(note),
          ]);
          const now = wire(view, {}, bytes);
          before.forEach((turn, at) => {
            if (at < before.length - 1) expect(JSON.stringify(now[at])).toBe(JSON.stringify(turn));
            else expect(now[at]?.content.slice(0, turn.content.length)).toEqual(turn.content);
          });
          before = now.at(-1)?.content[0]?.['text'] === CONTINUE ? now.slice(0, -2) : now;
        });
      }),
      { numRuns: propertyRuns(70, 200) },
    );
  });
});
