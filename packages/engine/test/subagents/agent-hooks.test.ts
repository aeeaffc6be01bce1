/** Hooks in an agent's file: a guard of its author runs in it, and nowhere else. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import type { Options, SDKMessage } from '../../src/index.ts';
import { refuseWithoutTools } from '../../src/subagents/select-tools.ts';
import { type SkillStage, skillStage } from '../skills/skill-folders.ts';

const command = (text: string) =>
  `      hooks:\n        - type: command\n          command: ${JSON.stringify(text)}\n`;
const guarded = (stage: SkillStage) => {
  const log = join(stage.cwd, '../log');
  return `---
name: guard
description: Use it when: asked.
tools: Bash
hooks:
  PreToolUse:
    - matcher: Bash
${command('echo NOPE >&2; exit 2')}  Stop:
    - matcher: ''
${command(`cat >> ${log}; echo >> ${log}`)}---
I guard.
`;
};

const GUARDED = [
  reply(toolUse('Agent', { description: 'x', prompt: 'Work.', subagent_type: 'guard' })),
  reply(toolUse('Bash', { command: 'echo in the agent' })),
  reply('The agent is done.'),
  reply(toolUse('Bash', { command: 'echo in the session' })),
  reply('Done.'),
];
const BYPASS: Options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true };

const resultsIn = (messages: readonly SDKMessage[]) =>
  JSON.stringify(messages.filter(({ type }) => type === 'user'));

async function ended(stage: SkillStage): Promise<readonly string[]> {
  const log = join(stage.cwd, '../log');
  if (!existsSync(log)) return [];
  const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line).hook_event_name);
}

describe('hooks of an agent', () => {
  it.each<[string, string, Options]>([
    ['of the user', 'home/agents/guard.md', {}],
    ['in a sub-folder', 'home/agents/deep/guard.md', {}],
    ['of a trusted project', 'work/.claude/agents/guard.md', { projectTrusted: true }],
  ])('%s run in it, and not in the session', async (_, path, options) => {
    const stage = await skillStage();
    await stage.write(path, guarded(stage));
    const said = resultsIn(await stage.run(GUARDED, { ...BYPASS, ...options }));
    expect(said).toContain('NOPE');
    expect(said).not.toContain('in the agent');
    expect(said).toContain('in the session');
    expect(await ended(stage)).toEqual(['SubagentStop']);
  });

  it('of a plugin run in it', async () => {
    const stage = await skillStage();
    await stage.write('tools/agents/guard.md', guarded(stage));
    const replies = [
      reply(toolUse('Agent', { description: 'x', prompt: 'Work.', subagent_type: 'tools:guard' })),
      ...GUARDED.slice(1),
    ];
    const said = resultsIn(
      await stage.run(replies, { ...BYPASS, plugins: [{ type: 'local', path: '../tools' }] }),
    );
    expect(said).toContain('NOPE');
    expect(said).toContain('in the session');
  });

  it('of the main thread are those of the session', async () => {
    const stage = await skillStage();
    await stage.write('home/agents/guard.md', guarded(stage));
    const replies = [reply(toolUse('Bash', { command: 'echo in the session' })), reply('Done.')];
    const said = resultsIn(await stage.run(replies, { ...BYPASS, agent: 'guard' }));
    expect(said).toContain('NOPE');
    expect(said).not.toContain('"in the session');
    expect(await ended(stage)).toEqual(['Stop']);
  });

  it('of a project that is not trusted do not run, which is said', async () => {
    const stage = await skillStage();
    const path = await stage.write('work/.claude/agents/guard.md', guarded(stage));
    const lines: string[] = [];
    const said = resultsIn(
      await stage.run(GUARDED, { ...BYPASS, projectTrusted: false, stderr: (line) => lines.push(line) }),
    );
    expect(said).not.toContain('NOPE');
    expect(lines).toContain(`${path}: "hooks" was passed over, as the project is not trusted.`);
  });

  it.each([
    'PreToolUse: text',
    'PreToolUse:\n    - hooks:\n        - type: command',
    'PreToolUse:\n    - matcher: "("\n      hooks: [{ type: command, command: "true" }]',
    'Nothing: []',
  ])('that cannot be read are named, and the agent works: %j', async (hooks) => {
    const stage = await skillStage();
    const path = await stage.write(
      'home/agents/guard.md',
      `---\nname: guard\ndescription: G.\nhooks:\n  ${hooks}\n---\nI guard.`,
    );
    const lines: string[] = [];
    await stage.run(GUARDED, { ...BYPASS, stderr: (line) => lines.push(line) });
    expect(lines.filter((line) => line.includes(path))).toHaveLength(1);
  });

  it('are off where hooks are switched off', async () => {
    const stage = await skillStage();
    await stage.write('home/agents/guard.md', guarded(stage));
    await stage.write('home/settings.json', '{"disableAllHooks":true}');
    expect(resultsIn(await stage.run(GUARDED, BYPASS))).toContain('in the agent');
  });
});

describe('an agent whose list names no tool that there is', () => {
  it.each(['All tools', 'MultiEdit, LS'])('%s is refused, with the reason', async (tools) => {
    const stage = await skillStage();
    const path = await stage.write(
      'home/agents/odd.md',
      `---\nname: odd\ndescription: O.\ntools: ${tools}\n---\nI work.`,
    );
    const call = toolUse('Agent', { description: 'x', prompt: 'Work.', subagent_type: 'odd' });
    const said = resultsIn(await stage.run([reply(call), reply('Done.')], BYPASS));
    expect(said).toContain(
      `would have no tools: its list names ${tools.split(/[ ,]+/).join(', ')}, and none of them is there.`,
    );
    expect(said).toContain(path);
    await expect(stage.run([], { ...BYPASS, agent: 'odd' })).rejects.toThrow('would have no tools');
  });

  it.each([
    [{ tools: [] }],
    [{ tools: ['mcp__later__x'] }],
    [{ tools: ['Nope'], mcpServers: ['later'] }],
    [{ tools: ['*'] }],
    [{ tools: ['Nope', 'Read(src/**)'] }],
    [{}],
  ])('%j may begin', (selection) => {
    refuseWithoutTools({ name: 'a', ...selection }, (tool) => tool === 'Read');
  });
});
