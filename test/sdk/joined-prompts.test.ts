import { describe, expect, it } from 'vitest';
import type { SDKUserMessage } from '../../src/index.ts';
import { joinedContent, mayJoin } from '../../src/sdk/query/joined-prompts.ts';

const prompt = (content: SDKUserMessage['message']['content'], more: Partial<SDKUserMessage> = {}) =>
  ({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more }) as SDKUserMessage;

describe('which prompts become one turn', () => {
  const first = prompt('one');
  it.each([
    { what: 'a plain one', next: prompt('two'), joins: true },
    { what: 'the same priority by name', next: prompt('two', { priority: 'next' }), joins: true },
    { what: 'another priority', next: prompt('two', { priority: 'later' }), joins: false },
    { what: 'another origin', next: prompt('two', { origin: { kind: 'human' } }), joins: false },
    { what: 'a command', next: prompt('/cost'), joins: false },
    { what: 'a command in a block', next: prompt([{ type: 'text', text: ' /cost' }]), joins: false },
    { what: 'one without a query', next: prompt('two', { shouldQuery: false }), joins: false },
    { what: 'one that is taken as it is', next: prompt('two', { client_composed: true }), joins: false },
    { what: 'one that no person said', next: prompt('two', { isSynthetic: true }), joins: false },
  ])('$what: $joins', ({ next, joins }) => {
    expect(mayJoin(first, next)).toBe(joins);
    expect(mayJoin(next, first)).toBe(joins);
  });

  it('texts are joined line by line, blocks one behind the other', () => {
    expect(joinedContent(['one', 'two'])).toBe('one\ntwo');
    const block = { type: 'text', text: 'two' } as const;
    expect(joinedContent(['one', [block]])).toEqual([{ type: 'text', text: 'one' }, block]);
  });
});
