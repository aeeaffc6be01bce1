/** The usage of a response while it comes in, and what a response adds to the view. */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import { loopDeps, loopParams, userMessage } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { Iteration } from '../../src/loop/iteration.ts';
import { initialState } from '../../src/loop/query-loop.ts';
import { emptyResponse } from '../../src/loop/response.ts';
import { NO_ATTACHMENTS, type StageOutput } from '../../src/loop/stage-output.ts';
import { turnOutput, viewAtStart } from '../../src/loop/turn-output.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import { contextTokens, replaceUsage } from '../../src/protocol/model/usage.ts';
import { EMPTY_USAGE, type Usage } from '../../src/protocol/model/wire.ts';

const usage: Usage = {
  ...EMPTY_USAGE,
  input_tokens: 1,
  cache_creation_input_tokens: 20,
  cache_read_input_tokens: 300,
  output_tokens: 4_000,
};

describe('usage', () => {
  it.each<[string, object, object]>([
    ['a later count replaces', { output_tokens: 4_005 }, { ...usage, output_tokens: 4_005 }],
    ['a count never falls', { output_tokens: 5, input_tokens: 0 }, usage],
    ['nor does the prompt', { cache_read_input_tokens: 0, input_tokens: 300 }, usage],
    [
      'tokens may turn out to be those of a cache',
      { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 321 },
      { ...usage, input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 321 },
    ],
    ['what is not named stays', {}, usage],
    ['what is named without a value stays', { input_tokens: undefined, output_tokens: null }, usage],
    ['a field that is new is added', { service_tier: 'standard' }, { ...usage, service_tier: 'standard' }],
  ])('%s: %j', (_, later, merged) => {
    expect(replaceUsage(usage, later as Partial<Usage>)).toEqual(merged);
  });

  it('the context holds the request, cached or not, and the answer', () => {
    expect(contextTokens(usage)).toBe(4_321);
    expect(contextTokens(EMPTY_USAGE)).toBe(0);
  });
});

describe('what an iteration adds to the view', () => {
  const params = loopParams();
  const state = initialState(params);
  const iteration = new Iteration(state, params, loopDeps(), { emit: () => undefined });
  const block = {
    ...userMessage('block'),
    type: 'assistant',
  } as unknown as StageOutput['response']['messages'][0];
  const output = (response: Partial<StageOutput['response']>) =>
    ({
      state,
      response: { ...emptyResponse('m'), messages: [block], ...response },
      results: { messages: [] },
      attachments: NO_ATTACHMENTS,
    }) as unknown as StageOutput;

  it.each([
    ['the figure of a response that ended', { usage, ended: true }, { tokens: 4_321, length: 2 }],
    ['no figure of one that broke off', { usage, ended: false }, undefined],
    ['no figure where none was reported', { usage: EMPTY_USAGE, ended: true }, undefined],
  ])('has %s', (_, response, measured) => {
    const extra = [userMessage('more')];
    const added = turnOutput(output(response), iteration, extra);
    expect(added.append).toEqual([block, ...extra]);
    expect(added.measured).toEqual(measured);
    expect('measured' in added).toBe(measured !== undefined);
    expect(added.outputTokens).toBe(response.usage.output_tokens);
  });
});

describe('the view that the loop starts with', () => {
  const [one, two, three] = ['one', 'two', 'three'].map((uuid) => userMessage(uuid, { uuid }));
  const view = () => PersistentList.from([one, two, three] as ViewMessage[]);
  const startAt = (...known: unknown[]) => ({ startAt: { response: { known } } }) as never;

  it.each<[string, object, number]>([
    ['is all of it', {}, 3],
    ['is all of it when a response without results goes on', startAt(), 3],
    ['leaves out the results at its end that are known', startAt(two, three), 1],
    ['keeps a known result that is not at its end', startAt(one), 3],
  ])('%s', (_, more, length) => {
    const messages = viewAtStart({ ...loopParams(), view, ...more });
    expect(messages.slice().map(({ uuid }) => uuid)).toEqual(['one', 'two', 'three'].slice(0, length));
  });
});
