import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import type { SDKMessage } from '../../src/index.ts';
import { session, skill, skillStage } from './skill-folders.ts';

const load = (name: string, args?: string) =>
  reply(toolUse('Skill', { skill: name, ...(args !== undefined && { args }) }));
const init = (messages: readonly SDKMessage[]) =>
  messages.find((message) => message.type === 'system' && message.subtype === 'init');

describe('skills of project and user', () => {
  it('are announced by name and description, and loaded completely when the model asks', async () => {
    const stage = await skillStage();
    await stage.write(
      'work/.turnwright/skills/masonry/SKILL.md',
      skill('masonry', 'Building walls.', 'Wet the bricks.'),
    );
    await stage.write('work/.claude/skills/paint/SKILL.md', skill('paint', 'Painting.', 'Two coats.'));
    await stage.write('home/skills/notes/SKILL.md', skill('notes', 'Taking notes.', 'Be short.'));
    const messages = await stage.run([load('masonry'), reply('Done.')]);
    expect(init(messages)).toMatchObject({
      skills: ['masonry', 'paint', 'notes'],
      slash_commands: expect.arrayContaining(['masonry', 'paint', 'notes', 'compact']),
      tools: expect.arrayContaining(['Skill']),
    });
    expect(stage.sent(0)).toContain(
      '- masonry: Building walls.\\n- paint: Painting.\\n- notes: Taking notes.',
    );
    expect(stage.sent(0)).not.toContain('Wet the bricks.');
    expect(stage.sent()).toContain(
      `Base directory for this skill: ${join(stage.cwd, '.turnwright/skills/masonry')}`,
    );
    expect(stage.sent()).toContain('Wet the bricks.');
    expect(stage.sent()).not.toContain('Two coats.');
    expect(messages).toContainEqual(
      expect.objectContaining({
        type: 'user',
        isSynthetic: true,
        message: {
          role: 'user',
          content: [{ type: 'text', text: expect.stringContaining('Wet the bricks.') }],
        },
      }),
    );
  });

  it('without settings sources nothing is looked for, and there is no Skill tool', async () => {
    const stage = await skillStage();
    await stage.write('work/.claude/skills/paint/SKILL.md', skill('paint', 'Painting.', 'Two coats.'));
    const messages = await stage.run([reply('Hi.')], { settingSources: [] });
    expect(init(messages)).toMatchObject({ skills: [] });
    expect(stage.tools()).not.toContain('Skill');
    await stage.run([reply('Hi.')], { settingSources: ['user'] });
    expect(stage.tools()).not.toContain('Skill');
  });

  it('the project is read up to the root of its repository; the nearest of a name wins', async () => {
    const stage = await skillStage();
    await mkdir(join(stage.cwd, '.git'));
    await stage.write('work/.claude/skills/paint/SKILL.md', skill('paint', 'The far one.', 'Far.'));
    await stage.write('work/.claude/skills/roof/SKILL.md', skill('roof', 'Roofs.', 'Tiles.'));
    await stage.write('work/shed/.claude/skills/paint/SKILL.md', skill('paint', 'The near one.', 'Near.'));
    await stage.write('.claude/skills/outside/SKILL.md', skill('outside', 'Beyond the root.', 'No.'));
    const messages = await stage.run([reply('Hi.')], { cwd: join(stage.cwd, 'shed') });
    expect(init(messages)).toMatchObject({ skills: ['paint', 'roof'] });
    expect(stage.sent()).toContain('The near one.');
  });

  it('the option names which the model may use, and brings the tool along', async () => {
    const stage = await skillStage();
    for (const name of ['paint', 'roof'])
      await stage.write(`home/skills/${name}/SKILL.md`, skill(name, `About ${name}.`, 'Body.'));
    const messages = await stage.run([load('roof'), reply('Well.')], { skills: ['paint'], tools: [] });
    expect(init(messages)).toMatchObject({ skills: ['paint', 'roof'], tools: ['Skill'] });
    expect(stage.sent(0)).not.toContain('About roof.');
    expect(stage.sent()).toContain(
      'The skill \\"roof\\" is for the user alone, who calls it as /roof. There are: paint.',
    );
    await stage.run([reply('Hi.')], { skills: 'all', tools: ['Read'] });
    expect(stage.tools()).toEqual(['Read', 'Skill']);
    await stage.run([reply('Hi.')], { tools: ['Read'] });
    expect(stage.tools()).toEqual(['Read']);
    await stage.run([reply('Hi.')], { disallowedTools: ['Skill'] });
    expect(stage.tools()).not.toContain('Skill');
    expect(stage.sent()).not.toContain('About paint.');
  });

  it('/name loads a skill with what it is to work on, its rules and its model', async () => {
    const stage = await skillStage();
    const more = 'model: claude-haiku-4-5\nallowed-tools: Write\nargument-hint: "[room]"\n';
    await stage.write(
      'home/skills/paint/SKILL.md',
      skill('paint', 'Painting.', 'Paint $ARGUMENTS[0], that is "$ARGUMENTS".', more),
    );
    const file = join(stage.cwd, 'wall.txt');
    const messages = await stage.run(
      [reply(toolUse('Write', { file_path: file, content: 'green' })), reply('Done.')],
      {},
      '/paint "the hall" now',
    );
    expect(init(messages)).toMatchObject({ model: 'claude-haiku-4-5' });
    expect(stage.sent()).toContain('Paint the hall, that is \\"\\"the hall\\" now\\".');
    expect(stage.sent()).toContain('wall.txt');
    expect(messages.at(-1)).toMatchObject({ subtype: 'success', permission_denials: [] });
  });

  it('what a skill allows holds from loading to the end of the submission, below deny rules', async () => {
    const stage = await skillStage();
    await stage.write(
      'home/skills/paint/SKILL.md',
      skill('paint', 'Painting.', 'Paint.', 'allowed-tools: [Write, "Bash(echo:*)"]\n'),
    );
    const write = (name: string) =>
      reply(toolUse('Write', { file_path: join(stage.cwd, name), content: 'x' }));
    const denied = (messages: readonly SDKMessage[]) => {
      const last = messages.at(-1);
      return last?.type === 'result'
        ? last.permission_denials.map(({ tool_input }) => JSON.stringify(tool_input))
        : [];
    };
    const before = await stage.run([write('early.txt'), load('paint'), write('late.txt'), reply('Done.')]);
    expect(denied(before)).toEqual([expect.stringContaining('early.txt')]);
    const forbidden = await stage.run([load('paint'), write('never.txt'), reply('Done.')], {
      disallowedTools: ['Write(./never.txt)', 'Edit(./never.txt)'],
    });
    expect(denied(forbidden)).toHaveLength(1);

    const replies = [load('paint'), reply('One.'), write('next.txt'), reply('Two.')];
    const two = await session(stage, replies, [async () => {}, async () => {}]);
    expect(denied(two)).toHaveLength(1);
  });

  it('T101: a project that is not trusted describes skills, but they allow nothing', async () => {
    const stage = await skillStage();
    await stage.write(
      'work/.claude/skills/paint/SKILL.md',
      skill('paint', 'Painting.', 'Paint.', 'allowed-tools: Write\n'),
    );
    const replies = () => [
      load('paint'),
      reply(toolUse('Write', { file_path: join(stage.cwd, 'a'), content: 'x' })),
      reply('Done.'),
    ];
    const untrusted = await stage.run(replies(), { projectTrusted: false });
    expect(untrusted.at(-1)).toMatchObject({ permission_denials: [{ tool_name: 'Write' }] });
    const trusted = await stage.run(replies());
    expect(trusted.at(-1)).toMatchObject({ permission_denials: [] });
  });

  it('rules speak of one skill, or of those that begin alike', async () => {
    const stage = await skillStage();
    for (const name of ['paint', 'paint-wet', 'roof'])
      await stage.write(
        `home/skills/${name}/SKILL.md`,
        skill(name, `About ${name}.`, `The body of ${name}.`),
      );
    await stage.run(
      [
        reply([toolUse('Skill', { skill: '/paint' }), toolUse('Skill', { skill: 'paint-wet' })]),
        reply('Done.'),
      ],
      {
        disallowedTools: ['Skill(paint)'],
      },
    );
    expect(stage.sent()).not.toContain('The body of paint.');
    expect(stage.sent()).toContain('The body of paint-wet.');
    await stage.run(
      [
        reply([toolUse('Skill', { skill: 'paint-wet' }), toolUse('Skill', { skill: 'roof' })]),
        reply('Done.'),
      ],
      {
        disallowedTools: ['Skill(paint:*)'],
      },
    );
    expect(stage.sent()).not.toContain('The body of paint-wet.');
    expect(stage.sent()).toContain('The body of roof.');
  });

  it('rules, options and overrides mean a skill by either name, whichever the model calls', async () => {
    const stage = await skillStage();
    await stage.write('home/skills/folder/SKILL.md', skill('other', 'Words.', 'The body.'));
    const calls = () => [
      reply([toolUse('Skill', { skill: 'folder' }), toolUse('Skill', { skill: 'other' })]),
    ];
    for (const name of ['folder', 'other']) {
      await stage.run([...calls(), reply('Done.')], { disallowedTools: [`Skill(${name})`] });
      expect(stage.sent()).not.toContain('The body.');
      await stage.run([...calls(), reply('Done.')], { skills: [name] });
      expect(stage.sent()).toContain('The body.');
      await stage.run([reply('Done.')], { settings: { skillOverrides: { [name]: 'off' } } });
      expect(stage.sent()).not.toContain('folder (other)');
    }
  });

  it('files of a skill may be read, also outside of the project; others beside it not', async () => {
    const stage = await skillStage();
    await stage.write('home/skills/paint/SKILL.md', skill('paint', 'Painting.', 'See colours.md.'));
    const colours = await stage.write('home/skills/paint/colours.md', 'Green is best.');
    const secret = await stage.write('home/secret.md', 'Hush.');
    const messages = await stage.run([
      reply([toolUse('Read', { file_path: colours }), toolUse('Read', { file_path: secret })]),
      reply('Done.'),
    ]);
    expect(stage.sent()).toContain('Green is best.');
    expect(messages.at(-1)).toMatchObject({ permission_denials: [{ tool_input: { file_path: secret } }] });
  });

  it('heads that people write: no description, no YAML, flags, and names that cannot be', async () => {
    const stage = await skillStage();
    const lines: string[] = [];
    await stage.write('home/skills/bare/SKILL.md', '# Bare\n\nFirst words\nof it.\n\nMore.');
    await stage.write(
      'home/skills/colon/SKILL.md',
      '---\ndescription: Use when: it rains\nwhen_to_use: in April\n---\nBody.',
    );
    await stage.write(
      'home/skills/mine/SKILL.md',
      skill('mine', 'For people.', 'Body.', 'disable-model-invocation: true\n'),
    );
    await stage.write(
      'home/skills/yours/SKILL.md',
      skill('yours', 'For models.', 'Body.', 'user-invocable: false\n'),
    );
    await stage.write('home/skills/-odd, name-/SKILL.md', skill('a b', 'Odd.', 'Body.'));
    await stage.write('home/skills/bomb/SKILL.md', `---\n${bomb()}---\nBody.`);
    await stage.write('home/skills/no-skill/readme.md', 'Nothing.');
    const messages = await stage.run([load('mine'), reply('Done.')], { stderr: (line) => lines.push(line) });
    expect(init(messages)).toMatchObject({ skills: ['bare', 'bomb', 'colon', 'mine'] });
    const commands = init(messages) as { slash_commands?: readonly string[] } | undefined;
    expect(commands?.slash_commands).not.toContain('yours');
    expect(stage.sent(0)).toContain('- bare: First words of it.');
    expect(stage.sent(0)).toContain('- colon: Use when: it rains When to use: in April');
    expect(stage.sent(0)).not.toContain('For people.');
    expect(stage.sent(0)).toContain('- yours: For models.');
    expect(stage.sent()).toContain('is for the user alone');
    expect(lines.join('\n')).toContain('needs a name');
    expect(lines.join('\n')).toContain('bomb');
  });

  it('T101: nor are those in a folder below, also when what they lead to appears later', async () => {
    const stage = await skillStage();
    const lines: string[] = [];
    const far = skill('far', 'Far away.', 'The far body.', 'allowed-tools: Bash');
    await stage.write('elsewhere/far/SKILL.md', far);
    for (const [name, target] of [
      ['one', 'elsewhere'],
      ['two', 'later'],
      ['three', 'later/far'],
    ] as const) {
      await stage.write(`work/${name}/a.txt`, 'text');
      const skills = join(stage.cwd, name, '.claude/skills');
      await mkdir(name === 'three' ? skills : join(stage.cwd, name, '.claude'), { recursive: true });
      await symlink(join(stage.cwd, '..', target), name === 'three' ? join(skills, 'far') : skills);
    }
    const read = (name: string) => reply(toolUse('Read', { file_path: join(stage.cwd, name, 'a.txt') }));
    const appear = async () => {
      await stage.write('later/far/SKILL.md', far);
      return {};
    };
    const messages = await stage.run(
      [read('one'), read('two'), read('three'), read('two'), load('far'), reply('Done.')],
      { stderr: (line) => lines.push(line), hooks: { PostToolUse: [{ hooks: [appear] }] } },
    );
    expect(stage.sent()).not.toContain('The far body.');
    expect(stage.sent()).not.toContain('Far away.');
    expect(messages.at(-1)).toMatchObject({ subtype: 'success' });
  });

  it("T101: links out of the project are not followed, a user's own are", async () => {
    const stage = await skillStage();
    const lines: string[] = [];
    await stage.write('elsewhere/far/SKILL.md', skill('far', 'Far away.', 'The far body.'));
    await stage.write('elsewhere/far/more.md', 'Far more.');
    await mkdir(join(stage.cwd, '.claude/skills'), { recursive: true });
    await symlink(join(stage.cwd, '../elsewhere/far'), join(stage.cwd, '.claude/skills/far'));
    const refused = await stage.run([reply('Hi.')], { stderr: (line) => lines.push(line) });
    expect(init(refused)).toMatchObject({ skills: [] });
    expect(lines.join('\n')).toContain('it leads out of the repository');

    await rm(join(stage.cwd, '.claude'), { recursive: true });
    await mkdir(join(stage.home, 'skills'));
    await symlink(join(stage.cwd, '../elsewhere/far'), join(stage.home, 'skills/far'));
    await stage.run([
      load('far'),
      reply(toolUse('Read', { file_path: join(stage.home, 'skills/far/more.md') })),
      reply('Done.'),
    ]);
    expect(stage.sent()).toContain('The far body.');
    expect(stage.sent()).toContain('Far more.');
  });
});

/** YAML of a few lines that would be gigabytes. */
function bomb(): string {
  const levels = Array.from(
    { length: 12 },
    (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(',')}]`,
  );
  return `a0: &a0 lol\n${levels.join('\n')}\nname: bomb\n`;
}
