/** What a caller hands over reaches a shell as data, whoever loads the text in which the command stands. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { everyNth } from '@turnwright/test/long-form.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import type { HookCallback } from '../../src/index.ts';
import { projectUnderTest } from '../memory/project-under-test.ts';

const BODY =
  'Bare <!x> !`printf \'<%s>\' $ARGUMENTS` end.\nQuoted !`echo "$ARGUMENTS"` !`echo \'$0\'` !`cat <<< $ARGUMENTS`\n```!\nprintf x;\necho "in a block: $ARGUMENTS"\n```\n';
const HOSTILE = [
  'x; touch pwned',
  '$(touch pwned) `touch pwned`',
  '";touch pwned;" \';touch pwned;\'',
  'x\ntouch pwned',
];
const said = (body: string | undefined) => {
  const { messages } = JSON.parse(body ?? '{}') as { messages: { role: string; content: unknown }[] };
  return JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content);
};

describe('what is handed over is never read as program', () => {
  it.each(everyNth(3, ['default', 'acceptEdits', 'bypassPermissions'] as const))(
    'in mode %s',
    async (permissionMode) => {
      const head = '---\ndescription: d\nallowed-tools: Bash(printf:*), Bash(echo:*), Bash(cat:*)\n---\n';
      const project = await projectUnderTest({
        '.claude/commands/try.md': head + BODY,
        '.claude/skills/load/SKILL.md': head + BODY,
      });
      const args = HOSTILE.join(' ');
      const { results, sent } = await project.run({
        prompt: [`/try ${args}`, `/load ${args}`, 'Load it.'],
        replies: [
          reply('Done.'),
          reply('Done.'),
          reply(toolUse('Skill', { skill: 'load', args })),
          reply('Done.'),
        ],
        options: { permissionMode, allowDangerouslySkipPermissions: permissionMode === 'bypassPermissions' },
      });
      expect(existsSync(project.at('pwned'))).toBe(false);
      expect(results.map(({ is_error }) => is_error)).toEqual([false, false, false]);
      expect(said(sent[0])).toContain('Bare <!x> <x;><touch><pwned><$(touch><pwned)>');
      expect(said(sent.at(-1))).toContain('is loaded');
    },
  );

  it('the gate judges what a command is given: a denied file stays denied, an option is an option', async () => {
    const project = await projectUnderTest({
      '.claude/commands/show.md': 'See !`cat "$0"`.',
      '.claude/commands/list.md': 'See !`ls $ARGUMENTS`.',
      'sub/open.md': 'OPEN',
      'secrets/a b.md': 'SECRET',
    });
    const { results, sent } = await project.run({
      prompt: ['/show sub/open.md', '/show "secrets/a b.md"', '/list sub', "/show it's"],
      replies: [reply('Done.'), reply('Done.'), reply('Done.')],
      options: { disallowedTools: ['Read(secrets/**)'] },
    });
    expect(results.map(({ is_error }) => is_error)).toEqual([false, true, false, false]);
    expect(JSON.stringify(sent)).toContain('OPEN');
    expect(JSON.stringify(sent)).not.toContain('SECRET');
  });

  it('a plugin brings its folder along, whatever that is called', async () => {
    const project = await projectUnderTest();
    const root = join(project.folder, "it's; touch pwned");
    project.write({
      [join(root, '.claude-plugin/plugin.json')]: '{"name":"p"}',
      [join(root, 'commands/go.md')]: 'Say !`echo "${CLAUDE_PLUGIN_ROOT}" ${CLAUDE_PLUGIN_ROOT}/x`',
    });
    const { sent } = await project.run({
      prompt: '/p:go',
      options: { plugins: [{ type: 'local', path: root }] },
    });
    expect(said(sent[0])).toContain(`Say ${root} ${root}/x`);
    expect(existsSync(project.at('pwned'))).toBe(false);
  });
});

describe('PreSkillShellCommand', () => {
  const guarded = async (answer: object, more: object = {}) => {
    const seen: Record<string, unknown>[] = [];
    const hook: HookCallback = async (input) => {
      seen.push(input);
      return answer;
    };
    const project = await projectUnderTest({
      '.claude/commands/try.md': 'Say !`echo "$ARGUMENTS"`.',
      '.claude/skills/load/SKILL.md': '---\ndescription: d\n---\nSay !`echo hi`.',
    });
    const ran = await project.run({
      prompt: "/try it's",
      options: { hooks: { PreSkillShellCommand: [{ hooks: [hook] }] } },
      ...more,
    });
    return { seen, ...ran };
  };
  const decides = (fields: object) => ({
    hookSpecificOutput: { hookEventName: 'PreSkillShellCommand', ...fields },
  });

  it('sees the command as it runs, whose it is and who had it loaded', async () => {
    const { seen, sent } = await guarded({});
    expect(seen).toEqual([
      expect.objectContaining({
        hook_event_name: 'PreSkillShellCommand',
        tool_name: 'Bash',
        tool_input: { command: `echo "'it'\\''s'"`.replace(`"'it'\\''s'"`, `"it's"`) },
        command_name: 'try',
        command_source: 'projectSettings',
        invoked_by: 'user',
      }),
    ]);
    expect(said(sent[0])).toContain("Say it's.");
    const byModel = await guarded(
      {},
      { prompt: 'Go.', replies: [reply(toolUse('Skill', { skill: 'load' })), reply('Done.')] },
    );
    expect(byModel.seen).toEqual([expect.objectContaining({ command_name: 'load', invoked_by: 'claude' })]);
  });

  it.each([
    [decides({ permissionDecision: 'deny', permissionDecisionReason: 'No shell.' }), 'No shell.'],
    [decides({ permissionDecision: 'ask' }), 'PreSkillShellCommand'],
    [decides({ permissionDecision: 'defer' }), 'PreSkillShellCommand'],
    [decides({ updatedInput: { command: 'echo other' } }), 'another input'],
    [{ decision: 'block', reason: 'Blocked.' }, 'Blocked.'],
    [{ continue: false, stopReason: 'Enough.' }, 'Enough.'],
    [decides({ permissionDecision: 'perhaps' }), 'PreSkillShellCommand'],
  ])('%j keeps it from running', async (answer, why) => {
    const { results, sent } = await guarded(answer);
    expect(results[0]).toMatchObject({ is_error: true });
    expect(JSON.stringify(results[0])).toContain(why);
    expect(sent).toEqual([]);
  });

  it('an allow adds nothing: the rules decide', async () => {
    const { results } = await guarded(decides({ permissionDecision: 'allow' }), {
      prompt: '/try x',
      options: {
        disallowedTools: ['Bash(echo:*)'],
        hooks: { PreSkillShellCommand: [{ hooks: [async () => decides({ permissionDecision: 'allow' })] }] },
      },
    });
    expect(results[0]).toMatchObject({ is_error: true });
  });
});
