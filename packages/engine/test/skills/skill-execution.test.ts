import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../src/index.ts';
import { skill, skillStage } from './skill-folders.ts';

const load = (name: string, args?: string) => reply(toolUse('Skill', { skill: name, ...(args && { args }) }));

const lastResult = (messages: readonly SDKMessage[]) =>
  messages.findLast((message) => message.type === 'user' && message.parent_tool_use_id === null);

describe('context: fork', () => {
  const forked = (more = '') => skill('paint', 'Painting.', 'Paint $ARGUMENTS.', `context: fork\n${more}`);

  it('an agent does what the skill says, and its report is the result of the call', async () => {
    const stage = await skillStage();
    await stage.write('home/skills/paint/SKILL.md', forked('agent: Explore\nmodel: claude-haiku-4-5\n'));
    const messages = await stage.run([load('paint', 'the hall'), reply('It is white.'), reply('Done.')]);
    expect(stage.sent(1)).toContain('Paint the hall.');
    const body = stage.server.requests[1]?.body as { readonly model?: string; readonly system?: unknown };
    expect(body.model).toBe('claude-haiku-4-5');
    expect(JSON.stringify(body.system)).toContain('You explore for another agent');
    expect(lastResult(messages)).toMatchObject({
      tool_use_result: { status: 'completed', agentType: 'Explore' },
      message: { content: [{ content: expect.stringMatching(/^It is white\./) }] },
    });
    expect(stage.sent(2)).not.toContain('Paint the hall.');
  });

  it('/name has the model start it', async () => {
    const stage = await skillStage();
    await stage.write('home/skills/paint/SKILL.md', forked());
    await stage.run(
      [load('paint', 'the hall'), reply('It is white.'), reply('Done.')],
      {},
      '/paint the hall',
    );
    expect(stage.sent(0)).toContain('Call the Skill tool with the skill \\"paint\\"');
    expect(stage.sent(1)).toContain('Paint the hall.');
  });

  it('an agent that does not exist is said to; where no agent can be started, the text is loaded instead', async () => {
    const stage = await skillStage();
    await stage.write('home/skills/paint/SKILL.md', forked('agent: nobody\n'));
    await stage.run([load('paint'), reply('Done.')]);
    expect(stage.sent()).toContain('is for the agent \\"nobody\\", which this session does not have');
    const flat = await skillStage();
    await flat.write('home/skills/paint/SKILL.md', forked());
    await flat.run([load('paint', 'the hall'), reply('Done.')], { maxSubagentDepth: 0 });
    expect(flat.sent()).toContain('Paint the hall.');
  });
});

describe('paths', () => {
  it('a skill that is about some files is listed once one of them was touched', async () => {
    const stage = await skillStage();
    await stage.write(
      'work/.claude/skills/sql/SKILL.md',
      skill('sql', 'Queries.', 'Join.', 'paths: db/**\n'),
    );
    await stage.write('work/.claude/skills/all/SKILL.md', skill('all', 'Always.', 'Body.'));
    const file = await stage.write('work/db/a.sql', 'select 1\n');
    await stage.run([reply(toolUse('Read', { file_path: file })), reply('Done.')]);
    expect(stage.sent(0)).toContain('- all: Always.');
    expect(stage.sent(0)).not.toContain('- sql');
    expect(stage.sent(1)).toContain('- sql: Queries.');
  });
});

describe('model and effort', () => {
  const body = (stage: Awaited<ReturnType<typeof skillStage>>, at: number) =>
    stage.server.requests[at]?.body as Readonly<Record<string, unknown>>;

  it('hold from loading to the end of the submission', async () => {
    const stage = await skillStage();
    await stage.write(
      'home/skills/think/SKILL.md',
      skill('think', 'Thinking.', 'Think.', 'model: claude-opus-4-8\neffort: low\n'),
    );
    const options = { model: 'claude-sonnet-4-6' };
    await stage.run([load('think'), reply('Hm.')], options);
    expect(body(stage, 0)['model']).toBe('claude-sonnet-4-6');
    expect(body(stage, 1)).toMatchObject({ model: 'claude-opus-4-8', output_config: { effort: 'low' } });
    await stage.run([reply('Again.')], { ...options, continue: true });
    expect(body(stage, 2)['model']).toBe('claude-sonnet-4-6');
    expect(body(stage, 2)['output_config']).toEqual({ effort: 'high' });
    await stage.run([reply('Hm.')], options, '/think');
    expect(body(stage, 3)).toMatchObject({ model: 'claude-opus-4-8', output_config: { effort: 'low' } });
  });

  it('a project that is not trusted switches nothing', async () => {
    const stage = await skillStage();
    await stage.write(
      'work/.claude/skills/think/SKILL.md',
      skill('think', 'Thinking.', 'Think.', 'model: claude-opus-4-8\n'),
    );
    await stage.run([load('think'), reply('Hm.')], { model: 'claude-sonnet-4-6', projectTrusted: false });
    expect(body(stage, 1)['model']).toBe('claude-sonnet-4-6');
  });
});

describe('shell commands in the text', () => {
  const shell = (command: string, more = '') =>
    skill('state', 'State.', `It says: !\`${command}\`.\n\n\`\`\`\n!\`touch example\`\n\`\`\``, more);

  it('run as far as rules allow them, and their output takes their place', async () => {
    const stage = await skillStage();
    await stage.write(
      'home/skills/state/SKILL.md',
      shell('printf "%s" $ARGUMENTS', 'allowed-tools: Bash(printf:*)\n'),
    );
    await stage.run([load('state', 'fine'), reply('Done.')]);
    expect(stage.sent()).toContain('It says: fine.');
    expect(existsSync(join(stage.cwd, 'example'))).toBe(false);
  });

  it('one that no rule allows is not run, and the skill is not loaded', async () => {
    const stage = await skillStage();
    await stage.write('home/skills/state/SKILL.md', shell('touch made'));
    await stage.run([load('state'), reply('Done.')]);
    expect(stage.sent()).toContain('was not loaded: its shell command `touch made` did not run');
    expect(existsSync(join(stage.cwd, 'made'))).toBe(false);
  });

  it('those of a project that is not trusted never run', async () => {
    const stage = await skillStage();
    await stage.write('work/.claude/skills/state/SKILL.md', shell('touch made'));
    await stage.run([load('state'), reply('Done.')], {
      projectTrusted: false,
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    expect(stage.sent()).toContain('which a repository that is not trusted may not');
    expect(existsSync(join(stage.cwd, 'made'))).toBe(false);
  });
});
