/**
 * Programs keep the version of the client that they were written with: this one passes other flags than the one that the
 * other files here drive, and knows fewer messages and requests.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import * as older from 'older-agent-sdk';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { gather, is, openPrompt, prompt, publishedDoor, throughDoors, toolResults } from './doors.ts';

type Input = Readonly<Record<string, unknown>>;

const touch = (name: string) => toolUse('Bash', { command: `touch ${name}` });

throughDoors([publishedDoor('0.2', older as never)], 'an older published client', (stage) => {
  const made = (name: string) => existsSync(join(stage.cwd, name));

  it('text: init first, the result last, with cost and usage', async () => {
    const { messages, result, error } = await stage.run([reply('Larch.')]);
    expect(error).toBeUndefined();
    expect(messages[0]).toMatchObject({ type: 'system', subtype: 'init', cwd: stage.cwd });
    expect(messages.at(-1)).toBe(result);
    expect(result).toMatchObject({
      subtype: 'success',
      is_error: false,
      num_turns: 1,
      result: 'Larch.',
      total_cost_usd: expect.any(Number),
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
      permission_denials: [],
    });
  });

  it('canUseTool: what is allowed runs, and a denial is what the model reads', async () => {
    const asked: unknown[] = [];
    const { messages, result } = await stage.run([reply(touch('yes')), reply(touch('no')), reply('Done.')], {
      canUseTool: async (name: string, input: Input, { suggestions }: Input) => {
        asked.push([name, input['command'], Array.isArray(suggestions)]);
        return input['command'] === 'touch yes'
          ? { behavior: 'allow', updatedInput: input }
          : { behavior: 'deny', message: 'Not that one.' };
      },
    });
    expect(asked).toEqual([
      ['Bash', 'touch yes', true],
      ['Bash', 'touch no', true],
    ]);
    expect([made('yes'), made('no')]).toEqual([true, false]);
    expect(toolResults(messages)[1]).toEqual({ text: '"Not that one."', is_error: true });
    expect(result?.permission_denials).toMatchObject([{ tool_name: 'Bash' }]);
  });

  it('hooks: a callback denies a call, another hears of the end', async () => {
    const heard: unknown[] = [];
    const deny = async ({ tool_input }: Input) => {
      heard.push(tool_input);
      return {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'Not today.',
        },
      };
    };
    const stop = async ({ hook_event_name }: Input) => {
      heard.push(hook_event_name);
      return {};
    };
    const { messages } = await stage.run([reply(touch('a')), reply('Well.')], {
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [deny] }], Stop: [{ hooks: [stop] }] },
    });
    expect(heard).toEqual([{ command: 'touch a' }, 'Stop']);
    expect(toolResults(messages)[0]?.text).toContain('Not today.');
    expect(made('a')).toBe(false);
  });

  it('a server in its process: the tool is listed, called, and its input is what its shape says', async () => {
    const add = stage.door.tool('add', 'Adds.', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
      content: [{ type: 'text', text: `sum ${a + b}` }],
    }));
    const { messages, result } = await stage.run(
      [reply(toolUse('mcp__calc__add', { a: 1, b: 2 })), reply('Three.')],
      {
        mcpServers: { calc: stage.door.createSdkMcpServer({ name: 'calc', tools: [add] }) },
        allowedTools: ['mcp__calc__add'],
      },
    );
    expect(messages.find(is('system', 'init'))).toMatchObject({
      mcp_servers: [{ name: 'calc', status: 'connected' }],
      tools: expect.arrayContaining(['mcp__calc__add']),
    });
    expect(toolResults(messages)[0]?.text).toContain('sum 3');
    expect(result).toMatchObject({ result: 'Three.' });
  });

  it('an interrupt ends the turn, and the next prompt has its own', async () => {
    stage.play(
      reply('Second.', { when: { lastMessage: 'Two.' } }),
      reply('x'.repeat(4_000), { timing: { gapMs: 200 } }),
    );
    const input = openPrompt('One.');
    const running = stage.start(input);
    const results: unknown[] = [];
    await gather(running, (message) => {
      if (is('system', 'init')(message) && results.length === 0) void running.interrupt();
      if (message.type !== 'result') return;
      results.push(message);
      if (results.length === 1) input.push(prompt('Two.'));
      else input.end();
    });
    expect(results).toMatchObject([
      { subtype: 'error_during_execution' },
      { subtype: 'success', result: 'Second.' },
    ]);
  });

  it('model, mode, commands and servers are reported and can be changed', async () => {
    stage.play(reply('One.'), reply('Two.'));
    const input = openPrompt('One.');
    const running = stage.start(input);
    const [commands, models] = await Promise.all([running.supportedCommands(), running.supportedModels()]);
    expect(commands.length).toBeGreaterThan(0);
    expect(models.length).toBeGreaterThan(0);
    expect(await running.mcpServerStatus()).toEqual([]);
    let turns = 0;
    const { messages } = await gather(running, async (message) => {
      if (message.type !== 'result') return;
      turns += 1;
      if (turns === 2) return input.end();
      await running.setPermissionMode('acceptEdits');
      await running.setModel('haiku');
      input.push(prompt('Two.'));
    });
    expect(messages.filter(is('system', 'init')).at(-1)).toMatchObject({ permissionMode: 'acceptEdits' });
    expect(String(stage.asked().at(-1)?.['model'])).toContain('haiku');
  });

  it('a session is resumed by its id', async () => {
    const { result } = await stage.run([reply('One.')]);
    const again = await stage.run([reply('Two.')], { resume: result?.session_id }, 'More.');
    expect(again.result).toMatchObject({ result: 'Two.', session_id: result?.session_id });
    expect(JSON.stringify(stage.asked().at(-1)?.['messages'])).toContain('Go.');
  });

  it('an error of the API: a result that says so', async () => {
    stage.play(reply('', { faults: [{ name: 'http-status', status: 401 }] }));
    const { result } = await gather(stage.start('Go.'));
    expect(result).toMatchObject({ is_error: true, result: expect.stringContaining('Invalid API key') });
  });
});
