import { reply } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, is, prompt, prompts, throughBothDoors } from './doors.ts';

throughBothDoors('errors', (stage) => {
  const failing = (status: number, times?: number) =>
    reply('Made it.', {
      faults: [{ name: 'http-status', status, ...(times !== undefined && { times }) }],
      times: 'any',
    });

  it('401 is authentication_failed, an is_error success, and a throw', async () => {
    stage.play(failing(401));
    const { messages, result, error } = await gather(
      stage.start('Go.', { env: { ...stage.env, CLAUDE_CODE_MAX_RETRIES: '0' } }),
    );
    expect(messages.find(is('assistant'))).toMatchObject({
      error: 'authentication_failed',
      message: { model: '<synthetic>' },
    });
    expect(result).toMatchObject({
      subtype: 'success',
      is_error: true,
      terminal_reason: 'api_error',
      api_error_status: 401,
      stop_reason: 'stop_sequence',
    });
    expect(error).toMatchObject({ message: expect.stringContaining('returned an error result') });
  });

  it('529 once: the retry is reported, and the answer follows', async () => {
    stage.play(failing(529, 1));
    const { messages, result, error } = await gather(stage.start('Go.'));
    expect(messages.filter(is('system', 'api_retry'))).toMatchObject([
      { attempt: 1, error_status: 529, retry_delay_ms: expect.any(Number), max_retries: 10 },
    ]);
    expect(result).toMatchObject({ subtype: 'success', is_error: false, result: 'Made it.' });
    expect(error).toBeUndefined();
  });

  it('500 for good: after its retries an is_error success', async () => {
    stage.play(failing(500));
    const { messages, result } = await gather(
      stage.start('Go.', { env: { ...stage.env, CLAUDE_CODE_MAX_RETRIES: '1' } }),
    );
    expect(messages.filter(is('system', 'api_retry'))).toHaveLength(1);
    expect(result).toMatchObject({ is_error: true, terminal_reason: 'api_error', api_error_status: 500 });
  });

  it('400 is not retried', async () => {
    stage.play(failing(400));
    const { messages, result } = await gather(stage.start('Go.'));
    expect(messages.filter(is('system', 'api_retry'))).toEqual([]);
    expect(result).toMatchObject({ is_error: true, terminal_reason: 'api_error', api_error_status: 400 });
  });

  it('a refusal is a success', async () => {
    stage.play(reply('No.', { stop_reason: 'refusal', times: 'any' }));
    const uuid = '44444444-4444-4444-8444-444444444444';
    const input = prompts();
    input.push(prompt('Go.', { uuid }));
    input.end();
    const { messages, result, error } = await gather(stage.start(input));
    expect(result).toMatchObject({ subtype: 'success', is_error: false, stop_reason: 'refusal' });
    const told = messages.filter(({ type }) => type !== 'command_lifecycle');
    expect(told.at(-1)).toBe(result);
    expect(told.at(-2)).toMatchObject({
      subtype: 'model_refusal_no_fallback',
      original_model: 'claude-opus-5-5',
      request_id: expect.any(String),
      refused_user_message_uuid: uuid,
    });
    expect(error).toBeUndefined();
  });

  it('an overloaded model is replaced by its fallback', async () => {
    stage.server.setScenario((request) =>
      request.model.includes('opus')
        ? { ...reply(''), faults: [{ name: 'http-status', status: 529 }] }
        : reply('From the other one.'),
    );
    const { messages, result } = await gather(stage.start('Go.', { model: 'opus', fallbackModel: 'haiku' }));
    expect(messages.find(is('system', 'model_fallback'))).toMatchObject({
      original_model: 'claude-opus-5-5',
      fallback_model: 'claude-haiku-5-5',
    });
    expect(result).toMatchObject({ result: 'From the other one.', is_error: false });
  });

  it('a session that does not exist is an error without a request', async () => {
    const { result, error } = await gather(
      stage.start('Go.', { resume: '22222222-2222-4222-8222-222222222222' }),
    );
    expect(result).toMatchObject({ subtype: 'error_during_execution', is_error: true, num_turns: 0 });
    expect(error).toMatchObject({ message: expect.stringContaining('22222222') });
    expect(stage.asked()).toEqual([]);
  });
});
