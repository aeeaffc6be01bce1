import { writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { type CaseOptions, gather, is, openPrompt, prompt, throughBothDoors, toolResults } from './doors.ts';

const TOOLBOX = fileURLToPath(new URL('../mcp/servers/toolbox.mjs', import.meta.url));

throughBothDoors('controls', (stage) => {
  /** Runs one open prompt; `on` may use the controls. Ends the input with the first result. */
  const session = (options: CaseOptions = {}) => {
    const input = openPrompt('Go.');
    return { input, running: stage.start(input, options) };
  };

  it('interrupt in the stream: a receipt, an aborted answer, and the session goes on', async () => {
    stage.play(
      reply(['First.', 'x'.repeat(5_000)], { timing: { blockPauseMs: 50, gapMs: 200 } }),
      reply('Going on.'),
    );
    const { input, running } = session();
    let receipt: unknown;
    let count = 0;
    const { messages, results } = await gather(running, (message) => {
      if (message.type === 'assistant' && receipt === undefined) {
        receipt = 'asked';
        void running.interrupt().then((answer) => {
          receipt = answer;
        });
      }
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) input.push(prompt('Go on.'));
      else input.end();
    });
    expect(receipt).toMatchObject({ still_queued: [] });
    expect(results).toMatchObject([
      { subtype: 'error_during_execution', terminal_reason: 'aborted_streaming', is_error: true },
      { subtype: 'success', result: 'Going on.' },
    ]);
    expect(JSON.stringify(messages)).toContain('[Request interrupted by user]');
  });

  it('interrupt in tools: the call is answered and the turn ends as aborted_tools', async () => {
    stage.play(reply(toolUse('Bash', { command: 'sleep 20 && echo late' })));
    const { input, running } = session({
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    const { messages, result } = await gather(running, (message) => {
      if (message.type === 'assistant') setTimeout(() => void running.interrupt(), 100);
      if (message.type === 'result') input.end();
    });
    expect(result).toMatchObject({ subtype: 'error_during_execution', terminal_reason: 'aborted_tools' });
    expect(toolResults(messages)).toMatchObject([{ is_error: true }]);
    expect(JSON.stringify(messages)).toContain('[Request interrupted by user for tool use]');
  });

  it('aborting the controller throws AbortError, without a result', async () => {
    stage.play(reply('x'.repeat(2_000), { timing: { gapMs: 500 } }));
    const abortController = new AbortController();
    const { results, error } = await gather(stage.start('Go.', { abortController }), (message) => {
      if (message.type === 'system') abortController.abort();
    });
    expect(results).toEqual([]);
    expect(error).toBeInstanceOf(stage.door.AbortError);
  });

  it('close() ends silently', async () => {
    stage.play(reply('x'.repeat(2_000), { timing: { gapMs: 500 } }));
    const { running } = session();
    const { results, error } = await gather(running, (message) => {
      if (message.type === 'system') void running.close();
    });
    expect(results).toEqual([]);
    expect(error).toBeUndefined();
  });

  it('leaving the loop early ends the session', async () => {
    stage.play(reply('x'.repeat(2_000), { timing: { gapMs: 500 } }));
    const { running } = session();
    for await (const message of running) if (message.type === 'system') break;
    expect(await running.next()).toMatchObject({ done: true });
  });

  it('setModel holds from the next request of the running turn on; a replayed message tells of it', async () => {
    stage.play(
      reply(toolUse('Bash', { command: 'until [ -e go ]; do sleep 0.02; done' })),
      reply('1'),
      reply('2'),
    );
    const { input, running } = session({
      model: 'sonnet',
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    let count = 0;
    const { messages } = await gather(running, (message) => {
      if (message.type === 'assistant' && message.message.content[0]?.type === 'tool_use')
        void running.setModel('haiku').then(() => writeFileSync(join(stage.cwd, 'go'), ''));
      if (message.type !== 'result') return;
      count += 1;
      if (count === 2) return input.end();
      void running.setModel().then(() => input.push(prompt('Again.')));
    });
    expect(stage.asked().map(({ model }) => model)).toEqual([
      'claude-sonnet-5-5',
      'claude-haiku-5-5',
      'claude-opus-5-5',
    ]);
    const told = messages.flatMap((message) =>
      message.type === 'user' && 'isReplay' in message && message.isReplay ? [message.message.content] : [],
    );
    expect(told).toEqual([
      '<local-command-stdout>Set model to `haiku (claude-haiku-5-5)`</local-command-stdout>',
      '<local-command-stdout>Set model to `claude-opus-5-5`</local-command-stdout>',
    ]);
  });

  it('applyFlagSettings switches the model too, above the one of the options; null: the default', async () => {
    stage.play(reply('1'), reply('2'), reply('3'));
    const { input, running } = session({ model: 'sonnet' });
    const next = [{ model: 'haiku' }, { model: null }];
    await gather(running, (message) => {
      if (message.type !== 'result') return;
      const settings = next.shift();
      if (settings === undefined) return input.end();
      const switching = running as unknown as { applyFlagSettings(settings: object): Promise<void> };
      void switching.applyFlagSettings(settings).then(() => input.push(prompt('Again.')));
    });
    expect(stage.asked().map(({ model }) => model)).toEqual([
      'claude-sonnet-5-5',
      'claude-haiku-5-5',
      'claude-opus-5-5',
    ]);
  });

  it('setModel between two turns; an alias is taken', async () => {
    stage.play(reply('1'), reply('2'));
    const { input, running } = session({ model: 'opus' });
    let count = 0;
    await gather(running, (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 2) return input.end();
      void running.setModel('haiku').then(() => input.push(prompt('Again.')));
    });
    expect(stage.asked().map(({ model }) => model)).toEqual(['claude-opus-5-5', 'claude-haiku-5-5']);
  });

  it('setPermissionMode emits a status message and takes effect', async () => {
    stage.play(reply('1'), reply(toolUse('Bash', { command: 'touch x' })), reply('2'));
    const { input, running } = session();
    let count = 0;
    const { messages, result } = await gather(running, (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 2) return input.end();
      void running.setPermissionMode('dontAsk').then(() => input.push(prompt('Again.')));
    });
    expect(messages.find(is('system', 'status'))).toMatchObject({ status: null, permissionMode: 'dontAsk' });
    expect(messages.findLast(is('system', 'init'))).toMatchObject({ permissionMode: 'dontAsk' });
    expect(result?.permission_denials).toHaveLength(1);
  });

  it('a mode that was not enabled is refused, and the session lives on', async () => {
    stage.play(reply('1'));
    const { input, running } = session();
    const refusal = running.setPermissionMode('bypassPermissions').catch((error: Error) => error);
    const { result } = await gather(running, (message) => message.type === 'result' && input.end());
    expect(await refusal).toBeInstanceOf(Error);
    expect(result).toMatchObject({ subtype: 'success', result: '1' });
  });

  it('setMaxThinkingTokens(0) switches thinking off', async () => {
    stage.play(reply('1'), reply('2'));
    // Newer ones think on every request.
    const { input, running } = session({ model: 'claude-sonnet-5' });
    let count = 0;
    await gather(running, (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 2) return input.end();
      void running.setMaxThinkingTokens(0).then(() => input.push(prompt('Again.')));
    });
    expect(stage.asked().map((body) => (body['thinking'] as { type: string }).type)).toEqual([
      'adaptive',
      'disabled',
    ]);
  });

  it('commands, models, agents and account are known before the first answer', async () => {
    stage.play(reply('Hi.'));
    const { input, running } = session({
      agents: { reviewer: { description: 'Reviews.', prompt: 'Review.' } },
    });
    const facts = Promise.all([
      running.supportedCommands(),
      running.supportedModels(),
      running.supportedAgents(),
      running.accountInfo(),
      running.initializationResult(),
    ]);
    await gather(running, (message) => message.type === 'result' && input.end());
    const [commands, models, agents, account, initialization] = await facts;
    expect(commands.map(({ name }) => name)).toContain('compact');
    expect(models.map(({ value }) => value)).toEqual(expect.arrayContaining(['default', 'opus', 'haiku']));
    expect(agents).toContainEqual(expect.objectContaining({ name: 'reviewer', description: 'Reviews.' }));
    expect(account).toMatchObject({ apiKeySource: 'ANTHROPIC_API_KEY', apiProvider: 'firstParty' });
    expect(initialization).toMatchObject({ output_style: 'default', models: expect.any(Array) });
  });

  it('getContextUsage says what fills the context', async () => {
    stage.play(reply('Hi.'));
    const { input, running } = session();
    let usage: unknown;
    await gather(running, (message) => {
      if (message.type !== 'result') return;
      void running.getContextUsage().then((answer) => {
        usage = answer;
        input.end();
      });
    });
    expect(usage).toMatchObject({
      model: 'claude-opus-5-5',
      rawMaxTokens: 1_000_000,
      totalTokens: expect.any(Number),
      categories: expect.arrayContaining([expect.objectContaining({ kind: 'free' })]),
    });
  });

  it('getContextUsage: agents, skills, memory files and tools of servers have their rows', async () => {
    const write = async (path: string, text: string) => {
      await mkdir(dirname(join(stage.cwd, path)), { recursive: true });
      await writeFile(join(stage.cwd, path), text);
      return join(stage.cwd, path);
    };
    const long = 'a word and another '.repeat(20);
    const claude = await write('CLAUDE.md', long);
    const head = (name: string) => `---\nname: ${name}\ndescription: ${long}\n---\nBody.`;
    const mason = await write('.claude/agents/mason.md', head('mason'));
    const paint = await write('.claude/skills/paint/SKILL.md', head('paint'));
    const nested = await write('app/CLAUDE.md', long);
    const touched = await write('app/a.ts', 'export {};');
    stage.play(reply(toolUse('Read', { file_path: touched })), reply('Hi.'));
    const toolbox = { type: 'stdio', command: process.execPath, args: [TOOLBOX] };
    const { input, running } = session({
      settingSources: ['project'],
      agents: { digger: { description: long, prompt: 'Dig.' } },
      mcpServers: { box: toolbox },
      env: { ...stage.env, ENABLE_TOOL_SEARCH: 'false' },
    });
    let usage: unknown;
    await gather(running, (message) => {
      if (message.type !== 'result') return;
      void running.getContextUsage().then((answer) => {
        usage = answer;
        input.end();
      });
    });
    const tokens = expect.any(Number);
    const row = (id: string) => expect.objectContaining({ id, tokens, kind: 'used' });
    expect(usage).toMatchObject({
      categories: expect.arrayContaining(
        ['system_tools', 'mcp_tools', 'custom_agents', 'memory_files', 'skills', 'messages'].map(row),
      ),
      memoryFiles: [claude, nested].map((path) => ({ path, type: 'Project', tokens })),
      agents: [
        { agentType: 'mason', source: 'projectSettings', path: mason, tokens },
        { agentType: 'digger', source: 'flagSettings', tokens },
      ],
      skills: {
        totalSkills: 1,
        includedSkills: 1,
        skillFrontmatter: [{ name: 'paint', source: 'projectSettings', path: paint, tokens }],
      },
      mcpTools: expect.arrayContaining([expect.objectContaining({ serverName: 'box', isLoaded: true })]),
      slashCommands: { totalCommands: tokens, includedCommands: 0, tokens: 0 },
      messageBreakdown: { redirectedContextTokens: 0, unattributedTokens: 0 },
    });
    const { agents, categories, totalTokens } = usage as {
      readonly agents: readonly { readonly tokens: number }[];
      readonly categories: readonly { readonly kind: string; readonly tokens: number }[];
      readonly totalTokens: number;
    };
    for (const agent of agents) expect(agent.tokens).toBeGreaterThan(50);
    const used = categories.filter(({ kind }) => kind === 'used').reduce((sum, each) => sum + each.tokens, 0);
    expect(Math.abs(used - totalTokens)).toBeLessThan(20);
  });

  it('a prompt that comes while tools run joins the turn: one result', async () => {
    stage.play(reply(toolUse('Bash', { command: 'sleep 0.5; echo hi' })), reply('Both.'));
    const { input, running } = session({
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    const { results } = await gather(running, (message) => {
      if (message.type === 'assistant' && message.message.content[0]?.type === 'tool_use')
        input.push(prompt('Mind the larch.'));
      if (message.type === 'result') input.end();
    });
    expect(results).toHaveLength(1);
    expect(JSON.stringify(stage.asked()[1]?.['messages'])).toContain('Mind the larch.');
  });

  it('streamInput brings more prompts', async () => {
    stage.play(reply('1'), reply('2'));
    const { input, running } = session();
    let count = 0;
    const more = (async function* () {
      yield prompt('b', { priority: 'later' });
    })();
    const { results } = await gather(running, (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) void running.streamInput(more);
      else input.end();
    });
    expect(results).toHaveLength(2);
  });

  it('/compact is a command of every session, also as a block of text', async () => {
    stage.play(reply('1'), reply('2'), reply('<summary>They counted.</summary>', { when: { kind: 'any' } }));
    const input = openPrompt('One.');
    let count = 0;
    const { messages, results } = await gather(stage.start(input), (message) => {
      if (message.type !== 'result') return;
      count += 1;
      if (count === 1) input.push(prompt('Two.'));
      else if (count === 2) {
        const content = [{ type: 'text' as const, text: '/compact' }];
        input.push({ ...prompt(''), message: { role: 'user', content } });
      } else input.end();
    });
    expect(results).toHaveLength(3);
    expect(results[2]).toMatchObject({
      subtype: 'success',
      num_turns: 0,
      stop_reason: null,
      is_error: false,
    });
    expect(results[2]).not.toHaveProperty('terminal_reason');
    expect(messages.some(is('system', 'compact_boundary'))).toBe(true);
  });
});
