import { reply, thinking } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { gather, is, openPrompt, prompt, prompts, throughBothDoors } from './doors.ts';

throughBothDoors('answers', (stage) => {
  it('a plain answer: init, one message per block, the result last', async () => {
    const { messages, result, error } = await stage.run([reply(['One.', 'Two.'])]);
    expect(error).toBeUndefined();
    expect(messages.map(({ type }) => type)).toEqual(['system', 'assistant', 'assistant', 'result']);
    expect(result).toMatchObject({
      subtype: 'success',
      is_error: false,
      result: 'Two.',
      num_turns: 1,
      stop_reason: 'end_turn',
      terminal_reason: 'completed',
      permission_denials: [],
    });
  });

  it('init and result carry what clients read', async () => {
    const { messages, result } = await stage.run([reply('Hi.')], { model: 'sonnet' });
    expect(messages[0]).toMatchObject({
      type: 'system',
      subtype: 'init',
      cwd: stage.cwd,
      model: 'claude-sonnet-5-5',
      permissionMode: 'default',
      apiKeySource: 'ANTHROPIC_API_KEY',
      claude_code_version: expect.stringMatching(/^2\.\d+\.\d+$/),
      tools: expect.arrayContaining(['Bash', 'Read']),
      mcp_servers: [],
      slash_commands: expect.any(Array),
      agents: ['general-purpose', 'Explore', 'Plan'],
      skills: [],
      plugins: [],
      output_style: 'default',
    });
    expect(result).toMatchObject({
      duration_ms: expect.any(Number),
      duration_api_ms: expect.any(Number),
      ttft_ms: expect.any(Number),
      total_cost_usd: expect.any(Number),
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
      modelUsage: { 'claude-sonnet-5-5': { contextWindow: 1_000_000, costUSD: expect.any(Number) } },
      session_id: messages[0]?.session_id,
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(result?.total_cost_usd).toBeGreaterThan(0);
  });

  it('without a system prompt none is sent; a text is sent alone; the preset takes an appendix', async () => {
    const systemOf = async (systemPrompt: unknown) => {
      await stage.run([reply('Hi.')], { systemPrompt, tools: [] });
      return JSON.stringify(stage.asked().at(-1)?.['system'] ?? []);
    };
    const none = await systemOf(undefined);
    expect(none).toBe('[]');
    expect(await systemOf('Speak Latin.')).toContain('Speak Latin.');
    const custom = await systemOf({ type: 'custom', prompt: ['Speak Greek.', 'Slowly.'], snapshot: true });
    expect(custom).toContain('Speak Greek.');
    expect(custom).toContain('Slowly.');
    expect(custom.length).toBeLessThan(200);
    const preset = await systemOf({ type: 'preset', preset: 'claude_code', append: 'Speak Latin.' });
    expect(preset).toContain('Speak Latin.');
    expect(preset.length).toBeGreaterThan(500);
  });

  it('partial messages: events in order, the finished block before its stop event', async () => {
    const { messages } = await stage.run([reply('Hello there.')], { includePartialMessages: true });
    const events = messages.flatMap((m) => (m.type === 'stream_event' ? [m.event.type] : []));
    expect(events[0]).toBe('message_start');
    expect(events.at(-1)).toBe('message_stop');
    const kinds = messages.map((m) => (m.type === 'stream_event' ? m.event.type : m.type));
    expect(kinds.indexOf('assistant')).toBe(kinds.indexOf('content_block_stop') - 1);
    expect(messages.find(is('stream_event'))).toMatchObject({
      ttft_ms: expect.any(Number),
      parent_tool_use_id: null,
    });
  });

  it('thinking comes as a block of its own, with its signature', async () => {
    const { messages } = await stage.run([reply([thinking('Let me see.'), 'Yes.'])], {
      thinking: { type: 'adaptive' },
    });
    expect(messages.map((message) => ('subtype' in message ? message.subtype : message.type))).toEqual([
      'init',
      'thinking_tokens',
      'assistant',
      'assistant',
      'success',
    ]);
    expect(messages.find(is('system', 'thinking_tokens'))).toMatchObject({
      estimated_tokens: 4,
      estimated_tokens_delta: 4,
    });
    expect(messages.filter(is('assistant'))).toMatchObject([
      {
        message: { content: [{ type: 'thinking', signature: expect.any(String) }] },
        thinking_duration_ms: expect.any(Number),
      },
      { message: { content: [{ type: 'text', text: 'Yes.' }] } },
    ]);
    expect(stage.asked()[0]?.['thinking']).toMatchObject({ type: 'adaptive' });
  });

  it('thinking, effort and task budget reach the request', async () => {
    await stage.run([reply('Hi.')], {
      model: 'claude-sonnet-5',
      thinking: { type: 'disabled' },
      effort: 'low',
      taskBudget: { total: 50_000 },
    });
    expect(stage.asked()[0]).toMatchObject({
      thinking: { type: 'disabled' },
      output_config: { effort: 'low', task_budget: { total: 50_000 } },
    });
  });

  it('streaming input: each prompt has an init and a result of its own, in one session', async () => {
    stage.play(reply('1'), reply('2'));
    const input = openPrompt('a');
    let count = 0;
    const { messages, results } = await gather(stage.start(input), (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) input.push(prompt('b'));
      else input.end();
    });
    expect(results.map((r) => (r.subtype === 'success' ? r.result : ''))).toEqual(['1', '2']);
    expect(messages.filter(is('system', 'init'))).toHaveLength(2);
    expect(new Set(messages.map(({ session_id }) => session_id)).size).toBe(1);
    expect(JSON.stringify(stage.asked()[1]?.['messages'])).toContain('"1"');
  });

  it('images of a prompt reach the model', async () => {
    stage.play(reply('A dot.'));
    const input = prompts();
    const data =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const content = [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png', data } },
    ];
    input.push({ ...prompt(''), message: { role: 'user', content } });
    input.end();
    const { result } = await gather(stage.start(input));
    expect(result).toMatchObject({ result: 'A dot.' });
    expect(JSON.stringify(stage.asked()[0]?.['messages'])).toContain('image/png');
  });

  it('uuid and origin of a prompt come back with its result', async () => {
    stage.play(reply('Hi.'));
    const input = prompts();
    const uuid = '11111111-1111-4111-8111-111111111111';
    input.push(prompt('Hello.', { uuid, origin: { kind: 'human' } }));
    input.end();
    const { messages, result } = await gather(stage.start(input));
    expect(result).toMatchObject({ user_message_uuid: uuid, origin: { kind: 'human' } });
    expect(messages.find(is('assistant'))).toMatchObject({ user_message_uuid: uuid });
  });

  it('a prompt that asks nothing joins the conversation only', async () => {
    stage.play(reply('Yes.'));
    const input = prompts();
    input.push(prompt('Remember: larch.', { shouldQuery: false }));
    input.push(prompt('Is it larch?'));
    input.end();
    const { results } = await gather(stage.start(input));
    // Hosts wait for one result for each prompt.
    expect(results).toMatchObject([
      { subtype: 'success', result: '', num_turns: 0, total_cost_usd: 0 },
      { subtype: 'success', result: 'Yes.', num_turns: 1 },
    ]);
    expect(stage.asked()).toHaveLength(1);
    expect(JSON.stringify(stage.asked()[0]?.['messages'])).toContain('larch');
  });

  it('texts of any script survive both ways', async () => {
    const text = 'Line\u2028separator, пример, 例, 🦉';
    const { result } = await stage.run([reply(text)], {}, text);
    expect(result).toMatchObject({ result: text });
    expect(JSON.stringify(stage.asked()[0]?.['messages'])).toContain('例, 🦉');
  });
});
