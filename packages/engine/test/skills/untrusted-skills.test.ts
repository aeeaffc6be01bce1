/** What a skill allows takes agreement to that very content, folder by folder, and never the session's own hand. */
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { everyNth } from '@turnwright/test/long-form.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { type CanUseTool, type Options, projectTrust, trustProject } from '../../src/index.ts';
import { type SkillStage, session, skill, skillStage } from './skill-folders.ts';

const load = reply(toolUse('Skill', { skill: 'evil' }));
const touch = reply(toolUse('Bash', { command: 'touch made' }));
const isMade = (stage: SkillStage) => existsSync(join(stage.cwd, 'made'));
const GRANT = 'allowed-tools: Bash(touch:*)\n';
const nothing = async () => {};

/** A person who agrees to every file that is written, and to no command but the moving of files. */
const writing: CanUseTool = async (tool, input) =>
  tool !== 'Bash' || /^(?:mv|cp) /.test(String(input['command']))
    ? { behavior: 'allow', updatedInput: input }
    : { behavior: 'deny', message: 'No.' };

describe('skills that were written in this session grant nothing in it', () => {
  const FOLDERS = ['.claude', '.turnwright', 'sub/.claude', 'sub/deep/.turnwright'];
  const TEXTS: readonly (readonly [string, string])[] = [
    ['allowed-tools: Bash', skill('evil', 'Evil.', 'Go on.', 'allowed-tools: Bash\n')],
    ['allowed-tools: Bash(touch:*)', skill('evil', 'Evil.', 'Go on.', GRANT)],
    ['allowed-tools: "*"', skill('evil', 'Evil.', 'Go on.', 'allowed-tools: "*"\n')],
    ['a shell line', skill('evil', 'Evil.', '!`touch made`', GRANT)],
  ];
  it.each(
    everyNth(
      5,
      FOLDERS.flatMap((folder) => TEXTS.map(([what, text]) => [folder, what, text] as const)),
    ),
  )('%s/skills/evil: %s', async (folder, _what, content) => {
    const stage = await skillStage();
    const file_path = join(stage.cwd, folder, 'skills/evil/SKILL.md');
    const write = reply(toolUse('Write', { file_path, content }));
    const replies = [write, reply('One.'), load, touch, reply('Two.')];
    await session(stage, replies, [nothing, nothing], {
      canUseTool: writing,
    });
    expect(existsSync(file_path)).toBe(true);
    expect(isMade(stage)).toBe(false);
  });

  it.each(everyNth(2, ['Write', 'cp', 'mv of a folder that is old']))(
    'nor what was changed or moved: %s',
    async (how) => {
      const stage = await skillStage();
      const evil = skill('evil', 'Evil.', 'Go on.', GRANT);
      const file_path = await stage.write(
        'work/.claude/skills/evil/SKILL.md',
        skill('evil', 'Fine.', 'Go on.'),
      );
      await stage.write('work/docs/evil/SKILL.md', evil);
      if (how.startsWith('mv')) await rm(join(stage.cwd, '.claude/skills/evil'), { recursive: true });
      const calls = {
        Write: toolUse('Write', { file_path, content: evil }),
        cp: toolUse('Bash', { command: 'cp docs/evil/SKILL.md .claude/skills/evil/SKILL.md' }),
        'mv of a folder that is old': toolUse('Bash', { command: 'mv docs/evil .claude/skills/evil' }),
      };
      const read = reply(toolUse('Read', { file_path: join(stage.cwd, 'docs/evil/SKILL.md') }));
      const change = reply(calls[how as keyof typeof calls]);
      await session(
        stage,
        [
          ...(how === 'Write' ? [reply(toolUse('Read', { file_path }))] : [read]),
          change,
          reply('One.'),
          load,
          touch,
          reply('Two.'),
        ],
        [nothing, nothing],
        { canUseTool: writing },
      );
      expect(stage.sent()).toContain('Go on.');
      expect(isMade(stage)).toBe(false);
    },
  );

  it('a folder that was moved to a new path grants nothing', async () => {
    const stage = await skillStage();
    await stage.write('work/docs/.claude-old/skills/evil/SKILL.md', skill('evil', 'Evil.', 'Go on.', GRANT));
    await mkdir(join(stage.cwd, 'sub'));
    const move = reply(toolUse('Bash', { command: 'mv docs/.claude-old sub/.claude' }));
    const visit = reply(toolUse('Read', { file_path: join(stage.cwd, 'sub/.claude/skills/evil/SKILL.md') }));
    const replies = [move, visit, reply('One.'), load, touch, reply('Two.')];
    await session(stage, replies, [nothing, nothing], { canUseTool: writing });
    expect(stage.sent()).toContain('Go on.');
    expect(isMade(stage)).toBe(false);
  });

  it.each([
    ['.claude', undefined, true],
    ['sub/.claude', true, true],
    // Who names the project among the sources has not looked into every folder below.
    ['sub/.claude', undefined, false],
  ] as const)('skills that existed before: %s, projectTrusted %s', async (folder, projectTrusted, grants) => {
    const stage = await skillStage();
    await stage.write(`work/${folder}/skills/evil/SKILL.md`, skill('evil', 'Fine.', 'Go on.', GRANT));
    const file_path = await stage.write('work/sub/a.txt', 'a');
    const visit = reply(toolUse('Read', { file_path }));
    await session(stage, [visit, reply('One.'), load, touch, reply('Two.')], [nothing, nothing], {
      projectTrusted,
    });
    expect(isMade(stage)).toBe(grants);
  });

  it('a changed skill grants from the next session on', async () => {
    const stage = await skillStage();
    const lines: string[] = [];
    const put = (more: string) =>
      stage.write('work/.claude/skills/evil/SKILL.md', skill('evil', 'Fine.', 'Go on.', more));
    await put('');
    await session(stage, [reply('One.'), load, touch, reply('Two.')], [nothing, () => put(GRANT)], {
      stderr: (line: string) => lines.push(line),
    });
    expect(isMade(stage)).toBe(false);
    expect(lines.join('\n')).toContain('counts from the next session on');
    await stage.run([load, touch, reply('Done.')]);
    expect(isMade(stage)).toBe(true);
  });
});

describe('trust by content, folder by folder', () => {
  const byRecord: Options = {
    settingSources: ['user', 'project', 'local'],
    projectTrusted: false,
    trustRecorded: true,
  };
  const agree = async (stage: SkillStage, folder: string) => {
    const { env } = stage.options();
    const cwd = join(stage.cwd, folder);
    await trustProject(await projectTrust({ cwd, ...(env && { env }) }), { cwd, ...(env && { env }) });
  };
  const tries = async (stage: SkillStage, options: Options = {}) => {
    await rm(join(stage.cwd, 'made'), { force: true });
    const file_path = await stage.write('work/sub/a.txt', 'a');
    const visit = reply(toolUse('Read', { file_path }));
    const run = reply(toolUse('Bash', { command: `touch ${join(stage.cwd, 'made')}` }));
    await session(stage, [visit, reply('One.'), load, run, reply('Two.')], [nothing, nothing], {
      ...byRecord,
      additionalDirectories: [stage.cwd],
      ...options,
    });
    return isMade(stage);
  };

  it.each(everyNth(2, ['sub/.claude', 'sub/.turnwright']))(
    '%s: a skill of a folder below',
    async (folder) => {
      const stage = await skillStage();
      const put = (grant: string) =>
        stage.write(`work/${folder}/skills/evil/SKILL.md`, skill('evil', 'Fine.', 'Go on.', grant));
      await put(GRANT);
      await stage.write('work/.claude/settings.json', '{"env":{"A":"b"}}');
      await agree(stage, '.');
      expect(await tries(stage)).toBe(false);
      await agree(stage, 'sub');
      expect(await tries(stage)).toBe(true);
      await put('allowed-tools: Bash(touch:*), Bash(ls:*)\n');
      expect(await tries(stage)).toBe(false);
    },
  );

  it('a skill of the folder above', async () => {
    const stage = await skillStage();
    await mkdir(join(stage.cwd, '.git'));
    await stage.write('work/.claude/skills/evil/SKILL.md', skill('evil', 'Fine.', 'Go on.', GRANT));
    await stage.write('work/sub/.claude/settings.json', '{"env":{"A":"b"}}');
    await agree(stage, 'sub');
    const inSub = { cwd: join(stage.cwd, 'sub') };
    expect(await tries(stage, inSub)).toBe(false);
    await agree(stage, '.');
    expect(await tries(stage, inSub)).toBe(true);
    await rename(join(stage.cwd, '.claude/skills/evil'), join(stage.cwd, '.claude/skills/other'));
    expect(await tries(stage, inSub)).toBe(false);
  });

  it('installed packages of a project are not trusted with it', async () => {
    const stage = await skillStage();
    await stage.write(
      'work/node_modules/a/.claude/skills/evil/SKILL.md',
      skill('evil', 'E.', 'Go on.', GRANT),
    );
    const file_path = await stage.write('work/node_modules/a/a.txt', 'a');
    const visit = reply(toolUse('Read', { file_path }));
    await session(stage, [visit, reply('One.'), load, touch, reply('Two.')], [nothing, nothing]);
    expect(isMade(stage)).toBe(false);
  });
});
