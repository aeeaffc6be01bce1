/** Which files are commands and skills, under which names, and what they and memory bring along. */
import { join } from 'node:path';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { query } from '../../src/index.ts';
import { projectUnderTest } from '../memory/project-under-test.ts';

const head = (fields: string) => `---\n${fields}\n---\n`;

describe('commands', () => {
  it('have any name that a file may have, at any depth, and any plain value as description', async () => {
    const project = await projectUnderTest({
      '.claude/commands/中文.md': 'CHINESE $ARGUMENTS',
      '.claude/commands/ünï/é.md': 'LETTERS $ARGUMENTS',
      '.claude/commands/a b.md': 'BLANK $ARGUMENTS',
      '.claude/commands/x:y.md': 'COLON $ARGUMENTS',
      '.claude/commands/1/2/3/4/5/6/deep.md': 'DEEP $ARGUMENTS',
      '.claude/commands/sk/SKILL.md': `${head('name: sk\ndescription: s')}SKILL $ARGUMENTS`,
      '.claude/commands/sk/helper.md': 'A file of that skill.',
      '.claude/commands/number.md': `${head('description: 42')}NUMBER $ARGUMENTS`,
      '.claude/commands/hidden.md': `${head('user-invocable: false')}HIDDEN`,
      '.claude/commands/both.md': 'COMMAND both $ARGUMENTS',
      '.claude/skills/both/SKILL.md': `${head('name: both\ndescription: d')}SKILL both $ARGUMENTS`,
    });
    const calls = ['中文', 'ünï:é', 'a b', 'x:y', '1:2:3:4:5:6:deep', 'sk', 'number', 'both'];
    const { messages, sent } = await project.run({
      prompt: [...calls.map((name) => `/${name} it`), '/hidden', '/nosuch thing'],
      replies: [...calls, 0, 0].map(() => reply('Done.')),
    });
    const said = sent.map((body) => JSON.stringify(JSON.parse(body).messages.at(-1)));
    const texts = ['CHINESE it', 'LETTERS it', 'BLANK it', 'COLON it', 'DEEP it', 'SKILL it', 'NUMBER it'];
    for (const [at, text] of [...texts, 'SKILL both it'].entries()) expect(said[at]).toContain(text);
    expect(said[8]).not.toContain('HIDDEN');
    expect(said[9]).toContain('/nosuch thing');
    const init = messages.find((each) => each.type === 'system' && each.subtype === 'init');
    expect(init).toMatchObject({ slash_commands: expect.arrayContaining(calls) });
    expect(init).toMatchObject({ slash_commands: expect.not.arrayContaining(['hidden']) });
    expect(init).toMatchObject({ slash_commands: expect.not.arrayContaining(['sk:helper']) });
  });
});

describe('skills', () => {
  const skill = (name: string, text: string, more = '') =>
    `${head(`name: ${name}\ndescription: d${more}`)}${text}`;

  it('answer to folder and name; two of one name are both there, each by its folder', async () => {
    const project = await projectUnderTest({
      '.claude/skills/folder/SKILL.md': skill('other', 'ONE'),
      '.claude/skills/second/SKILL.md': skill('other', 'TWO'),
      '.claude/skills/-dash/SKILL.md': skill('-dash', 'DASH'),
      '.claude/skills/My Skill/SKILL.md': skill('my-skill', 'MINE'),
      '.claude/skills/taken/SKILL.md': skill('third', 'TAKEN'),
      '.claude/skills/third/SKILL.md': skill('third', 'THIRD'),
      '.claude/skills/four/SKILL.md': '---\nname: four\ndescription: FOUR-D\n----\nFOUR\n',
      '.claude/skills/blank/SKILL.md': '\n\n---\nname: blank\ndescription: BLANK-D\n---\nBLANK\n',
    });
    const calls = ['/folder', '/other', '/second', '/-dash', '/My Skill', '/my-skill', '/taken', '/third'];
    const texts = ['ONE', 'ONE', 'TWO', 'DASH', 'MINE', 'MINE', 'TAKEN', 'THIRD', 'FOUR', 'BLANK'];
    const prompt = [...calls, '/four', '/blank'];
    const { messages, sent } = await project.run({ prompt, replies: prompt.map(() => reply('Done.')) });
    const said = sent.map((body) => JSON.stringify(JSON.parse(body).messages.at(-1)));
    for (const [at, text] of texts.entries()) expect(said[at]).toContain(`${text}\\n</skill>`);
    expect(said[1]).toContain('<command-name>/folder</command-name>');
    for (const line of [
      '- folder (other): d',
      '- second (other): d',
      '- My Skill (my-skill): d',
      'FOUR-D',
      'BLANK-D',
    ])
      expect(sent[0]).toContain(line);
    const names = ['-dash', 'My Skill', 'blank', 'folder', 'four', 'second', 'taken', 'third'];
    const init = messages.find((each) => each.type === 'system' && each.subtype === 'init');
    expect(init).toMatchObject({ skills: names, slash_commands: expect.arrayContaining(names) });
  });

  it('are shown to clients by their name, once, with the folder as alias', async () => {
    const project = await projectUnderTest({
      '.claude/skills/folder/SKILL.md': skill('other', 'ONE'),
      '.claude/skills/second/SKILL.md': skill('other', 'TWO'),
      '.claude/skills/third/SKILL.md': skill('second', 'THREE'),
      '.claude/skills/do-it/SKILL.md': skill('do_it', 'FOUR'),
      '.claude/commands/do_it.md': 'A command of that name.',
    });
    const listing = query({
      prompt: (async function* () {})(),
      options: { cwd: project.cwd, settingSources: ['project'] },
    });
    const found = (await listing.supportedCommands()).filter(({ builtin }) => builtin !== true);
    listing.close();
    expect(found.map(({ name, aliases = [] }) => [name, ...aliases])).toEqual([
      ['do-it'],
      ['other', 'folder'],
      ['second'],
      ['third'],
      ['do_it'],
    ]);
  });

  it('of the model alone, and those that wait for a file, are not in the list of skills', async () => {
    const project = await projectUnderTest({
      '.claude/skills/plain/SKILL.md': skill('plain', 'P'),
      '.claude/skills/models/SKILL.md': skill('models', 'M', '\nuser-invocable: false'),
      '.claude/skills/waits/SKILL.md': skill('waits', 'W', '\npaths: src/**'),
      '.claude/skills/SKILL.md': skill('stray', 'S'),
    });
    const { messages } = await project.run({ prompt: 'Go.' });
    const init = messages.find((each) => each.type === 'system' && each.subtype === 'init');
    expect(init).toMatchObject({ skills: ['plain'] });
  });

  it('are all in the answer to initialize, however many there are', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [
        `.claude/skills/s${i}/SKILL.md`,
        `${head(`description: d${i}`)}T`,
      ]),
    );
    const project = await projectUnderTest(files);
    const listing = query({
      prompt: (async function* () {})(),
      options: { cwd: project.cwd, settingSources: ['project'] },
    });
    const found = (await listing.supportedCommands()).filter(({ name }) => /^s\d+$/.test(name));
    listing.close();
    expect(found).toHaveLength(300);
  });
});

describe('mentions and imports', () => {
  it('begin with any letter', async () => {
    const names = ['ünï.txt', '中文.md', '中/x.md', '(p).txt', 'été/à.md'];
    const project = await projectUnderTest(Object.fromEntries(names.map((name) => [name, `IN ${name}`])));
    const { sent } = await project.run({
      prompt: `see ${names.map((name) => `@${name}`).join(' ')} @"ünï.txt"`,
    });
    for (const name of names) expect(sent[0]).toContain(`IN ${name}`);
  });

  it('end where words of a language follow at once, if no file has the whole name', async () => {
    const names = ['a.txt', '中.md', 'b.txt', 'c', 'd.txt', 'e.txtです', 'f.txt', 'g.txt', 'h.txt'];
    const project = await projectUnderTest(
      Object.fromEntries([...names, 'e.txt'].map((name) => [name, `IN ${name}.`])),
    );
    const { sent } = await project.run({
      prompt:
        'See @a.txtです @中.mdを見て、 @b.txt，次 @cです @d.txt에서 @e.txtです @f.txt… @g.txtünd @h.txt—then',
    });
    for (const name of names.slice(0, 7)) expect(sent[0]).toContain(`IN ${name}.`);
    for (const name of ['e.txt', 'g.txt', 'h.txt']) expect(sent[0]).not.toContain(`IN ${name}.`);
  });

  it('of folders bring the names in them along, within limits and under the rules of Read', async () => {
    const many = Object.fromEntries(Array.from({ length: 510 }, (_, i) => [`many/${1000 + i}.txt`, '']));
    const project = await projectUnderTest({
      ...many,
      'src/b.ts': 'B',
      'src/deep/a.ts': 'A',
      'src/hidden.pem': 'H',
      'shut/inside.txt': 'I',
    });
    const { sent } = await project.run({
      prompt: 'See @src and @many/ and @shut/ and @/etc',
      options: { disallowedTools: ['Read(shut/**)', 'Read(src/hidden.pem)'] },
    });
    expect(sent[0]).toContain('The user names src. This is what the folder holds:\\nb.ts\\ndeep/\\n');
    expect(sent[0]).toContain('1499.txt\\n… and 10 more');
    for (const name of ['1500.txt', 'hidden.pem', 'inside.txt', 'passwd'])
      expect(sent[0]).not.toContain(name);
  });

  it('of memory: sections, comments, sub-folders of rules, and one notice for what is not there', async () => {
    const lines: string[] = [];
    const project = await projectUnderTest({
      'CLAUDE.md':
        'MAIN @docs/a.md#rule @ünï.md\n<!-- HIDDEN @docs/hidden.md\n-->\nSee @docs/nope.md and @docs/none.md, @scope/name.\n```html\n<!-- CODE -->\n```\n',
      'docs/a.md': 'SECTION',
      'docs/hidden.md': 'COMMENTED',
      'ünï.md': 'LETTER',
      '.claude/rules/sub/deep/r.md': 'SUB-RULE',
    });
    const { sent } = await project.run({ prompt: 'Go.', options: { stderr: (line) => lines.push(line) } });
    for (const text of ['MAIN', 'SECTION', 'LETTER', 'SUB-RULE', '<!-- CODE -->'])
      expect(sent[0]).toContain(text);
    for (const text of ['HIDDEN', 'COMMENTED']) expect(sent[0]).not.toContain(text);
    expect(lines.filter((line) => line.includes('imports'))).toEqual([
      `${join(project.cwd, 'CLAUDE.md')} imports what is not there (line 4: @docs/nope.md; line 4: @docs/none.md). It was read without.`,
    ]);
  });
});
