import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { reply, toolUse } from '../../src/rehearsal/index.ts';
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
    expect(report).toMatchObject({ tool_use_result: { status: 'completed', totalToolUseCount: 1 } });
    expect(toolResults(messages).at(-1)?.text).toContain('Gold.');
    expect(result).toMatchObject({ subtype: 'success', result: 'Found gold.', num_turns: 2 });
    const [, asked] = stage.asked();
    expect(JSON.stringify(asked?.['system'])).toContain('You dig.');
    expect(asked?.['tools']).toMatchObject([{ name: 'Bash' }]);
  });

  it('forwardSubagentText shows its words too', async () => {
    const { messages } = await stage.run([reply(dig()), reply('Gold.'), reply('Done.')], {
      agents: AGENTS,
      forwardSubagentText: true,
    });
    const said = messages.filter(is('assistant')).map((message) => JSON.stringify(message));
    expect(said.some((text) => text.includes('"Gold."') && text.includes('"subagent_type":"digger"'))).toBe(
      true,
    );
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

  it('the host is asked about a call of an agent, and told whose it is', async () => {
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
});
