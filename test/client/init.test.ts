import { expect, it } from 'vitest';
import { gather, is, prompt, reply, throughBothDoors } from './doors.ts';

throughBothDoors('what a session says of itself', (stage) => {
  it('names tools, servers and places as clients look for them', async () => {
    const { createSdkMcpServer } = stage.door;
    const { messages } = await stage.run([reply('Hi.')], {
      settingSources: ['user'],
      mcpServers: {
        near: createSdkMcpServer({ name: 'near', tools: [] }),
        gone: { command: '/nonexistent/server' },
      },
    });
    const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
    expect(init).toMatchObject({
      tools: expect.arrayContaining(['Task']),
      mcp_servers: expect.arrayContaining([
        expect.objectContaining({ name: 'near', source: 'sdk' }),
        expect.objectContaining({ name: 'gone', source: 'dynamic' }),
      ]),
      cwd: stage.cwd,
      original_cwd: stage.cwd,
      memory_paths: { auto: expect.stringMatching(/\/memory\/$/) },
      terminal_slash_commands: [],
      served_by_anthropic: false,
      view_mode: 'default',
    });
    expect(init).toMatchObject({ tools: expect.not.arrayContaining(['Agent']) });
    expect(init).not.toHaveProperty('user_message_uuids');
  });

  it('names the prompt that it answers, as do the first event and the first message of the answer', async () => {
    stage.play(reply('Hi.'));
    const uuid = '6f1b0b1e-5a3c-4f57-9a59-0a8b9c1d2e3f';
    const prompts = (async function* () {
      yield prompt('Go.', { uuid });
    })();
    const { messages } = await gather(stage.start(prompts, { includePartialMessages: true }));
    const init = messages.find(is('system', 'init'));
    expect(init).toMatchObject({ user_message_uuids: [uuid] });
    expect(init).not.toHaveProperty('user_message_uuid');
    const named = messages.filter((message) => 'user_message_uuid' in message);
    expect(named.map(({ type }) => type)).toEqual(['stream_event', 'assistant', 'result']);
    for (const message of named)
      expect(message).toMatchObject({ user_message_uuid: uuid, user_message_uuids: [uuid] });
  });

  it('says of each server where it is from and how it is reached', async () => {
    const { createSdkMcpServer, tool } = stage.door;
    const near = createSdkMcpServer({
      name: 'near',
      tools: [tool('look', 'Looks.', {}, async () => ({ content: [] }))],
    });
    stage.play(reply('Hi.'));
    const running = stage.start('Go.', { mcpServers: { near, gone: { command: '/nonexistent/server' } } });
    let statuses: unknown;
    for await (const message of running)
      if (message.type === 'system' && message.subtype === 'init') statuses = await running.mcpServerStatus();
    expect(statuses).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ name: 'near', scope: 'dynamic', source: 'sdk', transport: 'sdk' }),
        expect.objectContaining({ name: 'gone', scope: 'dynamic', source: 'dynamic', transport: 'stdio' }),
      ]),
    );
  });
});
