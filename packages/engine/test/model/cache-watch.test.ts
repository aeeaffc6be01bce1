import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import { requestOf, says, user, viewOf } from '@turnwright/test/model/conversation.ts';
import { describe, expect, it } from 'vitest';
import { type CacheWatchOptions, createCacheWatch } from '../../src/model/request/cache-watch.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import type { ModelRequest } from '../../src/protocol/model/model.ts';
import { EMPTY_USAGE } from '../../src/protocol/model/wire.ts';

const HEAD = {
  model: 'claude-opus-5-5',
  system: ['You are useful.'],
  tools: [{ name: 'Read', input_schema: { type: 'object' } }],
  userContext: ['Today is Sunday.'],
} satisfies Partial<ModelRequest>;
const MESSAGES: readonly ViewMessage[] = [user('one'), says('m1', 'two'), user('three')];
const view = (messages: readonly ViewMessage[] = MESSAGES) => PersistentList.from(messages);
const ask = (more: Partial<ModelRequest> = {}) => requestOf(viewOf(...MESSAGES), { ...HEAD, ...more });

function watch(more: Partial<CacheWatchOptions> = {}) {
  let nowMs = 0;
  const watched = createCacheWatch({ clock: { nowMs: () => nowMs }, ...more });
  return {
    /** What the API says it read from the cache, and wrote. */
    answered: (request: ModelRequest, read: number, written: number, editedBy: readonly string[] = []) =>
      watched.answered(
        request,
        { ...EMPTY_USAGE, cache_read_input_tokens: read, cache_creation_input_tokens: written },
        editedBy,
      ),
    wait(ms: number) {
      nowMs += ms;
    },
  };
}

function broken(before: ModelRequest, now: ModelRequest, editedBy: readonly string[] = []) {
  const { answered } = watch();
  answered(before, 0, 10_000);
  return answered(now, 0, 10_500, editedBy).break;
}

describe('cacheWatch', () => {
  it('expects what stood in the cache, and is content when it was read', () => {
    const { answered } = watch();
    const first = view();
    expect(answered(ask({ view: first }), 0, 10_000)).toEqual({});
    const grown = first.append([says('m2', 'four'), user('five')]);
    expect(answered(ask({ view: grown }), 9_990, 300)).toEqual({ expectedReadTokens: 10_000 });
    expect(answered(ask({ view: grown }), 10_290, 0)).toEqual({ expectedReadTokens: 10_290 });
  });

  it('expects nothing where nothing is cached', () => {
    const { answered } = watch();
    answered(ask(), 0, 0);
    expect(answered(ask({ system: ['Other.'] }), 0, 0)).toEqual({});
  });

  it.each<[string, Partial<ModelRequest>, object]>([
    [
      'model',
      { model: 'claude-haiku-5-5' },
      { kind: 'model', why: expect.stringContaining('claude-haiku-5-5') },
    ],
    ['system', { system: ['You are useless.'] }, { kind: 'system', index: 0 }],
    [
      'tools',
      { tools: [...HEAD.tools, { name: 'Late', input_schema: { type: 'object' } }] },
      { kind: 'tools', index: 1, why: expect.stringContaining('Late') },
    ],
    ['settings', { thinking: { type: 'adaptive' } }, { kind: 'settings' }],
    ['user context', { userContext: ['Today is Monday.'] }, { kind: 'user_context', index: 0 }],
  ])('F113: names what changed: %s', (_what, change, expected) => {
    expect(broken(ask(), ask(change))).toMatchObject({ ...expected, tokens: 10_000 });
  });

  it('F113: names the first message that changed, and the step that did it', () => {
    const [one, two, three] = MESSAGES as [ViewMessage, ViewMessage, ViewMessage];
    const edited = { ...user('other'), uuid: three.uuid };
    const before = ask({ view: view() });
    expect(broken(before, ask({ view: view([one, two, edited]) }), ['microcompact'])).toMatchObject({
      kind: 'message_changed',
      uuid: three.uuid,
      why: 'message 2 changed (microcompact)',
    });
    expect(broken(before, ask({ view: view([one, three]) }), ['snip'])).toMatchObject({
      kind: 'message_removed',
      uuid: two.uuid,
    });
    const reminder = user('A reminder.');
    expect(broken(before, ask({ view: view([one, reminder, two, three]) }))).toMatchObject({
      kind: 'message_inserted',
      uuid: reminder.uuid,
    });
  });

  it('takes messages with the same bytes for the same, and a shortfall without a change for the endpoint’s', () => {
    const copies = MESSAGES.map((message) => ({ ...message, uuid: `copy of ${message.uuid}` }));
    expect(broken(ask({ view: view() }), ask({ view: view(copies) }))).toMatchObject({ kind: 'unexplained' });
  });

  it('knows when the entries had outlived their time', () => {
    for (const [ttl, ms] of [
      ['5m', 6 * 60_000],
      ['1h', 61 * 60_000],
    ] as const) {
      const { answered, wait } = watch({ ttl });
      const request = ask();
      answered(request, 0, 10_000);
      wait(ms);
      expect(answered(request, 0, 10_000).break).toMatchObject({ kind: 'expired' });
    }
  });

  it('says what it cost', () => {
    const price = { input: 4, output: 20, cacheRead: 0.2, cacheWrite5m: 5, cacheWrite1h: 8 };
    const { answered } = watch({ priceOf: () => price });
    answered(ask(), 0, 1_000_000);
    expect(answered(ask({ system: [] }), 0, 1_000_000).break?.usd).toBeCloseTo(4.8);
  });
});
