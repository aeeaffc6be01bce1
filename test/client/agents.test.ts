import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { is, throughBothDoors, toolResults } from './doors.ts';

const AGENTS = { digger: { description: 'Digs.', prompt: 'You dig.', tools: ['Bash'] } };
const dig = (input: Readonly<Record<string, unknown>> = {}) =>
  toolUse('Agent', { description: 'dig it', prompt: 'Dig for gold.', subagent_type: 'digger', ...input });
const SHELL = { allowedTools: ['Bash(echo:*)'] };

throughBothDoors('agents', (stage) => {
  it('an agent of the options works and reports; its messages say whose they are', async () => {
    const { messages, result } = await stage.run(
      [
        reply(dig()),
        reply(toolUse('Bash', { command: 'echo shovel' })),
        reply('Gold.'),
        reply('Found gold.'),
      ],
      { ...SHELL, agents: AGENTS },
    );
    const nested = messages.filter(
      (message) => 'parent_tool_use_id' in message && message.parent_tool_use_id !== null,
    );
    expect(nested.map(({ type }) => type)).toEqual(['user', 'assistant', 'user']);
    for (const message of nested)
      expect(message).toMatchObject({ subagent_type: 'digger', task_description: 'dig it' });
    const report = messages.findLast(is('user'));
    expect(report).toMatchObject({
      tool_use_result: {
        status: 'completed',
        totalToolUseCount: 1,
        usage: { server_tool_use: { web_search_requests: 0 }, service_tier: 'standard', iterations: [] },
      },
    });
    expect(toolResults(messages).at(-1)?.text).toContain('Gold.');
    expect(result).toMatchObject({
      subtype: 'success',
      result: 'Found gold.',
      num_turns: 2,
      subagent_stats: { spawned: 1, requested: { unset: 1 }, completed: 1, by_type: { digger: 1 } },
    });
    const [, asked] = stage.asked();
    expect(JSON.stringify(asked?.['system'])).toContain('You dig.');
    expect(asked?.['tools']).toMatchObject([{ name: 'Bash' }]);
  });

  it('its task is announced behind its call, and its end before the result of the call', async () => {
    const { messages } = await stage.run([reply(dig()), reply('Gold.'), reply('Found gold.')], {
      agents: AGENTS,
    });
    const words = messages.flatMap((message) =>
      message.type === 'system' && message.subtype.startsWith('task_')
        ? [message.subtype]
        : message.type === 'assistant' || message.type === 'user'
          ? [message.parent_tool_use_id === null ? message.type : `agent's ${message.type}`]
          : [],
    );
    expect(words).toEqual([
      ...['assistant', 'task_started', "agent's user"],
      ...['task_updated', 'task_notification', 'user', 'assistant'],
    ]);
    const about = (subtype: string) =>
      messages.find((message) => message.type === 'system' && message.subtype === subtype);
    const started = about('task_started');
    expect(started).toMatchObject({ run_id: expect.any(String), is_backgrounded: false });
    const run_id = started !== undefined && 'run_id' in started ? started.run_id : undefined;
    expect(about('task_notification')).toMatchObject({ run_id, status: 'completed', summary: 'Gold.' });
  });

  it('forwardSubagentText shows its words too, and what its task announces comes behind them', async () => {
    const { messages } = await stage.run(
      [
        reply(dig()),
        reply(['I dig.', toolUse('Bash', { command: 'echo shovel' })]),
        reply('Gold.'),
        reply('Done.'),
      ],
      { ...SHELL, agents: AGENTS, forwardSubagentText: true },
    );
    const said = messages.filter(is('assistant')).map((message) => JSON.stringify(message));
    expect(said.some((text) => text.includes('"Gold."') && text.includes('"subagent_type":"digger"'))).toBe(
      true,
    );
    const words = messages.flatMap((message) => {
      if (message.type === 'system' && message.subtype.startsWith('task_')) return [message.subtype];
      if (message.type !== 'assistant' || message.parent_tool_use_id === null) return [];
      return message.message.content.map((block) => (block.type === 'text' ? block.text : block.type));
    });
    expect(words).toEqual([
      ...['task_started', 'I dig.', 'task_progress', 'tool_use'],
      ...['Gold.', 'task_updated', 'task_notification'],
    ]);
  });

  it('files of the project are agents, and the main thread can be one', async () => {
    const folder = join(stage.cwd, '.claude', 'agents');
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, 'poet.md'),
      '---\nname: poet\ndescription: Writes verse.\ntools: Read\n---\nYou speak in verse.\n',
    );
    const { messages } = await stage.run([reply('A verse.')], { settingSources: ['project'], agent: 'poet' });
    expect(messages.find(is('system', 'init'))).toMatchObject({
      agents: expect.arrayContaining(['general-purpose', 'Explore', 'poet']),
      tools: ['Read'],
    });
    expect(JSON.stringify(stage.asked()[0]?.['system'])).toContain('You speak in verse.');
  });

  it('the host is asked about a call of an agent, with the id of the agent', async () => {
    const asked: unknown[] = [];
    const { messages } = await stage.run(
      [reply(dig()), reply(toolUse('Bash', { command: 'rm -r gold' })), reply('No.'), reply('Done.')],
      {
        agents: AGENTS,
        canUseTool: async (_name: string, _input: unknown, { agentID }: { agentID?: string }) => {
          asked.push(agentID);
          return { behavior: 'deny', message: 'not that' };
        },
      },
    );
    expect(asked).toEqual([expect.stringMatching(/^a[0-9a-f]+$/)]);
    expect(toolResults(messages)[0]).toMatchObject({ text: '"not that"', is_error: true });
  });

  it('skills and memory of the agent that the main thread is', async () => {
    const write = async (path: string, text: string) => {
      await mkdir(dirname(join(stage.cwd, path)), { recursive: true });
      await writeFile(join(stage.cwd, path), text);
    };
    await write(
      '.claude/skills/paint/SKILL.md',
      '---\nname: paint\ndescription: Painting.\n---\nTwo coats of paint.',
    );
    await write('.claude/agent-memory/digger/MEMORY.md', 'The mine is closed on Sundays.');
    const notes = join(stage.cwd, '.claude/agent-memory/digger/gold.md');
    const stray = join(stage.cwd, 'stray.md');
    const writes = (path: string) => toolUse('Write', { file_path: path, content: 'Gold is heavy.' });
    const digger = { ...AGENTS.digger, skills: ['paint', 'roof'], memory: 'project' };
    const { messages, result } = await stage.run(
      [reply(writes(notes)), reply(writes(stray)), reply('Done.')],
      { agent: 'digger', agents: { digger }, settingSources: ['project'] },
      'Dig.',
    );
    expect(await readFile(notes, 'utf8')).toBe('Gold is heavy.');
    expect(existsSync(stray)).toBe(false);
    expect(messages.filter(is('system', 'permission_denied'))).toHaveLength(1);
    const [asked] = stage.asked();
    expect(JSON.stringify(asked?.['system'])).toContain('The mine is closed on Sundays.');
    const sent = JSON.stringify(asked?.['messages']);
    expect(sent).toContain('Two coats of paint.');
    expect(sent).toContain('There is no skill \\"roof\\".');
    expect(sent.indexOf('Two coats of paint.')).toBeLessThan(sent.indexOf('Dig.'));
    // They are in the conversation, once: it goes on with them.
    await stage.run(
      [reply('Done.')],
      { agent: 'digger', agents: { digger }, settingSources: ['project'], resume: result?.session_id },
      'On.',
    );
    expect(JSON.stringify(stage.asked().at(-1)?.['messages']).split('Two coats of paint.')).toHaveLength(2);
  });
});
