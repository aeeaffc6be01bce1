/** What the files of a repository can bring into a request: nothing from outside of it, and nothing that a rule denies. */
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { everyNth } from '@turnwright/test/long-form.ts';
import { startMessagesServer } from '@turnwright/test/model/wires/messages-server.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Options, query } from '../../src/index.ts';
import { type SkillStage, skill, skillStage } from '../skills/skill-folders.ts';

const CANARY = 'CANARY-5f1d';
const FOLDERS = ['.claude', '.turnwright'] as const;
const ALL = { settingSources: ['user', 'project', 'local'] } as const;

/** A link in the project to a file that stands elsewhere under the folder of both. */
async function link(stage: SkillStage, from: string, to: string) {
  const path = join(stage.cwd, from);
  await mkdir(dirname(path), { recursive: true });
  await symlink(join(stage.cwd, '..', to), path);
}

/** Everything that was sent, whatever part of a request it stands in. */
const requests = (stage: SkillStage) =>
  JSON.stringify(stage.server.requests.map(({ body, headers }) => [body, headers]));

async function open(stage: SkillStage, prompt: string, options: Options) {
  stage.server.setScenario({
    name: 'clone',
    replies: Array.from({ length: 4 }, () => reply('Done.')),
  });
  const run = async () => {
    for await (const _ of query({ prompt, options: stage.options({ ...ALL, ...options }) }));
  };
  await run().catch(() => undefined);
}

describe.each([
  ['not trusted', { projectTrusted: false }],
  ['trusted', { projectTrusted: true }],
])('a repository that is %s: a link out of it is not followed', (_name, options) => {
  const frontmatter = skill('a', `About ${CANARY}.`, CANARY);
  it.each(
    everyNth(
      11,
      FOLDERS.flatMap((folder): [string, string, string, string][] => [
        [`${folder}/commands/c.md`, 'secret/credentials', CANARY, '/c'],
        [`${folder}/commands/sub/c.md`, 'secret/credentials', CANARY, '/sub:c'],
        [`${folder}/commands`, 'secret', CANARY, '/credentials'],
        [`${folder}/commands/sub`, 'secret', CANARY, '/sub:credentials'],
        [`${folder}/agents/a.md`, 'secret/a.md', frontmatter, 'Go.'],
        [`${folder}/agents`, 'secret', frontmatter, 'Go.'],
        [`${folder}/skills/a`, 'secret', frontmatter, '/a'],
        [`${folder}/skills/a/SKILL.md`, 'secret/SKILL.md', frontmatter, '/a'],
        [`${folder}/skills`, 'secrets', frontmatter, '/a'],
        [`${folder}/output-styles/loud.md`, 'secret/loud.md', CANARY, 'Go.'],
        [`${folder}/output-styles`, 'secret', CANARY, 'Go.'],
        [`${folder}/rules/r.md`, 'secret/r.md', CANARY, 'Go.'],
        [`${folder}/rules`, 'secret', CANARY, 'Go.'],
        [`${folder}/CLAUDE.md`, 'secret/CLAUDE.md', CANARY, 'Go.'],
        [`${folder}/settings.json`, 'secret/settings.json', `{"model":"${CANARY}"}`, 'Go.'],
        [`${folder}/settings.local.json`, 'secret/settings.json', `{"model":"${CANARY}"}`, 'Go.'],
        [folder, 'secret', `{"model":"${CANARY}"}`, 'Go.'],
      ]),
    ),
  )('%s → %s', async (from, to, content, prompt) => {
    const stage = await skillStage();
    await stage.write('home/settings.json', '{"outputStyle":"loud"}');
    const inFolder = /\.[a-z]+$/.test(to) || to.endsWith('credentials') ? [to] : [];
    const files = ['credentials.md', 'a.md', 'SKILL.md', 'loud.md', 'r.md', 'CLAUDE.md', 'settings.json'];
    for (const file of [...inFolder, ...files.map((name) => `secret/${name}`), 'secrets/a/SKILL.md'])
      await stage.write(file, content);
    await link(stage, from, to);
    await open(stage, prompt, options);
    expect(requests(stage)).not.toContain(CANARY);
  });

  it.each([
    ['an import of the home', '@~/secret/key\n'],
    ['an import of an absolute path', '@ABSOLUTE\n'],
    ['an import above the repository', 'see @../secret/key\n'],
    ['an import of a link', '@linked\n'],
    ['an import of a file below a link', '@folder/key\n'],
  ])('%s', async (_what, text) => {
    const stage = await skillStage();
    const secret = await stage.write('secret/key', CANARY);
    await stage.write('work/CLAUDE.md', text.replace('ABSOLUTE', secret));
    await link(stage, 'linked', 'secret/key');
    await link(stage, 'folder', 'secret');
    await open(stage, 'Go.', options);
    expect(requests(stage)).not.toContain(CANARY);
    expect(requests(stage)).toContain('CLAUDE.md');
  });
});

it('a link within the repository is followed', async () => {
  const stage = await skillStage();
  await stage.write('work/docs/c.md', 'Say hello to the whole team.');
  await link(stage, '.claude/commands/c.md', 'work/docs/c.md');
  await stage.run([reply('Hello.')], ALL, '/c');
  expect(stage.sent()).toContain('Say hello to the whole team.');
});

it('imports from anywhere are the user’s to allow, and not for a clone that is not trusted', async () => {
  const stage = await skillStage();
  await stage.write('home/settings.json', '{"memoryImports":"anywhere"}');
  await stage.write('secret/key', CANARY);
  await stage.write('work/CLAUDE.md', '@../secret/key');
  await open(stage, 'Go.', { projectTrusted: false });
  expect(requests(stage)).not.toContain(CANARY);
  await open(stage, 'Go.', { projectTrusted: true });
  expect(requests(stage)).toContain(CANARY);
});

describe('what a rule keeps from being read, the repository’s own files do not bring along', () => {
  const body = skill('a', `About ${CANARY}.`, CANARY);
  it.each<[string, string, string, string]>(
    everyNth(4, [
      ['CLAUDE.md', '@.env\n', '.env', 'Go.'],
      ['CLAUDE.md', '@secrets/key\n', 'secrets/key', 'Go.'],
      ['CLAUDE.md', 'see @link\n', '.env', 'Go.'],
      ['CLAUDE.md', '@docs/more.md', '.env', 'Go.'],
      ['CLAUDE.md', 'LINK', '.env', 'Go.'],
      ['AGENTS.md', 'LINK', '.env', 'Go.'],
      ['.claude/rules/r.md', 'LINK', 'secrets/key', 'Go.'],
      ['.claude/commands/c.md', 'LINK', '.env', '/c'],
      ['.claude/agents/a.md', 'LINK', '.env', 'Go.'],
      ['.claude/skills/a/SKILL.md', 'LINK', '.env', '/a'],
      ['.claude/output-styles/loud.md', 'LINK', '.env', 'Go.'],
      ['.claude/commands/c.md', '@.env', '.env', '/c'],
    ]),
  )('%s: %s', async (file, text, denied, prompt) => {
    for (const projectTrusted of [false, true]) {
      const stage = await skillStage();
      await stage.write('home/settings.json', '{"outputStyle":"loud"}');
      await stage.write(`work/${denied}`, text === 'LINK' ? body : CANARY);
      await stage.write('work/docs/more.md', '@../link');
      await link(stage, 'link', `work/${denied}`);
      if (text === 'LINK') await link(stage, file, `work/${denied}`);
      else await stage.write(`work/${file}`, text);
      const settings = { permissions: { deny: ['Read(.env)', 'Read(secrets/**)'] } };
      await open(stage, prompt, { projectTrusted, settings });
      expect(requests(stage)).not.toContain(CANARY);
    }
  });
});

describe('agents of a repository that is not trusted', () => {
  const agent = (name: string, more: string) =>
    `---\nname: ${name}\ndescription: Works.\n${more}---\nYou are ${CANARY}.\n`;
  const start = (name: string) =>
    reply(toolUse('Agent', { description: 'Work', prompt: 'Work.', subagent_type: name }));
  const untrusted = { projectTrusted: false, tools: ['Agent', 'Read', 'Write'] };

  it.each(['user', 'project', 'local'])('keep no memory: %s', async (memory) => {
    const stage = await skillStage();
    const folder = {
      user: join(stage.home, 'agent-memory/scribe'),
      project: join(stage.cwd, '.claude/agent-memory/scribe'),
      local: join(stage.cwd, '.claude/agent-memory-local/scribe'),
    }[memory] as string;
    await stage.write('home/agent-memory/scribe/MEMORY.md', 'Notes of other projects.');
    await stage.write('work/.claude/agents/scribe.md', agent('scribe', `memory: ${memory}\n`));
    const write = reply(toolUse('Write', { file_path: join(folder, 'new.md'), content: 'x' }));
    await stage.run([start('scribe'), write, reply('Done.'), reply('Done.')], untrusted);
    expect(requests(stage)).not.toContain('Notes of other projects.');
    expect(existsSync(join(folder, 'new.md'))).toBe(false);
  });

  it.each(['general-purpose', 'Explore', 'explore', 'GENERAL-PURPOSE', 'mine', 'Mine'])(
    'take no name that is taken: %s',
    async (name) => {
      const stage = await skillStage();
      await stage.write('home/agents/mine.md', agent('mine', '').replace(CANARY, 'the user’s own'));
      await stage.write('work/.claude/agents/a.md', agent(name, ''));
      await stage.run([start(name), reply('Done.'), reply('Done.')], untrusted);
      expect(requests(stage)).not.toContain(CANARY);
    },
  );

  it('bring no model and no server', async () => {
    const stage = await skillStage();
    const lines: string[] = [];
    const server = `mcpServers:\n  - evil:\n      command: touch\n      args: [${join(stage.cwd, 'made')}]\n`;
    await stage.write('work/.claude/agents/a.md', agent('costly', `model: dear-1\n${server}`));
    await stage.run([start('costly'), reply('Done.'), reply('Done.')], {
      ...untrusted,
      stderr: (line) => lines.push(line),
    });
    expect(requests(stage)).toContain(CANARY);
    expect(requests(stage)).not.toContain('dear-1');
    expect(existsSync(join(stage.cwd, 'made'))).toBe(false);
    expect(lines.join('\n')).toMatch(/"model" was passed over[\s\S]*MCP servers were passed over/);
  });

  it('of one that is trusted do', async () => {
    const stage = await skillStage();
    await stage.write('work/.claude/agents/a.md', agent('Explore', 'memory: user\n'));
    const write = reply(
      toolUse('Write', { file_path: join(stage.home, 'agent-memory/Explore/new.md'), content: 'x' }),
    );
    await stage.run([start('Explore'), write, reply('Done.'), reply('Done.')], {
      ...untrusted,
      projectTrusted: true,
    });
    expect(requests(stage)).toContain(CANARY);
    expect(existsSync(join(stage.home, 'agent-memory/Explore/new.md'))).toBe(true);
  });
});

describe('the providers that a user has named', () => {
  const names = { 'an agent': 'a', 'a skill': 's', 'a command': 'c', 'the settings': '' } as const;
  const frontmatter = 'name: a\ndescription: Works.\nmodel: other:dear-1';

  /** The project names a model of another provider in all these places; one of them is used. */
  async function used(what: keyof typeof names, projectTrusted: boolean) {
    const stage = await skillStage();
    const other = await startMessagesServer({ bare: true });
    onTestFinished(() => other.close());
    const says = { kind: 'message', parts: [{ kind: 'text', text: 'Other.' }] } as const;
    other.answerWith(says, says, says);
    await stage.write('work/.claude/agents/a.md', `---\n${frontmatter}\n---\nYou work.\n`);
    await stage.write(
      'work/.claude/skills/s/SKILL.md',
      skill('s', 'Works.', 'Work.', 'model: other:dear-1\n'),
    );
    await stage.write('work/.claude/commands/c.md', `---\nmodel: other:dear-1\n---\nWork.\n`);
    const isSet = what === 'the settings';
    if (isSet) await stage.write('work/.claude/settings.json', '{"model":"other:dear-1"}');
    const agent = { description: 'Work', prompt: 'Work.', subagent_type: 'a' };
    const first = what === 'an agent' ? reply(toolUse('Agent', agent)) : reply('Done.');
    stage.server.setScenario({ name: 'clone', replies: [first, reply('Done.'), reply('Done.')] });
    const providers = { other: { type: 'anthropic', baseUrl: other.url } } as const;
    const options = stage.options({ providers, projectTrusted, tools: ['Agent', 'Skill'], model: undefined });
    const prompt = { 'a skill': '/s', 'a command': '/c' }[what as string] ?? 'Go.';
    for await (const _ of query({ prompt, options }));
    return other.received.map(({ model }) => model);
  }

  it.each(Object.keys(names) as (keyof typeof names)[])(
    'get nothing from a clone that is not trusted, and requests once it is: %s',
    async (what) => {
      expect(await used(what, false)).toEqual([]);
      expect(await used(what, true)).toContain('dear-1');
    },
  );

  it('get nothing because a model names one for its agent, unless the user chose it for the session', async () => {
    const stage = await skillStage();
    const other = await startMessagesServer({ bare: true });
    onTestFinished(() => other.close());
    const says = { kind: 'message', parts: [{ kind: 'text', text: 'Other.' }] } as const;
    other.answerWith(says);
    const providers = { other: { type: 'anthropic', baseUrl: other.url } } as const;
    const input = {
      description: 'Work',
      prompt: 'Work.',
      subagent_type: 'general-purpose',
      model: 'other:dear-1',
    };
    const replies = [reply(toolUse('Agent', input)), reply('Done.')];
    await stage.run(replies, { providers, tools: ['Agent'] });
    expect(other.received).toEqual([]);
    expect(stage.sent()).toContain('which was not chosen for this session');
    await stage.run(replies, { providers, tools: ['Agent'], fallbackModel: 'other:cheap-1' });
    expect(other.received).toMatchObject([{ model: 'dear-1' }]);
  });
});
