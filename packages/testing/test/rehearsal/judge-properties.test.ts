/** The judge against conversations made at random: it takes every valid one and refuses every broken one. */

import { propertyRuns } from '@turnwright/test/long-form.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signThinking } from '../../src/rehearsal/accounting/sign-thinking.ts';
import { JUDGE_RULES, judge } from '../../src/rehearsal/judge/index.ts';
import { modelCatalogue } from '../../src/rehearsal/models.ts';
import { readApiRequest } from '../../src/rehearsal/request/api-request.ts';

const MODEL = 'claude-opus-5-5';
const models = modelCatalogue();

interface Block {
  type: string;
  [key: string]: unknown;
}
interface Message {
  role: string;
  content: Block[];
}

function verdict(messages: readonly Message[]): string | undefined {
  return judge(JUDGE_RULES, readApiRequest({ model: MODEL, max_tokens: 1000, messages }), {
    headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
    bytes: 0,
    countOnly: false,
    model: models.find(MODEL),
    window: 1_000_000,
    betas: [],
    sentBody: {},
    thread: { kind: 'none' },
    thoughtCalls: new Set(),
    inputTokens: 10,
  })?.rule.name;
}

const words = fc.string({ minLength: 1, maxLength: 8 }).map((text) => `${text}.`);
const textBlock = words.map((text): Block => ({ type: 'text', text }));
const thinkingBlock = words.map(
  (thinking): Block => ({ type: 'thinking', thinking, signature: signThinking(MODEL, thinking, 'n') }),
);
const resultContent = fc.oneof(words, fc.constant(''), fc.array(textBlock, { maxLength: 2 }));

/** One answer: thinking, text and calls in any order that ends in something said or called. */
const answer = fc.record({
  head: fc.array(fc.oneof(thinkingBlock, textBlock), { maxLength: 2 }),
  calls: fc.integer({ min: 0, max: 4 }),
  between: fc.array(textBlock, { maxLength: 1 }),
  last: textBlock,
});
const round = fc.record({
  answer,
  results: fc.array(resultContent, { minLength: 4, maxLength: 4 }),
  order: fc.array(fc.double({ noNaN: true }), { minLength: 4, maxLength: 4 }),
  more: fc.array(textBlock, { maxLength: 2 }),
  system: fc.boolean(),
});

const conversation = fc
  .record({
    prompt: fc.array(textBlock, { minLength: 1, maxLength: 3 }),
    rounds: fc.array(round, { maxLength: 6 }),
  })
  .map(({ prompt, rounds }) => {
    const messages: Message[] = [{ role: 'user', content: prompt }];
    for (const [n, { answer: said, results, order, more, system }] of rounds.entries()) {
      if (system) messages.push({ role: 'system', content: [{ type: 'text', text: 'note' }] });
      const calls = Array.from(
        { length: said.calls },
        (_, at): Block => ({ type: 'tool_use', id: `t${n}_${at}`, name: 'Read', input: {} }),
      );
      const tail = calls.length === 0 ? [said.last] : [...said.between, ...calls];
      messages.push({ role: 'assistant', content: [...said.head, ...tail] });
      const answered = calls
        .map((call, at) => ({
          rank: order[at] ?? 0,
          block: { type: 'tool_result', tool_use_id: call['id'], content: results[at] } as Block,
        }))
        .toSorted((a, b) => a.rank - b.rank)
        .map(({ block }) => block);
      const rest = answered.length === 0 && more.length === 0 ? [said.last] : more;
      messages.push({ role: 'user', content: [...answered, ...rest] });
    }
    return messages;
  });

const withCalls = conversation.filter((messages) =>
  messages.some((message) => message.content.some(isResult)),
);

function isResult(block: Block): boolean {
  return block.type === 'tool_result';
}

/** Rewrites the n-th user message that answers calls. */
function atResults(
  messages: readonly Message[],
  pick: number,
  rewrite: (content: readonly Block[]) => Block[],
): Message[] {
  const places = messages.flatMap((message, at) => (message.content.some(isResult) ? [at] : []));
  const place = places[pick % places.length];
  return messages.map((message, at) =>
    at === place ? { ...message, content: rewrite(message.content) } : message,
  );
}

const broken = (rewrite: (content: readonly Block[], pick: number) => Block[], rules: readonly string[]) =>
  fc.assert(
    fc.property(withCalls, fc.nat(), fc.nat(), (messages, place, pick) => {
      const found = verdict(atResults(messages, place, (content) => rewrite(content, pick)));
      expect(rules).toContain(found);
    }),
    { numRuns: propertyRuns(100, 300) },
  );

describe('random conversations (L10.7)', () => {
  it('a valid one is never refused', () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        expect(verdict(messages)).toBeUndefined();
      }),
      { numRuns: propertyRuns(350, 1000) },
    );
  });

  it('every prefix that ends with a user turn is valid too', () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        for (const [at, message] of messages.entries()) {
          if (message.role === 'user') expect(verdict(messages.slice(0, at + 1))).toBeUndefined();
        }
      }),
    );
  });

  it('a result left out', () =>
    broken(
      (content, pick) => {
        const results = content.filter(isResult);
        const gone = results[pick % results.length];
        const left = content.filter((block) => block !== gone);
        return left.length > 0 ? left : [{ type: 'text', text: 'x' }];
      },
      ['tool-result-missing'],
    ));

  it('a result given twice', () =>
    broken(
      (content, pick) => {
        const results = content.filter(isResult);
        return [results[pick % results.length] as Block, ...content];
      },
      ['tool-result-duplicate'],
    ));

  it('a result without a call', () =>
    broken(
      (content) => [{ type: 'tool_result', tool_use_id: 'stranger', content: '' }, ...content],
      ['tool-result-orphan'],
    ));

  it('a result that moved behind text', () =>
    broken((content) => [{ type: 'text', text: 'first' }, ...content], ['tool-result-first']));

  it('a message repeated', () => {
    fc.assert(
      fc.property(conversation, fc.nat(), (messages, pick) => {
        const at = pick % messages.length;
        const doubled = messages.toSpliced(at, 0, messages[at] as Message);
        const expected = messages[at]?.role === 'system' ? [undefined] : ['strict-alternation'];
        expect(expected).toContain(verdict(doubled));
      }),
    );
  });

  it('a message left out', () => {
    fc.assert(
      fc.property(conversation, fc.nat(), (messages, pick) => {
        const at = pick % messages.length;
        const lacking = messages.toSpliced(at, 1);
        const dropped = messages[at];
        fc.pre(dropped?.role === 'user' && at < messages.length - 1);
        expect(verdict(lacking)).toMatch(
          /^(first-message-user|strict-alternation|system-messages|tool-result-missing)$/,
        );
      }),
    );
  });

  it('one letter of a thinking block changed', () => {
    fc.assert(
      fc.property(conversation, (messages) => {
        const changed = messages.map((message) => ({
          ...message,
          content: message.content.map((block) =>
            block.type === 'thinking' ? { ...block, thinking: `${String(block['thinking'])}!` } : block,
          ),
        }));
        fc.pre(messages.some((message) => message.content.some((block) => block.type === 'thinking')));
        expect(verdict(changed)).toBe('thinking-signature');
      }),
    );
  });

  it('a text block emptied', () => {
    fc.assert(
      fc.property(conversation, fc.nat(), (messages, pick) => {
        const texts = messages.flatMap((message) => message.content.filter((block) => block.type === 'text'));
        fc.pre(texts.length > 0);
        const emptied = texts[pick % texts.length];
        const changed = messages.map((message) => ({
          ...message,
          content: message.content.map((block) => (block === emptied ? { ...block, text: '' } : block)),
        }));
        expect(verdict(changed)).toBe('empty-text');
      }),
    );
  });
});
