import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { type HookCallback, query, type SDKMessage } from '../../src/index.ts';
import { type Project, projectUnderTest } from '../memory/project-under-test.ts';

const init = (messages: readonly SDKMessage[]) => {
  const found = messages.find((message) => message.type === 'system' && message.subtype === 'init');
  if (found?.type !== 'system' || found.subtype !== 'init') throw new Error('There is no init message.');
  return found;
};
/** What the last message of the user says in a request. */
const said = (body: string | undefined) => {
  const { messages } = JSON.parse(body ?? '{}') as { messages: { role: string; content: unknown }[] };
  return JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content);
};
const command = async (text: string, prompt: string, more: Parameters<Project['run']>[0] | object = {}) => {
  const project = await projectUnderTest({ '.claude/commands/try.md': text });
  return { project, ...(await project.run({ prompt, ...more })) };
};

describe('command files', () => {
  it('are announced with their folder in the name; the project words a name before the user does', async () => {
    const project = await projectUnderTest({
      '.claude/commands/review.md': '---\ndescription: Reviews\nargument-hint: [file]\n---\nReview.',
      '.claude/commands/web/form.md': '# Build a form\nPlease.',
      '.turnwright/commands/plan.md': 'Plan.',
      '.claude/commands/plan.md': 'Not this plan.',
      '.claude/commands/clear.md': '---\ndescription: Clears up\n---\nIn the place of the engine: $ARGUMENTS',
      '.claude/commands/reset.md': 'In the place of an alias.',
      '.claude/commands/odd name.md': 'Odd.',
    });
    project.write({
      [join(project.home, 'commands/review.md')]: 'Mine.',
      [join(project.home, 'commands/mine.md')]: 'Only mine.',
    });
    const { messages, sent } = await project.run({ prompt: '/plan' });
    const own = ['compact', 'context', 'cost', 'effort', 'goal', 'help', 'init', 'model'];
    expect(init(messages).slash_commands).toEqual([
      ...own,
      'plan',
      'clear',
      'odd name',
      'reset',
      'review',
      'web:form',
      'mine',
    ]);
    expect(said(sent[0])).toContain('Plan.');
    const { results } = await project.run({ prompt: '/help' });
    const [help] = results;
    expect(help).toMatchObject({ subtype: 'success', num_turns: 0, local_command: 'help' });
    expect(JSON.stringify(help)).toContain('/review [file]: Reviews');
    expect(JSON.stringify(help)).toContain('/web:form: Build a form');
  });

  it('take the place of a built-in command or alias, say so, and leave the others alone', async () => {
    const names = [
      ...['new', 'reset', 'clear', 'usage', 'help', 'context', 'cost', 'model', 'compact', 'effort', 'goal'],
      ...['init', 'review'],
    ];
    const files = Object.fromEntries(
      names.map((name) => [
        `.claude/commands/${name}.md`,
        `---\ndescription: d\n---\nDo ${name}: $ARGUMENTS`,
      ]),
    );
    const project = await projectUnderTest(files);
    const { messages, sent } = await project.run({
      prompt: names.map((name) => `/${name} it`),
      replies: names.map(() => reply('Done.')),
    });
    expect([...init(messages).slash_commands].sort()).toEqual([...names].sort());
    expect(sent.map(said).map((text) => /Do [a-z]+: it/.exec(text)?.[0])).toEqual(
      names.map((name) => `Do ${name}: it`),
    );
    const listed = query({
      prompt: (async function* () {})(),
      options: { cwd: project.cwd, settingSources: ['project'] },
    });
    const found = (await listed.supportedCommands()).map(
      ({ name, description }) => `${name}: ${description}`,
    );
    listed.close();
    expect(found).toContain('new: d (project, in place of the built-in /new)');
    const untrusted = await project.run({ prompt: '/help', options: { projectTrusted: false } });
    expect(untrusted.results[0]).toMatchObject({ local_command: 'help' });
  });

  it('are read only of the sources that are named', async () => {
    const project = await projectUnderTest({ '.claude/commands/ours.md': 'Ours.' });
    project.write({ [join(project.home, 'commands/mine.md')]: 'Mine.' });
    const names = async (...settingSources: readonly ('user' | 'project')[]) =>
      init((await project.run({ prompt: 'Go.', options: { settingSources } })).messages).slash_commands.slice(
        10,
      );
    expect(await names()).toEqual([]);
    expect(await names('project')).toEqual(['ours']);
    expect(await names('user')).toEqual(['mine']);
  });

  it('take arguments: all of them, by position, or behind the text', async () => {
    const all = await command('Say <$ARGUMENTS> and $0, $1.', '/try one "two words" $1');
    expect(said(all.sent[0])).toContain('Say <one \\"two words\\" $1> and one, two words.');
    const listed = await command('$ARGUMENTS[0] $ARGUMENTS[1] $ARGUMENTS[7] $9 $10', '/try a b');
    expect(said(listed.sent[0])).toContain('a b $ARGUMENTS[7] $9 $10');
    const named = await command(
      '---\narguments: colour size\n---\n<$colour> <$size> <$colours> <$0>',
      '/try red',
    );
    expect(said(named.sent[0])).toContain('<red> <> <$colours> <red>');
    const none = await command('Say it.', '/try  this  that');
    expect(said(none.sent[0])).toContain('Say it.\\n\\nARGUMENTS: this  that');
    expect((await command('Say $1$ARGUMENTS.', '/try')).sent[0]).toContain('Say $1.');
  });

  it('L1 what they allow and which model they switch to holds for their submission alone', async () => {
    const touch = (name: string) => reply(toolUse('Bash', { command: `touch ${name}` }));
    const project = await projectUnderTest({
      '.claude/commands/try.md': '---\nallowed-tools: Bash(touch:*)\nmodel: haiku\n---\nTouch.',
    });
    const { results, sent } = await project.run({
      replies: [touch('one'), reply('Done.'), touch('two'), reply('Done.')],
      prompt: ['/try', 'Again.'],
    });
    expect(existsSync(project.at('one'))).toBe(true);
    expect(existsSync(project.at('two'))).toBe(false);
    expect(results.map(({ permission_denials }) => permission_denials.length)).toEqual([0, 1]);
    expect(sent.map((body) => (JSON.parse(body) as { model: string }).model)).toEqual([
      'claude-haiku-5-5',
      'claude-haiku-5-5',
      'claude-opus-5-5',
      'claude-opus-5-5',
    ]);
  });

  it('bring the output of shell commands and mentioned files along, under the rules of both', async () => {
    const project = await projectUnderTest({
      '.claude/commands/try.md':
        '---\nallowed-tools: Bash(echo:*)\n---\nIt says !`echo "<$0>"`, see @notes.md and @../secret.md. $1\n```\n!`touch fenced`\n```',
      'notes.md': 'A note.',
    });
    project.write({ [join(project.folder, 'secret.md')]: 'SECRET' });
    const { sent } = await project.run({ prompt: "/try hi '!`touch argument`'" });
    expect(said(sent[0])).toContain('It says <hi>, see');
    expect(said(sent[0])).toContain('!`touch argument`');
    expect(existsSync(project.at('argument'))).toBe(false);
    expect(said(sent[0])).toContain('A note.');
    expect(said(sent[0])).not.toContain('SECRET');
    expect(existsSync(project.at('fenced'))).toBe(false);
  });

  it('run no shell command that no rule allows, not even behind one that is allowed', async () => {
    const text = '---\nallowed-tools: Bash(echo:*)\n---\nIt says !`echo $ARGUMENTS`.';
    const { project, sent } = await command(text, '/try hi; touch stolen');
    expect(said(sent[0])).toContain('It says hi; touch stolen');
    expect(existsSync(project.at('stolen'))).toBe(false);
    const behind = await command(text.replace('`echo', '`echo a; touch made; echo'), '/try hi');
    expect(behind.results[0]).toMatchObject({ subtype: 'error_during_execution', is_error: true });
    expect(JSON.stringify(behind.results[0])).toContain('/try was not sent: its shell command');
    expect(behind.sent).toEqual([]);
    expect(existsSync(behind.project.at('made'))).toBe(false);
    const bare = await command('It says !`touch made`.', '/try');
    expect(bare.results[0]).toMatchObject({ is_error: true });
    expect(existsSync(bare.project.at('made'))).toBe(false);
    const denied = await command(text, '/try hi', { options: { disallowedTools: ['Bash(echo:*)'] } });
    expect(denied.results[0]).toMatchObject({ is_error: true });
  });

  it('T101 of a repository that is not trusted word prompts, and allow, switch and run nothing', async () => {
    const project = await projectUnderTest({
      '.claude/commands/run.md': '---\nallowed-tools: Bash(*)\n---\n!`touch ran`',
      '.claude/commands/allow.md': '---\nallowed-tools: Bash(touch:*)\nmodel: haiku\n---\nTouch.',
      '.claude/commands/mine.md': 'Theirs.',
    });
    project.write({ [join(project.home, 'commands/mine.md')]: 'Mine.' });
    const { results, messages, sent } = await project.run({
      replies: [reply(toolUse('Bash', { command: 'touch ran' })), reply('Done.'), reply('Done.')],
      prompt: ['/run', '/allow', '/mine'],
      options: { projectTrusted: false },
    });
    expect(results[0]).toMatchObject({ is_error: true });
    expect(JSON.stringify(results[0])).toContain('not trusted');
    expect(results[1]?.permission_denials).toHaveLength(1);
    expect(JSON.stringify(messages)).toContain('allowed-tools and model passed over');
    expect(JSON.parse(sent[0] ?? '{}')).toMatchObject({ model: 'claude-opus-5-5' });
    expect(said(sent[2])).toContain('Mine.');
    expect(existsSync(project.at('ran'))).toBe(false);
  });

  it('UserPromptExpansion sees what was typed, adds to it, and can hold it back', async () => {
    const project = await projectUnderTest({ '.claude/commands/try.md': 'Try $ARGUMENTS.' });
    const seen: Record<string, unknown>[] = [];
    const hook: HookCallback = async (input) => {
      seen.push(input);
      return input['command_args'] === 'bad'
        ? { decision: 'block', reason: 'Not today.' }
        : { hookSpecificOutput: { hookEventName: 'UserPromptExpansion', additionalContext: 'Gently.' } };
    };
    const { sent, results } = await project.run({
      prompt: ['/try well', '/try bad', '/cost'],
      options: { hooks: { UserPromptExpansion: [{ hooks: [hook] }] } },
    });
    expect(seen).toHaveLength(2);
    expect(seen[0]).toMatchObject({
      expansion_type: 'slash_command',
      command_name: 'try',
      command_args: 'well',
      command_source: 'projectSettings',
      prompt: '/try well',
    });
    expect(said(sent[0])).toContain('Try well.');
    expect(said(sent[0])).toContain('Gently.');
    expect(results[1]).toMatchObject({ subtype: 'success', result: 'Not today.', num_turns: 0 });
    expect(sent).toHaveLength(1);
  });
});

describe('prompts', () => {
  const files = { 'src/a.ts': 'export const a = 1;\nexport const b = 2;\n', 'my notes.md': 'A note.' };

  it('bring the files along that they name, whole or in part', async () => {
    const project = await projectUnderTest(files);
    project.write({ [join(project.folder, 'out.md')]: 'OUTSIDE' });
    const { sent } = await project.run({
      prompt:
        'Look at @src/a.ts#L2, @"my notes.md" and @../out.md, not `@src/b.ts`, mail me@example.com, @nobody.',
    });
    const text = said(sent[0]);
    expect(text).toContain('2\\texport const b = 2;');
    expect(text).not.toContain('export const a');
    expect(text).toContain('A note.');
    expect(text).not.toContain('OUTSIDE');
  });

  it('go as they are when they are verbatim, all of them or one', async () => {
    const project = await projectUnderTest(files);
    const all = await project.run({ prompt: '/help @src/a.ts', options: { verbatimPrompts: true } });
    expect(said(all.sent[0])).toContain('/help @src/a.ts');
    expect(all.sent[0]).not.toContain('export const');
  });

  it('call no command where there are none', async () => {
    const project = await projectUnderTest({ '.claude/commands/try.md': 'Tried.' });
    const ran = await project.run({ prompt: '/try', options: { disableSlashCommands: true } });
    expect(init(ran.messages).slash_commands).toEqual([]);
    expect(said(ran.sent[0])).toContain('/try');
    expect(ran.sent[0]).not.toContain('Tried.');
  });
});
