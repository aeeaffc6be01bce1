import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitBeforeTail } from '../../src/context/compact/keep-tail.ts';
import { findLastPrompt, splitRounds } from '../../src/context/rounds.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import {
  answer,
  call,
  isWhole,
  prompt,
  prose,
  queued,
  result,
  SMALL,
  session,
  text,
} from './conversation.ts';

const uuids = (messages: readonly ViewMessage[]) => messages.map((message) => message.uuid);

/** Any mixture of prompts, answers, parallel and interleaved calls, and queued prompts. */
const conversations = fc
  .array(
    fc.oneof(
      fc.record({ kind: fc.constant('prompt' as const), tokens: fc.nat(3_000) }),
      fc.record({ kind: fc.constant('text' as const), tokens: fc.nat(3_000) }),
      fc.record({ kind: fc.constant('queued' as const), tokens: fc.nat(500) }),
      fc.record({
        kind: fc.constant('calls' as const),
        tokens: fc.nat(6_000),
        count: fc.integer({ min: 1, max: 4 }),
        interleaved: fc.boolean(),
      }),
    ),
    { minLength: 1, maxLength: 30 },
  )
  .map((items) =>
    items.flatMap((item, i): ViewMessage[] => {
      switch (item.kind) {
        case 'prompt':
          return [prompt(`p${i}`, prose(item.tokens))];
        case 'text':
          return [
            answer(`r${i}`, `t${i}`, { type: 'thinking', thinking: 'Hm.', signature: 's' }),
            text(`r${i}`, prose(item.tokens)),
          ];
        case 'queued':
          return [queued(`q${i}`, prose(item.tokens))];
        default: {
          const ids = Array.from({ length: item.count }, (_, n) => `c${i}-${n}`);
          const pairs = ids.map((id) => [call(`r${i}`, id), result(id, prose(item.tokens))] as const);
          return item.interleaved
            ? pairs.flat()
            : [...pairs.map(([c]) => c), ...pairs.map(([, r]) => r).reverse()];
        }
      }
    }),
  );

describe('splitRounds', () => {
  it('keeps a response with all its blocks and all their results together', () => {
    const messages = [
      prompt('p', 'Go.'),
      text('r1', 'Looking.'),
      call('r1', 'a'),
      result('a', 'A'),
      call('r1', 'b'),
      result('b', 'B'),
      text('r2', 'Done.'),
    ];
    expect(splitRounds(messages).map((round) => uuids(round.messages))).toEqual([
      ['p'],
      ['r1-text', 'call-a', 'result-a', 'call-b', 'result-b'],
      ['r2-text'],
    ]);
  });

  it('L10.1: no cut ever parts a call from its result, and nothing is lost', () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        const rounds = splitRounds(messages);
        expect(rounds.flatMap((round) => round.messages)).toEqual(messages);
        for (const round of rounds) expect(isWhole(round.messages)).toBe(true);
      }),
    );
  });
});

describe('splitBeforeTail', () => {
  it('F30: keeps the last prompt itself, and a tail that is whole and never empty', () => {
    fc.assert(
      fc.property(conversations, (messages) => {
        const split = splitBeforeTail(messages, SMALL);
        if (split === undefined) throw new Error('a view with messages has a tail');
        expect(split.kept).toContain(messages.at(-1));
        expect(isWhole(split.kept)).toBe(true);
        const last = findLastPrompt(messages);
        if (last !== undefined) expect(split.kept).toContain(last);
        const all = new Set([...split.before.flatMap((round) => round.messages), ...split.kept]);
        expect(all.size).toBe(messages.length);
        const order = split.kept.map((message) => messages.indexOf(message));
        expect(order).toEqual([...order].sort((a, b) => a - b));
      }),
    );
  });

  it('keeps earlier rounds as long as the tail stays small, and the last one however large it is', () => {
    const short = session('a', 3, 100);
    expect(splitBeforeTail(short, SMALL)?.before).toEqual([]);
    const long = [...session('a', 3, 5_000), call('x', 'x'), result('x', prose(15_000))];
    const split = splitBeforeTail(long, SMALL);
    expect(uuids(split?.kept ?? [])).toEqual(['a-prompt', 'call-x', 'result-x']);
  });

  it('has nothing to say about an empty view', () => {
    expect(splitBeforeTail([], SMALL)).toBeUndefined();
  });
});

describe('lastPrompt', () => {
  it('counts what was queued while the model worked, and not what the engine wrote', () => {
    const nudge = { ...prompt('n', 'Go on.'), isSynthetic: true, kind: 'nudge' as const };
    expect(findLastPrompt([prompt('p', 'a'), queued('q', 'b'), nudge, result('x', 'y')])?.uuid).toBe('q');
  });
});
