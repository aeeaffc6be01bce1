/** A session that a living process works on: others are told, and one that insists takes it. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { outline } from '../scenarios/outline.ts';
import { gather, is, openPrompt, prompt, prompts, throughBothDoors } from './doors.ts';
import { isA, isResult, STREAM, startProcess } from './host-process.ts';

const bypass = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

throughBothDoors('a session in use', (stage) => {
  const hold = async () => {
    stage.play(
      reply(toolUse('Bash', { command: 'until [ -e go ]; do sleep 0.02; done' })),
      reply('Mine.', { times: 'any' }),
    );
    const host = startProcess({
      args: [...STREAM, '--setting-sources=', '--dangerously-skip-permissions'],
      cwd: stage.cwd,
      env: { ...stage.env, CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' },
    });
    host.prompt('Go.');
    await host.until(isA('assistant'));
    return { host, sessionId: String(host.lines.find(isA('system', 'init'))?.['session_id']) };
  };

  it('resume is refused in a result, before any request, and the owner goes on undisturbed', async () => {
    const { host, sessionId } = await hold();
    const { messages, result, error } = await gather(
      stage.start('Me too.', { resume: sessionId, ...bypass }),
    );
    expect(outline(messages)).toEqual(['result:error_during_execution']);
    expect(result).toMatchObject({
      is_error: true,
      num_turns: 0,
      stop_reason: null,
      errors: [expect.stringMatching(/in use|works on|process/)],
    });
    expect(error).toBeInstanceOf(Error);
    expect(stage.asked()).toHaveLength(1);
    writeFileSync(join(stage.cwd, 'go'), '');
    expect(await host.until(isResult)).toMatchObject({ subtype: 'success', result: 'Mine.' });
    host.end();
    expect((await host.exit).code).toBe(0);
    // Once it is free it can be resumed, and what was refused has left no trace.
    const after = await gather(stage.start('And now?', { resume: sessionId, ...bypass }));
    expect(after.result).toMatchObject({ subtype: 'success', session_id: sessionId });
    expect(JSON.stringify(stage.asked().at(-1)?.['messages'])).not.toContain('Me too.');
  });

  it('--take-over takes the session: the other process ends without a result, and its call is not run again', async () => {
    const { host, sessionId } = await hold();
    const taker = startProcess({
      args: [
        ...STREAM,
        '--setting-sources=',
        '--resume',
        sessionId,
        '--take-over',
        '--dangerously-skip-permissions',
      ],
      cwd: stage.cwd,
      env: { ...stage.env, CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' },
    });
    taker.prompt('Go on.');
    expect(await taker.until(isResult)).toMatchObject({ subtype: 'success', result: 'Mine.' });
    taker.end();
    expect((await taker.exit).code).toBe(0);
    expect(JSON.stringify(stage.asked().at(-1)?.['messages'])).toContain('outcome');
    writeFileSync(join(stage.cwd, 'go'), '');
    host.end();
    await host.exit;
    expect(host.lines.filter(isResult)).toEqual([]);
    expect(stage.asked()).toHaveLength(2);
    expect(readdirSync(stage.cwd)).toEqual(['go']);
  });
});

throughBothDoors('prompts as they are', (stage) => {
  it('client_composed: no command, no files', async () => {
    writeFileSync(join(stage.cwd, 'a.txt'), 'larch');
    stage.play(reply('1'), reply('2'));
    const input = prompts();
    input.push(prompt('/cost @a.txt', { client_composed: true }));
    input.push(prompt('And @a.txt?'));
    input.end();
    const { messages } = await gather(stage.start(input));
    expect(
      messages.some((message) => message.type === 'assistant' && message.message.model === '<synthetic>'),
    ).toBe(false);
    const [first, second] = stage.asked().map((body) => JSON.stringify(body['messages']));
    expect(first).toContain('/cost @a.txt');
    expect(first).not.toContain('larch');
    expect(second).toContain('larch');
  });
});

throughBothDoors('commands that come', (stage) => {
  it('the prompts of an MCP server: commands_changed has the whole list, and so has supportedCommands()', async () => {
    stage.play(reply('1'), reply('2'));
    const { TOOLBOX } = await import('../mcp/servers-under-test.ts');
    const input = openPrompt('Go.');
    const running = stage.start(input, {
      mcpServers: { box: { command: process.execPath, args: [TOOLBOX] } },
    });
    let listed: readonly { readonly name: string }[] = [];
    const { messages } = await gather(running, (message) => {
      if (message.type !== 'result') return;
      void running.supportedCommands().then((commands) => {
        listed = commands;
        input.end();
      });
    });
    const changed = messages.filter(is('system', 'commands_changed'));
    expect(changed).toHaveLength(1);
    const { commands } = changed[0] as unknown as { commands: readonly { readonly name: string }[] };
    const names = commands.map(({ name }) => name);
    expect(names).toContain('compact');
    expect(names.filter((name) => name.startsWith('mcp__box__')).length).toBeGreaterThan(0);
    expect(commands[0]).toMatchObject({
      name: expect.any(String),
      description: expect.any(String),
      argumentHint: '',
    });
    expect(listed.map(({ name }) => name)).toEqual(names);
  });
});
