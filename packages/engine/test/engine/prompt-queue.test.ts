import { openScope } from '@turnwright/base/async/scope.ts';
import { sequentialIds } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { joinedContent, mayJoin, type QueuedPrompt } from '../../src/engine/submission/prompt.ts';
import { PromptQueue } from '../../src/engine/submission/prompt-queue.ts';

const opened = () =>
  new PromptQueue({
    sessionId: 's',
    scope: openScope(),
    ids: sequentialIds(),
    inbox: undefined,
    stderr: undefined,
  });
const keys = (queue: PromptQueue) => queue.list().map(({ key }) => key);

describe('the queue', () => {
  it('one key is one prompt, also after it was consumed', async () => {
    const queue = opened();
    await queue.put({ key: 'a', content: '1' });
    await queue.put({ key: 'a', priority: 'now', content: '2' });
    expect(queue.list()).toEqual([{ key: 'a', priority: 'next', content: '1' }]);
    expect(queue.acknowledge(['a', 'zzz'])).toEqual(['a']);
    await queue.put({ key: 'a', content: '3' });
    expect(queue.list()).toEqual([]);
  });

  it('calls back once for each that arrives, until it is stopped', async () => {
    const queue = opened();
    const heard: string[] = [];
    const stop = queue.onArrival(({ key }) => heard.push(key));
    await queue.put({ key: 'a', content: '' });
    await queue.put({ key: 'a', content: '' });
    stop();
    await queue.put({ key: 'b', content: '' });
    expect(heard).toEqual(['a']);
  });

  it('F137 what is left is handed back in order', async () => {
    const queue = opened();
    await queue.put({ key: 'a', priority: 'later', content: '' });
    await queue.put({ key: 'b', content: '' });
    await queue.put({ key: 'c', priority: 'now', content: '' });
    expect(keys(queue)).toEqual(['c', 'b', 'a']);
  });

  it('what was shown to a turn cannot be withdrawn while the turn lives', async () => {
    const queue = opened();
    const turn = openScope();
    await queue.put({ key: 'a', content: '' });
    queue.offer(['a'], turn);
    expect(queue.withdraw(['a'])).toEqual([]);
    turn.abort('user');
    expect(queue.withdraw(['a'])).toEqual(['a']);
  });

  it('keeps what a prompt was put with', async () => {
    const queue = opened();
    const prompt = { key: 'a', content: 'x', origin: { kind: 'human' }, verbatim: true } as const;
    await queue.put(prompt);
    expect(queue.take()).toEqual({ ...prompt, priority: 'next' });
  });
});

describe('the next submission', () => {
  const plain = (uuid: string): QueuedPrompt => ({ content: uuid, uuid, joins: true });

  it('takes the prompts that waited for it together, under the uuid of the last', async () => {
    const queue = opened();
    await queue.put(plain('a'));
    expect(queue.next()).toMatchObject({ content: 'a', uuid: 'a', joinedUuids: [] });
    for (const uuid of ['b', 'c']) await queue.put(plain(uuid));
    queue.turnEnded();
    const taken: string[][] = [];
    queue.onTaken((prompts) => taken.push(prompts.map(({ key }) => key)));
    expect(queue.next()).toMatchObject({ content: 'b\nc', uuid: 'c', joinedUuids: ['b'] });
    expect(taken).toEqual([['b', 'c']]);
    expect(queue.next()).toBeUndefined();
  });

  it('takes alone what arrived while nothing ran or waited', async () => {
    const queue = opened();
    for (const uuid of ['a', 'b']) await queue.put(plain(uuid));
    expect(queue.next()).toMatchObject({ content: 'a', joinedUuids: [] });
    expect(keys(queue)).toEqual(['b']);
  });

  it('does not join prompts whose sender did not say that they may', async () => {
    const queue = opened();
    await queue.put(plain('a'));
    queue.next();
    for (const uuid of ['b', 'c']) await queue.put({ content: uuid, uuid });
    expect(queue.next()).toMatchObject({ content: 'b', joinedUuids: [] });
  });
});

describe('which prompts become one turn', () => {
  const prompt = (content: QueuedPrompt['content'], more: Partial<QueuedPrompt> = {}): QueuedPrompt => ({
    content,
    joins: true,
    ...more,
  });
  const first = prompt('one');
  it.each([
    { what: 'a plain one', next: prompt('two'), joins: true },
    { what: 'the same priority by name', next: prompt('two', { priority: 'next' }), joins: true },
    { what: 'another priority', next: prompt('two', { priority: 'later' }), joins: false },
    { what: 'another origin', next: prompt('two', { origin: { kind: 'human' } }), joins: false },
    { what: 'a command', next: prompt('/cost'), joins: false },
    { what: 'a command in a block', next: prompt([{ type: 'text', text: ' /cost' }]), joins: false },
    { what: 'one without a query', next: prompt('two', { shouldQuery: false }), joins: false },
    { what: 'one that is taken as it is', next: prompt('two', { verbatim: true }), joins: false },
    { what: 'one that is to be alone', next: prompt('two', { joins: false }), joins: false },
  ])('$what: $joins', ({ next, joins }) => {
    expect(mayJoin(first, next)).toBe(joins);
    expect(mayJoin(next, first)).toBe(joins);
  });

  it('texts are joined line by line, blocks one behind the other', () => {
    expect(joinedContent([{ content: 'one' }, { content: 'two' }])).toBe('one\ntwo');
    const block = { type: 'text', text: 'two' } as const;
    expect(joinedContent([{ content: 'one' }, { content: [block] }])).toEqual([
      { type: 'text', text: 'one' },
      block,
    ]);
  });
});
