import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TOOLBOX } from '@turnwright/test/mcp/servers-under-test.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import type { SDKMessage } from '../../src/index.ts';
import { skill, skillStage } from '../skills/skill-folders.ts';

const worker = (more: object = {}) => ({
  agents: { worker: { description: 'Works.', prompt: 'You work.', ...more } },
});
const start = reply(
  toolUse('Agent', { description: 'dig', prompt: 'Dig for gold.', subagent_type: 'worker' }),
);

/** The last result of a call of the main agent. */
function report(messages: readonly SDKMessage[]): string {
  const last = messages.findLast((message) => message.type === 'user' && message.parent_tool_use_id === null);
  return JSON.stringify(last);
}

it('an agent receives the list of skills, and begins with those that its definition names', async () => {
  const stage = await skillStage();
  await stage.write('home/skills/paint/SKILL.md', skill('paint', 'Painting.', 'Two coats.'));
  await stage.write('home/skills/roof/SKILL.md', skill('roof', 'Roofs.', 'Slates.'));
  const lines: string[] = [];
  await stage.run([start, reply('Gold.'), reply('Done.')], {
    ...worker({ skills: ['paint', 'gone'], tools: ['Read'] }),
    stderr: (line) => lines.push(line),
  });
  const sent = stage.sent(1);
  expect(sent).toContain('- roof: Roofs.');
  expect(sent).toContain('Two coats.');
  expect(sent).not.toContain('Slates.');
  expect(sent.indexOf('Two coats.')).toBeLessThan(sent.indexOf('Dig for gold.'));
  expect(sent).toContain('There is no skill \\"gone\\".');
  expect(lines.join()).toContain('There is no skill "gone".');
});

it('memory of a folder comes behind a call that touches it, for each agent anew', async () => {
  const stage = await skillStage();
  await stage.write('work/CLAUDE.md', 'Root rules.');
  await stage.write('work/lib/CLAUDE.md', 'Library rules.');
  const file = await stage.write('work/lib/a.txt', 'text\n');
  const read = reply(toolUse('Read', { file_path: file }));
  await stage.run([read, start, read, reply('Gold.'), reply('Done.')], worker());
  for (const at of [1, 3]) expect(stage.sent(at)).toContain('Library rules.');
  expect(stage.sent(2)).not.toContain('Library rules.');
  expect(stage.sent(2)).toContain('Root rules.');
  const without = await skillStage();
  await without.write('work/lib/CLAUDE.md', 'Library rules.');
  const other = await without.write('work/lib/a.txt', 'text\n');
  await without.run(
    [start, reply(toolUse('Read', { file_path: other })), reply('Gold.'), reply('Done.')],
    worker({ omitClaudeMd: true }),
  );
  expect(without.sent(2)).not.toContain('Library rules.');
});

it('memory of its own: it begins with it, and writes it without being asked, and nothing else', async () => {
  const stage = await skillStage();
  const folder = join(stage.cwd, '.claude', 'agent-memory', 'worker');
  await stage.write('work/.claude/agent-memory/worker/MEMORY.md', 'The mine is closed on Sundays.');
  const write = (path: string) => reply(toolUse('Write', { file_path: path, content: 'Gold is heavy.' }));
  const messages = await stage.run(
    [
      start,
      write(join(folder, 'gold.md')),
      write(join(stage.cwd, 'stray.md')),
      reply('Gold.'),
      reply('Done.'),
    ],
    worker({ memory: 'project', tools: ['Grep'] }),
  );
  expect(JSON.stringify(stage.server.requests[1]?.body)).toContain('closed on Sundays');
  expect(await readFile(join(folder, 'gold.md'), 'utf8')).toBe('Gold is heavy.');
  expect(existsSync(join(stage.cwd, 'stray.md'))).toBe(false);
  expect(JSON.stringify(messages)).toContain('permission_denied');
});

it('an MCP server of its own lives as long as the agent; one of the session is its by name', async () => {
  const stage = await skillStage();
  const toolbox = { command: process.execPath, args: [TOOLBOX] };
  const names: string[][] = [];
  const messages = await stage.run([start, reply('Gold.'), reply('Done.')], {
    ...worker({ tools: ['Read'], mcpServers: ['shared', { own: toolbox }, 'nowhere'] }),
    mcpServers: { shared: toolbox, other: toolbox },
  });
  for (const { path, body } of stage.server.requests)
    if (path === '/v1/messages')
      names.push(((body as { tools?: { name: string }[] }).tools ?? []).map(({ name }) => name));
  const servers = (tools: readonly string[] = []) => [
    ...new Set(tools.flatMap((name) => /^mcp__([^_]+)__/.exec(name)?.[1] ?? [])),
  ];
  expect(servers(names[1])).toEqual(['shared', 'own']);
  expect(names[1]).toContain('Read');
  // The session has ToolSearch, and is told of its tools by name.
  expect(servers(names[2])).toEqual([]);
  expect(stage.sent(2)).toContain('mcp__shared__');
  expect(stage.sent(2)).toContain('mcp__other__');
  expect(stage.sent(2)).not.toContain('mcp__own__');
  expect(stage.sent(1)).toContain('The session has no MCP server \\"nowhere\\".');
  expect(report(messages)).toContain('Gold.');
});

it('an agent with all tools has those of its own server at once: ToolSearch knows the session’s alone', async () => {
  const stage = await skillStage();
  const own = { command: process.execPath, args: [TOOLBOX] };
  await stage.run([start, reply('Gold.'), reply('Done.')], {
    ...worker({ mcpServers: [{ own }] }),
    mcpServers: { shared: own },
  });
  const { tools } = (stage.server.requests[1] as { body: unknown }).body as { tools: { name: string }[] };
  const servers = new Set(tools.flatMap(({ name }) => /^mcp__([^_]+)__/.exec(name)?.[1] ?? []));
  expect([...servers]).toEqual(['own']);
  expect(stage.sent(1)).toContain('mcp__shared__');
});

it('an agent of a project that is not trusted brings no server along', async () => {
  const stage = await skillStage();
  await stage.write(
    'work/.claude/agents/digger.md',
    `---\nname: digger\ndescription: Digs.\nmcpServers:\n  - own:\n      command: ${process.execPath}\n      args: [${TOOLBOX}]\n---\nYou dig.\n`,
  );
  const lines: string[] = [];
  await stage.run(
    [
      reply(toolUse('Agent', { description: 'dig', prompt: 'Dig.', subagent_type: 'digger' })),
      reply('Gold.'),
      reply('Done.'),
    ],
    { projectTrusted: false, stderr: (line) => lines.push(line) },
  );
  expect(lines.join()).toContain('its own MCP servers were passed over, as the project is not trusted');
  expect(JSON.stringify(stage.server.requests[1]?.body)).not.toContain('mcp__own');
});

it('background, effort, maxTurns and disallowedTools of a definition hold', async () => {
  const stage = await skillStage();
  const look = reply(toolUse('Glob', { pattern: '*.nothing' }));
  const messages = await stage.run(
    [start, look, reply('Done.')],
    worker({ effort: 'low', maxTurns: 1, disallowedTools: ['Write', 'Bash'], model: 'claude-opus-4-8' }),
  );
  const body = stage.server.requests[1]?.body as Readonly<Record<string, unknown>>;
  expect(body['output_config']).toEqual({ effort: 'low' });
  const names = (body['tools'] as { name: string }[]).map(({ name }) => name);
  expect(names).toContain('Read');
  expect(names).not.toContain('Write');
  expect(names).not.toContain('Bash');
  expect(report(messages)).toContain('max_turns');
});

it('of agents with one name the options decide, then the project, then the user; the main thread can be one', async () => {
  const stage = await skillStage();
  const file = (prompt: string) => `---\nname: worker\ndescription: Works.\ntools: Grep\n---\n${prompt}`;
  await stage.write('work/.claude/agents/worker.md', file('Of the project.'));
  await stage.write('home/agents/worker.md', file('Of the user.'));
  const system = () => {
    const last = stage.server.requests.findLast(({ path }) => path === '/v1/messages');
    return JSON.stringify((last?.body as { system?: unknown } | undefined)?.system);
  };
  const main = (more: object) => stage.run([reply('Done.')], { agent: 'worker', ...more });
  await main({});
  expect(system()).toContain('Of the project.');
  expect(stage.tools()).toEqual(['Grep']);
  await main({ settingSources: ['user'] });
  expect(system()).toContain('Of the user.');
  await main(worker());
  expect(system()).toContain('You work.');
});
