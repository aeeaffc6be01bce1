/** What a request asks of the model when nobody chose, and what options, settings and variables change about it. */

import { reply } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, is, throughBothDoors } from './doors.ts';

const BETA = 'context-1m-2025-08-07';

throughBothDoors('requests to the model', (stage) => {
  const headers = () => stage.server.requests.find(({ path }) => path === '/v1/messages')?.headers ?? {};
  const ask = async (
    options: Readonly<Record<string, unknown>>,
    env: Readonly<Record<string, string>> = {},
  ) => {
    const gathered = await stage.run([reply('ok')], { ...options, env: { ...stage.env, ...env } });
    const init = gathered.messages.find((message) => message.type === 'system' && message.subtype === 'init');
    return { body: stage.asked()[0] ?? {}, init, result: gathered.result };
  };

  it.each([
    ['claude-opus-5-5', { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } }],
    ['claude-sonnet-5', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
    ['claude-haiku-4-5', { thinking: { type: 'enabled', budget_tokens: 31_999 }, max_tokens: 32_000 }],
    ['claude-opus-4-1', { thinking: { type: 'enabled', budget_tokens: 31_999 }, max_tokens: 32_000 }],
  ])('%s thinks as it does best, with the effort it is made for', async (model, expected) => {
    expect((await ask({ model })).body).toMatchObject(expected);
  });

  it.each([
    [
      'adaptive becomes a budget',
      { thinking: { type: 'adaptive' } },
      {},
      { type: 'enabled', budget_tokens: 31_999 },
    ],
    ['a budget of 0 is no thinking', { maxThinkingTokens: 0 }, {}, { type: 'disabled' }],
    ['the same as a variable', {}, { MAX_THINKING_TOKENS: '0' }, { type: 'disabled' }],
    [
      'a variable gives the budget',
      {},
      { MAX_THINKING_TOKENS: '6000' },
      { type: 'enabled', budget_tokens: 6_000 },
    ],
    ['a setting', { settings: { alwaysThinkingEnabled: false } }, {}, { type: 'disabled' }],
  ])('on a model with budgets: %s', async (_, options, env, thinking) => {
    expect((await ask({ model: 'claude-haiku-4-5', ...options }, env)).body).toMatchObject({ thinking });
  });

  it('a budget leaves max_tokens alone on a model that sets its own', async () => {
    const { body } = await ask({ model: 'claude-sonnet-5' }, { MAX_THINKING_TOKENS: '3000' });
    expect(body).toMatchObject({ thinking: { type: 'adaptive' }, max_tokens: 8_000 });
  });

  it('the beta for long context opens the larger window, and init names it', async () => {
    const { init, result } = await ask({ model: 'claude-sonnet-4-5', betas: [BETA] });
    expect(init).toMatchObject({ betas: [BETA] });
    expect(result?.modelUsage).toMatchObject({ 'claude-sonnet-4-5': { contextWindow: 1_000_000 } });
  });

  it('the mark [1m] goes where the window is that large anyway', async () => {
    const { init, result, body } = await ask({ model: 'sonnet[1m]' });
    expect([init, body]).toMatchObject([{ model: 'claude-sonnet-5-5' }, { model: 'claude-sonnet-5-5' }]);
    expect(Object.keys(result?.modelUsage ?? {})).toEqual(['claude-sonnet-5-5']);
    expect(init).not.toHaveProperty('betas');
  });

  it('a gateway gets the fields, betas and cache marks that its user set', async () => {
    const { body } = await ask(
      { model: 'claude-sonnet-4-5' },
      {
        CLAUDE_CODE_EXTRA_BODY: '{"service_tier":"standard_only"}',
        ANTHROPIC_BETAS: 'one-1, two-2',
        DISABLE_PROMPT_CACHING: '1',
      },
    );
    expect(body).toMatchObject({ service_tier: 'standard_only' });
    expect(String(headers()['anthropic-beta']).split(',')).toEqual(
      expect.arrayContaining(['one-1', 'two-2']),
    );
    expect(JSON.stringify(body)).not.toContain('cache_control');
  });

  it('keeps prompts in the cache for an hour where that is asked for', async () => {
    const { body } = await ask({}, { ENABLE_PROMPT_CACHING_1H: '1' });
    expect(JSON.stringify(body)).toContain('"cache_control":{"type":"ephemeral","ttl":"1h"}');
    expect(headers()['anthropic-beta']).toContain('extended-cache-ttl');
  });

  it.each(['{"model":"x"}', '{"max_completion_tokens":9}', '{"n":2}', '[1]', '{'])(
    'refuses CLAUDE_CODE_EXTRA_BODY=%s',
    async (text) => {
      const { error } = await gather(
        stage.start('Go.', { env: { ...stage.env, CLAUDE_CODE_EXTRA_BODY: text } }),
      );
      expect(String(error)).toContain('CLAUDE_CODE_EXTRA_BODY');
      expect(stage.server.requests).toEqual([]);
    },
  );
});

throughBothDoors('fast mode', (stage) => {
  const speeds = () => stage.asked().map((body) => body['speed']);
  const limited = (headers: Readonly<Record<string, string>>) =>
    reply('Slow down.', { faults: [{ name: 'http-status', status: 429, headers }] });
  const fast = { model: 'opus', settings: { fastMode: true } };
  const states = ({ messages }: { messages: readonly object[] }) =>
    messages.flatMap((message) => ('fast_mode_state' in message ? [message.fast_mode_state] : []));

  it('is off unless it is asked for', async () => {
    const gathered = await stage.run([reply('ok')], { model: 'opus' });
    expect([speeds(), states(gathered)]).toEqual([[undefined], ['off', 'off']]);
    expect(gathered.result).toMatchObject({ fast_mode_disabled_reason: 'sdk_opt_in_required' });
  });

  it('goes out with every request of a model that offers it', async () => {
    const gathered = await stage.run([reply('ok')], fast);
    expect([speeds(), states(gathered)]).toEqual([['fast'], ['on', 'on']]);
  });

  it('is off with a model that does not', async () => {
    const gathered = await stage.run([reply('ok')], { ...fast, model: 'sonnet' });
    expect([speeds(), states(gathered)]).toEqual([[undefined], ['off', 'off']]);
    expect(gathered.result).not.toHaveProperty('fast_mode_disabled_reason');
  });

  it('can be forbidden by the environment', async () => {
    const env = { ...stage.env, CLAUDE_CODE_DISABLE_FAST_MODE: '1' };
    const gathered = await stage.run([reply('ok')], { ...fast, env });
    expect([speeds(), states(gathered)]).toEqual([[undefined], ['off', 'off']]);
    expect(gathered.result).toMatchObject({ fast_mode_disabled_reason: 'disabled_by_env' });
  });

  it('pauses after a long rate limit', async () => {
    const gathered = await stage.run([limited({ 'retry-after': '21' }), reply('ok')], fast);
    expect([speeds(), states(gathered)]).toEqual([
      ['fast', undefined],
      ['on', 'cooldown'],
    ]);
  });

  it('ends when extra usage is not available', async () => {
    const reason = { 'anthropic-ratelimit-unified-overage-disabled-reason': 'out_of_credits' };
    const gathered = await stage.run([limited(reason), reply('ok')], fast);
    expect([speeds(), states(gathered)]).toEqual([
      ['fast', undefined],
      ['on', 'off'],
    ]);
    expect(gathered.result).toMatchObject({ fast_mode_disabled_reason: 'extra_usage_disabled' });
  });
});

throughBothDoors('where a prompt goes', (stage) => {
  const nowhere = () => expect(stage.server.requests).toEqual([]);
  const withEnv = (env: Readonly<Record<string, string>>) =>
    gather(stage.start('Go.', { env: { ...stage.env, ...env } }));

  it.each(['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'])(
    'nowhere with %s, which cannot be obeyed',
    async (variable) => {
      const { error, results } = await withEnv({ [variable]: '1', AWS_REGION: '', AWS_DEFAULT_REGION: '' });
      const said = `${String(error)} ${JSON.stringify(results)}`;
      expect(said).toContain(`${variable} is set, but cannot be obeyed.`);
      nowhere();
    },
  );

  it('nowhere when two such variables are set', async () => {
    const { error, results } = await withEnv({ CLAUDE_CODE_USE_BEDROCK: '1', CLAUDE_CODE_USE_VERTEX: '1' });
    expect(`${String(error)} ${JSON.stringify(results)}`).toContain(
      'CLAUDE_CODE_USE_BEDROCK and CLAUDE_CODE_USE_VERTEX are both set.',
    );
    nowhere();
  });

  it('where it always goes when such a variable says no', async () => {
    stage.play(reply('ok'));
    const { result } = await withEnv({ CLAUDE_CODE_USE_BEDROCK: '0', CLAUDE_CODE_USE_VERTEX: 'false' });
    expect(result).toMatchObject({ result: 'ok' });
  });

  it('nowhere without a key, a token and an address, and it says so at once', async () => {
    const { error, results } = await withEnv({ ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '' });
    expect(`${String(error)} ${JSON.stringify(results)}`).toContain(
      'No model is configured. Set ANTHROPIC_API_KEY',
    );
    expect(results.flatMap(({ duration_api_ms: ms }) => ms)).toEqual(results.map(() => 0));
    nowhere();
  });

  it('to a local server that wants no key', async () => {
    stage.play(reply('ok'));
    const { result } = await withEnv({ ANTHROPIC_API_KEY: '' });
    expect(result?.terminal_reason).not.toBeUndefined();
  });

  it('waits out an overload of any length where CLAUDE_CODE_UNATTENDED_RETRY is set', async () => {
    const overloaded = reply('never', { faults: ['http-status'] });
    stage.play(overloaded, overloaded, reply('ok'));
    const { messages, result } = await withEnv({
      CLAUDE_CODE_UNATTENDED_RETRY: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
    });
    expect(result).toMatchObject({ result: 'ok' });
    expect(messages.filter(is('system', 'api_retry'))).toHaveLength(2);
  });
});
