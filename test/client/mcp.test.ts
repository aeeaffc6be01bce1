import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { stdio, TOOLBOX } from '../mcp/servers-under-test.ts';
import {
  gather,
  is,
  type Message,
  openPrompt,
  prompt,
  prompts,
  type Running,
  throughBothDoors,
  toolResults,
} from './doors.ts';

throughBothDoors('in-process MCP servers', (stage) => {
  const { door } = stage;
  const server = (name: string, ...tools: unknown[]) => ({
    mcpServers: { [name]: door.createSdkMcpServer({ name, tools }) },
    allowedTools: [`mcp__${name}`],
  });
  const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

  it('a tool with a zod shape is offered, checked and run', async () => {
    const seen: unknown[] = [];
    const add = door.tool('add', 'Adds.', { a: z.number(), b: z.number().optional() }, async (args) => {
      seen.push(args);
      return said(String(args.a + (args.b ?? 1)));
    });
    const { messages, result } = await stage.run(
      [
        reply([toolUse('mcp__math__add', { a: 1, b: 2 }), toolUse('mcp__math__add', { a: 'one' })]),
        reply('Done.'),
      ],
      { ...server('math', add), tools: [] },
    );
    expect(messages[0]).toMatchObject({
      tools: ['mcp__math__add'],
      mcp_servers: [{ name: 'math', status: 'connected' }],
    });
    expect(JSON.stringify(stage.asked()[0]?.['tools'])).toContain('"required":["a"]');
    expect(seen).toEqual([{ a: 1, b: 2 }]);
    expect(toolResults(messages)).toMatchObject([
      { text: '[{"type":"text","text":"3"}]' },
      { is_error: true },
    ]);
    expect(result).toMatchObject({ subtype: 'success' });
  });

  it('calls of a server that the host tightened are asked for in bypassPermissions', async () => {
    const asked: string[] = [];
    const input = prompts();
    stage.play(
      reply(toolUse('mcp__math__look', {})),
      reply('Done.'),
      reply(toolUse('mcp__math__look', {})),
      reply('Done.'),
    );
    const running = stage.start(input, {
      ...server(
        'math',
        door.tool('look', 'Looks.', {}, async () => said('seen')),
      ),
      allowedTools: [],
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      canUseTool: async (name: string) => {
        asked.push(name);
        return { behavior: 'deny', message: 'No.' };
      },
    });
    const results: unknown[] = [];
    const gathered = gather(running, (message) => {
      if (message.type !== 'result') return;
      results.push(message);
      if (results.length === 1)
        void running.setMcpPermissionModeOverride('math', 'default').then((answer) => {
          expect(answer).toEqual({});
          input.push(prompt('Again.'));
        });
      else input.end();
    });
    expect(await running.setMcpPermissionModeOverride('meth', 'default')).toMatchObject({
      warning: expect.stringContaining('meth'),
    });
    input.push(prompt('Go.'));
    const { messages } = await gathered;
    expect(asked).toEqual(['mcp__math__look']);
    expect(toolResults(messages)).toMatchObject([
      { text: expect.stringContaining('seen') },
      { is_error: true },
    ]);
  });

  it('what the host declares about its own tools holds: denied, asked for in every mode, and a limit in time', async () => {
    const runs: string[] = [];
    const named = (name: string) =>
      door.tool(name, name, {}, async () => {
        runs.push(name);
        return said(name);
      });
    const slow = door.tool('slow', 'Slow.', {}, () => new Promise<never>(() => {}));
    const tools = [
      { name: 'never', permission_policy: 'always_deny' },
      { name: 'ask', permission_policy: 'always_ask' },
      { name: 'free', permission_policy: 'always_allow' },
    ];
    const made = door.createSdkMcpServer({
      name: 't',
      tools: [named('never'), named('ask'), named('free'), slow],
    });
    const asked: string[] = [];
    const { messages, result } = await stage.run(
      [reply(['never', 'ask', 'free', 'slow'].map((name) => toolUse(`mcp__t__${name}`))), reply('Done.')],
      {
        mcpServers: { t: { ...(made as object), tools, timeout: 1_000 } },
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        canUseTool: async (name: string) => {
          asked.push(name);
          return { behavior: 'deny', message: 'Not now.' };
        },
      },
    );
    expect(runs).toEqual(['free']);
    expect(asked).toEqual(['mcp__t__ask']);
    expect(result?.permission_denials.map(({ tool_name }) => tool_name).toSorted()).toEqual([
      'mcp__t__ask',
      'mcp__t__never',
    ]);
    expect(toolResults(messages).map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/1000 ms|1 s/),
    );
  });

  it('always_allow on a server of the host grants nothing', async () => {
    const touch = door.tool('touch', 'Touches.', {}, async () => said('touched'));
    const tools = [{ name: 'touch', permission_policy: 'always_allow' }];
    const made = door.createSdkMcpServer({ name: 't', tools: [touch] });
    const { result } = await stage.run([reply(toolUse('mcp__t__touch')), reply('Well.')], {
      mcpServers: { t: { ...(made as object), tools } },
    });
    expect(result?.permission_denials).toHaveLength(1);
  });

  it('isError and a handler that throws are errors for the model', async () => {
    const no = door.tool('no', 'Refuses.', {}, async () => ({ ...said('Never.'), isError: true }));
    const bad = door.tool('bad', 'Breaks.', {}, async () => {
      throw new Error('It broke.');
    });
    const { messages } = await stage.run(
      [reply([toolUse('mcp__t__no'), toolUse('mcp__t__bad')]), reply('Well.')],
      server('t', no, bad),
    );
    expect(toolResults(messages)).toMatchObject([
      { text: expect.stringContaining('Never.'), is_error: true },
      { text: expect.stringContaining('It broke.'), is_error: true },
    ]);
  });

  it('images and resources become what the model can read', async () => {
    const data =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const show = door.tool('show', 'Shows.', {}, async () => ({
      content: [
        { type: 'image' as const, data, mimeType: 'image/png' },
        { type: 'resource_link' as const, uri: 'file:///a', name: 'a' },
        { type: 'resource' as const, resource: { uri: 'file:///b', text: 'inside b' } },
      ],
    }));
    await stage.run([reply(toolUse('mcp__t__show')), reply('Nice.')], server('t', show));
    const sent = JSON.stringify(stage.asked()[1]?.['messages']);
    expect(sent).toContain('"media_type":"image/png"');
    expect(sent).toContain('file:///a');
    expect(sent).toContain('inside b');
  });

  it('tools that only read run side by side, others one after the other', async () => {
    let running = 0;
    let most = 0;
    const slow = (name: string, readOnlyHint: boolean) =>
      door.tool(
        name,
        'Waits.',
        {},
        async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setTimeout(resolve, 30));
          running -= 1;
          return said('ok');
        },
        { annotations: { readOnlyHint } },
      );
    const tools = server('t', slow('read', true), slow('write', false));
    await stage.run([reply([toolUse('mcp__t__read'), toolUse('mcp__t__read')]), reply('Done.')], tools);
    expect(most).toBe(2);
    most = 0;
    await stage.run([reply([toolUse('mcp__t__write'), toolUse('mcp__t__write')]), reply('Done.')], {
      ...server('t', slow('read', true), slow('write', false)),
    });
    expect(most).toBe(1);
  });

  it('a call that is not allowed is asked about by its full name', async () => {
    const names: string[] = [];
    const tool = door.tool('do', 'Does.', {}, async () => said('done'));
    const { messages } = await stage.run([reply(toolUse('mcp__t__do')), reply('Done.')], {
      ...server('t', tool),
      allowedTools: [],
      canUseTool: async (name: string, input: unknown) => {
        names.push(name);
        return { behavior: 'allow', updatedInput: input };
      },
    });
    expect(names).toEqual(['mcp__t__do']);
    expect(toolResults(messages)[0]?.text).toContain('done');
  });

  it('mcpServerStatus tells how servers stand, with their tools', async () => {
    const tool = door.tool('look', 'Looks.', {}, async () => said('x'), {
      annotations: { readOnlyHint: true },
    });
    stage.play(reply('Hi.'));
    const input = openPrompt('Go.');
    const running = stage.start(input, {
      mcpServers: {
        t: door.createSdkMcpServer({ name: 't', tools: [tool] }),
      },
    });
    const status = running.mcpServerStatus();
    await gather(running, (message) => message.type === 'result' && input.end());
    expect(await status).toMatchObject([
      {
        name: 't',
        status: 'connected',
        serverInfo: { name: 't' },
        tools: [{ name: 'look', annotations: { readOnly: true } }],
      },
    ]);
  });

  it('a server that cannot be started is shown as failed and delays nothing', async () => {
    for (const mcpServersDelivery of ['argv', 'initialize']) {
      const mcpServers = { gone: { type: 'stdio', command: '/nonexistent/mcp-server', args: [] } };
      const delivery = stage.door.name === 'our own query()' ? {} : { mcpServersDelivery };
      stage.play(reply('Hi.'));
      const { messages, result } = await gather(stage.start('Go.', { mcpServers, ...delivery }));
      expect(messages[0]).toMatchObject({
        mcp_servers: [{ name: 'gone', status: expect.stringMatching(/failed|pending/) }],
      });
      expect(result).toMatchObject({ subtype: 'success' });
    }
  });

  it('setMcpServers replaces them too; a process of the options goes once it was named', async () => {
    const own = (name: string) => ({
      [name]: door.createSdkMcpServer({
        name,
        tools: [door.tool('say', 'Says.', {}, async () => said(name))],
      }),
    });
    const [first, box] = [own('first'), { box: stdio(TOOLBOX) }];
    const input = openPrompt('Go.');
    const calls = ['first', 'second', 'gone'].map((name) => toolUse(`mcp__${name}__say`));
    stage.play(reply('One.'), reply(calls), reply('Two.'));
    const running = stage.start(input, {
      mcpServers: { ...first, ...own('gone'), ...box },
      allowedTools: ['mcp__first', 'mcp__second', 'mcp__gone'],
      tools: [],
    }) as WithMcp;
    const names = async () =>
      (await running.mcpServerStatus()).map((status) => (status as { readonly name: string }).name);
    const messages: Message[] = [];
    for await (const message of running) {
      messages.push(message);
      if (message.type !== 'result') continue;
      if ('result' in message && message.result === 'One.') {
        const set = await running.setMcpServers({ ...first, ...own('second') });
        expect(set).toEqual({ added: ['second'], removed: ['gone'], errors: {} });
        expect((await names()).toSorted()).toEqual(['box', 'first', 'second']);
        input.push(prompt('Again.'));
      } else {
        expect(await running.setMcpServers(box)).toMatchObject({ removed: ['first', 'second'], errors: {} });
        expect(await running.setMcpServers({})).toEqual({ added: [], removed: ['box'], errors: {} });
        expect(await names()).toEqual([]);
        input.end();
      }
    }
    expect(toolResults(messages)).toMatchObject([
      { text: expect.stringContaining('"first"') },
      { text: expect.stringContaining('"second"') },
      { text: expect.stringContaining('No such tool available'), is_error: true },
    ]);
  });

  it('an interrupt ends a running call', async () => {
    const wait = door.tool('wait', 'Waits.', {}, () => {
      void running.interrupt();
      return new Promise(() => {});
    });
    stage.play(reply(toolUse('mcp__t__wait')));
    const input = openPrompt('Go.');
    const running = stage.start(input, server('t', wait));
    const { result } = await gather(running, (message) => message.type === 'result' && input.end());
    expect(result).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted_tools' });
  });
});

/** What both doors have besides `Running`. */
interface WithMcp extends Running {
  readMcpResource(server: string, uri: string): Promise<unknown>;
  setMcpServers(servers: Readonly<Record<string, unknown>>): Promise<unknown>;
}

throughBothDoors('MCP servers of their own process', (stage) => {
  const box = (env: Record<string, string> = {}) => ({
    mcpServers: { box: stdio(TOOLBOX, [], env) },
    allowedTools: ['mcp__box'],
    tools: [],
  });

  it('say how they are used, and their ui:// resources are read for the host', async () => {
    stage.play(reply('Done.'));
    const input = openPrompt('Go.');
    const running = stage.start(input, box({ INSTRUCTIONS: 'Count first.' })) as WithMcp;
    const read: unknown[] = [];
    let usage: unknown;
    for await (const message of running) {
      if (message.type !== 'result') continue;
      read.push(await running.readMcpResource('box', 'ui://card'));
      await expect(running.readMcpResource('box', 'memo://notes')).rejects.toThrow('Only ui:// resources');
      usage = await running.getContextUsage();
      input.end();
    }
    expect(JSON.stringify(stage.asked()[0]?.['messages'])).toContain('# box\\nCount first.');
    expect(read).toMatchObject([{ contents: [{ uri: 'ui://card', mimeType: 'text/html' }] }]);
    expect(usage).toMatchObject({ mcpInstructions: [{ serverName: 'box' }] });
  });

  it('T113 a tool that changed since it was allowed is asked for again', async () => {
    const asked: unknown[] = [];
    stage.play(
      reply(toolUse('mcp__box__change', { name: 'touch', description: 'Other' })),
      reply('Changed.'),
      reply(toolUse('mcp__box__touch')),
      reply('Done.'),
    );
    const input = openPrompt('Go.');
    const running = stage.start(input, {
      ...box(),
      async canUseTool(name: string, _: object, { decisionReason }: { decisionReason?: string }) {
        asked.push([name, decisionReason]);
        return { behavior: 'deny', message: 'Not any more.' };
      },
    });
    const { messages } = await gather(running, (message) => {
      if (message.type !== 'result') return;
      if (message.subtype === 'success' && message.result === 'Changed.') input.push(prompt('Again.'));
      else input.end();
    });
    expect(asked).toEqual([['mcp__box__touch', expect.stringContaining('changed since it was allowed')]]);
    expect(messages.find(is('system', 'informational'))).toMatchObject({
      content: expect.stringContaining('The tool "touch" waits to be allowed again'),
    });
  });
});

throughBothDoors('server objects of the MCP SDK', (stage) => {
  /** A garden with a tool that asks before it plants, a prompt, and two resources. */
  function garden() {
    const instance = new McpServer({ name: 'garden', version: '1.0.0' }, { instructions: 'Ask first.' });
    const planted: unknown[] = [];
    instance.registerTool(
      'plant',
      { description: 'Plants.', inputSchema: { tree: z.string() } },
      async () => {
        const requestedSchema = {
          type: 'object' as const,
          properties: { where: { type: 'string' as const } },
        };
        const answer = await instance.server.elicitInput({ message: 'Where to?', requestedSchema });
        planted.push(answer);
        return { content: [{ type: 'text', text: `Planted: ${answer.action}` }] };
      },
    );
    instance.registerPrompt(
      'plan',
      { description: 'Plans a bed.', argsSchema: { bed: z.string() } },
      ({ bed }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: `Plan the ${bed} bed.` } }],
      }),
    );
    for (const uri of ['memo://notes', 'ui://card'])
      instance.registerResource(uri, uri, { mimeType: 'text/plain' }, async () => ({
        contents: [{ uri, mimeType: 'text/plain', text: `inside ${uri}` }],
      }));
    const options = {
      mcpServers: { garden: { type: 'sdk', name: 'garden', instance } },
      allowedTools: ['mcp__garden', 'ListMcpResourcesTool', 'ReadMcpResourceTool'],
      tools: [],
    };
    return { instance, planted, options };
  }

  it('bring their prompts as commands and their resources for the model and the host', async () => {
    stage.play(
      reply([
        toolUse('ListMcpResourcesTool', {}),
        toolUse('ReadMcpResourceTool', { server: 'garden', uri: 'memo://notes' }),
      ]),
      reply('Done.'),
    );
    const input = openPrompt('/mcp__garden__plan rose');
    const running = stage.start(input, garden().options) as WithMcp;
    const read: unknown[] = [];
    const commands: string[] = [];
    const { messages } = await gather(
      (async function* () {
        for await (const message of running) {
          yield message;
          if (message.type !== 'result') continue;
          read.push(await running.readMcpResource('garden', 'ui://card'));
          commands.push(...(await running.supportedCommands()).map(({ name }) => name));
          input.end();
        }
      })(),
    );
    expect(messages.find(is('system', 'init'))).toMatchObject({
      mcp_servers: [{ name: 'garden', status: 'connected' }],
      slash_commands: expect.arrayContaining(['mcp__garden__plan']),
    });
    const asked = JSON.stringify(stage.asked()[0]?.['messages']);
    expect(asked).toContain('Plan the rose bed.');
    expect(asked).toContain('# garden\\nAsk first.');
    const results = toolResults(messages).map(({ text }) => text);
    expect(results).toHaveLength(2);
    expect(results.join()).toMatch(/uri.{1,6}memo:\/\/notes/);
    expect(results.join()).toContain('inside memo://notes');
    expect(commands).toContain('mcp__garden__plan');
    expect(read).toMatchObject([{ contents: [{ uri: 'ui://card', text: 'inside ui://card' }] }]);
  });

  it('have their questions answered by the host, or declined without one', async () => {
    const { planted, options } = garden();
    const asked: unknown[] = [];
    await stage.run([reply(toolUse('mcp__garden__plant', { tree: 'larch' })), reply('Done.')], {
      ...options,
      async onElicitation(question: unknown) {
        asked.push(question);
        return { action: 'accept', content: { where: 'north' } };
      },
    });
    expect(asked).toMatchObject([{ serverName: 'garden', message: 'Where to?' }]);
    expect(planted).toEqual([{ action: 'accept', content: { where: 'north' } }]);

    const alone = garden();
    await stage.run([reply(toolUse('mcp__garden__plant', { tree: 'larch' })), reply('Done.')], alone.options);
    expect(alone.planted).toEqual([{ action: 'decline' }]);
  });

  it('tell of tools that come while the session runs', async () => {
    const { instance, options } = garden();
    instance.registerTool('dig', { description: 'Digs.' }, async () => {
      instance.registerTool('water', { description: 'Waters.' }, async () => ({
        content: [{ type: 'text', text: 'Wet.' }],
      }));
      return { content: [{ type: 'text', text: 'Dug.' }] };
    });
    const { messages } = await stage.run(
      [reply(toolUse('mcp__garden__dig')), reply(toolUse('mcp__garden__water')), reply('Done.')],
      options,
    );
    expect(toolResults(messages).map(({ text }) => text)).toEqual([
      expect.stringContaining('Dug.'),
      expect.stringContaining('Wet.'),
    ]);
  });
});

throughBothDoors('tools of MCP servers in requests', (stage) => {
  const { door } = stage;
  const servers = (alwaysLoad = false) => {
    const shout = door.tool('shout', 'Shouts.', { text: z.string() }, async ({ text }) => ({
      content: [{ type: 'text' as const, text: text.toUpperCase() }],
    }));
    return {
      loud: door.createSdkMcpServer({ name: 'loud', tools: [shout], ...(alwaysLoad && { alwaysLoad }) }),
    };
  };
  const sent = (n: number) =>
    ((stage.asked()[n]?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);
  const SHOUT = 'mcp__loud__shout';
  const options = { mcpServers: servers(), allowedTools: ['mcp__loud'] };

  it('are left out for a Claude model until it looks for them, and can be called by name', async () => {
    const { messages } = await stage.run(
      [
        reply(toolUse(SHOUT, { text: 'a' })),
        reply(toolUse('ToolSearch', { query: `select:${SHOUT}` })),
        reply(toolUse(SHOUT, { text: 'b' })),
        reply('Done.'),
      ],
      options,
    );
    expect(messages[0]).toMatchObject({ tools: expect.arrayContaining([SHOUT, 'ToolSearch']) });
    expect([0, 1, 2, 3].map((n) => sent(n).includes(SHOUT))).toEqual([false, false, true, true]);
    expect(JSON.stringify(stage.asked()[0]?.['messages'])).toContain(SHOUT);
    const [first, , third] = toolResults(messages);
    expect([first?.text, third?.text]).toEqual([expect.stringContaining('A'), expect.stringContaining('B')]);
  });

  it.each([
    ['the variable says no', { env: { ENABLE_TOOL_SEARCH: 'false' } }, true],
    ['the variable names a share', { env: { ENABLE_TOOL_SEARCH: 'auto:10' } }, true],
    ['a setting says no', { settings: { toolSearch: false } }, true],
    ['the setting says yes', { settings: { toolSearch: true } }, false],
    ['there is no ToolSearch', { disallowedTools: ['ToolSearch'] }, true],
    ['the tools are named without it', { tools: ['Read'] }, true],
    ['the tools are named with it', { tools: ['Read', 'ToolSearch'] }, false],
    ['the server is always loaded', { mcpServers: servers(true) }, true],
  ])('are sent or not when %s', async (_, { env = {}, ...more }: Record<string, unknown>, isSent) => {
    await stage.run([reply('Done.')], { ...options, ...more, env: { ...stage.env, ...(env as object) } });
    expect(sent(0).includes(SHOUT)).toBe(isSent);
  });
});
