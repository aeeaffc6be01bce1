import { gather, queryUnderTest } from '@turnwright/test/sdk/query-under-test.ts';
import { say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { type Options, query } from '../../src/index.ts';

describe('extraArgs in process', () => {
  it('a flag that is an option by another name is taken', async () => {
    const { query: running } = queryUnderTest([say('Hi.')], 'Hello.', {
      extraArgs: { 'replay-user-messages': null, 'max-turns': '3' },
    });
    const { messages } = await gather(running);
    expect(messages).toContainEqual(
      expect.objectContaining({ isReplay: true, message: { role: 'user', content: 'Hello.' } }),
    );
  });

  it('an option that is given itself holds', async () => {
    const { query: running } = queryUnderTest([say('Hi.')], 'Hello.', {
      model: 'claude-opus-5-5',
      extraArgs: { model: 'claude-haiku-5-5' },
    });
    const { messages } = await gather(running);
    expect(messages[0]).toMatchObject({ subtype: 'init', model: 'claude-opus-5-5' });
  });

  it.each<[NonNullable<Options['extraArgs']>, string]>([
    [{ 'no-such-flag': null }, '--no-such-flag has no meaning in process'],
    [{ 'max-turns': 'many' }, '--max-turns must be a whole number of at least 1, got "many"'],
    [{ model: null }, '--model needs a value'],
    [{ 'replay-user-messages': 'maybe' }, '--replay-user-messages must be true or false, got "maybe"'],
  ])('refuses %j, by name', (extraArgs, why) => {
    expect(() => query({ prompt: 'Hello.', options: { extraArgs } })).toThrow(why);
  });
});
