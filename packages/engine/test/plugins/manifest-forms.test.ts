/** Every field of a manifest that names files, in every form. */
import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { createUnreadFields } from '@turnwright/base/text/unread-fields.ts';
import { tempFolder } from '@turnwright/test/scenarios/temp-folder.ts';
import { describe, expect, it } from 'vitest';
import { pluginCommands } from '../../src/engine/project/plugin-commands.ts';
import { openPlugins, type PluginSetup } from '../../src/engine/project/plugins.ts';
import { OPEN_HOOK_POLICY } from '../../src/protocol/tools/hook-config.ts';
import { createSkillCache, discoverSkills } from '../../src/skills/discover.ts';
import { readOutputStyles } from '../../src/skills/output-styles.ts';

const named = (name: string) => `---\nname: ${name}\ndescription: About ${name}.\n---\nBody of ${name}.\n`;
const stop = (command: string) => [{ hooks: [{ type: 'command', command }] }];

/** What there is besides the manifest. */
const TREE = {
  'agents/standard.md': named('standard'),
  'x/one.md': named('one'),
  'x/sub/two.md': named('two'),
  'commands/standard.md': 'Standard.',
  'c/go.md': '---\ndescription: Goes.\n---\nGo.',
  'c/sub/deep.md': 'Deep.',
  'output-styles/standard.md': named('standard'),
  'styles/terse.md': named('terse'),
  'skills/standard/SKILL.md': named('standard'),
  'more/extra/SKILL.md': named('extra'),
  'hooks/hooks.json': JSON.stringify({ hooks: { Stop: stop('standard') } }),
  'h/a.json': JSON.stringify({ hooks: { Stop: stop('a') } }),
  'h/b.json': JSON.stringify({ SessionEnd: stop('b') }),
  '.mcp.json': JSON.stringify({ mcpServers: { standard: { command: 'standard' } } }),
  'm/one.json': JSON.stringify({ one: { command: 'one' } }),
  'notes.txt': 'text',
  'broken.json': '{',
};

async function load(manifest: object, tree: Readonly<Record<string, string>> = TREE) {
  const folder = tempFolder({
    'p/.claude-plugin/plugin.json': JSON.stringify({ name: 'p', ...manifest }),
    'outside.md': named('outside'),
  });
  const root = join(folder, 'p');
  for (const [path, text] of Object.entries(tree)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await nodeFiles.writeAtomic(join(root, path), text);
  }
  await symlink(join(folder, 'outside.md'), join(root, 'link.md'));
  const setup = await openPlugins([{ type: 'local', path: root }], {
    cwd: folder,
    files: nodeFiles,
    skills: undefined,
    hookPolicy: OPEN_HOOK_POLICY,
    unread: createUnreadFields(),
  });
  return { setup, errors: setup.errors.map(({ type }) => type), root };
}

/** The names in one of its parts, without the plugin's. */
async function partOf(field: string, setup: PluginSetup): Promise<readonly string[]> {
  const [plugin] = setup.plugins;
  if (plugin === undefined) throw new Error(JSON.stringify(setup.errors));
  switch (field) {
    case 'agents':
      return setup.agents.map(({ name }) => name.slice(2)).sort();
    case 'commands': {
      const source = pluginCommands(setup, {
        files: nodeFiles,
        warn: () => {},
        unread: createUnreadFields(),
      });
      await source.load?.();
      return source.commands.map(({ name }) => name.slice(2)).sort();
    }
    case 'outputStyles':
      return (
        await readOutputStyles(
          plugin.outputStyleDirectories.map((path) => ({ path })),
          { files: nodeFiles },
        )
      )
        .map(({ name }) => name)
        .sort();
    case 'skills': {
      const found = await Promise.all(
        plugin.skillDirectories.map((path) =>
          discoverSkills(
            { path, source: 'plugin', plugin: 'p', mayAllowTools: true, within: plugin.root },
            nodeFiles,
            createSkillCache(0),
          ),
        ),
      );
      return found.flatMap(({ skills }) => skills.map(({ name }) => name.slice(2))).sort();
    }
    case 'hooks':
      return setup.hooks.map(({ config }) => ('command' in config ? String(config.command) : ''));
    default:
      return Object.keys(plugin.mcpServers);
  }
}

type Form = readonly [given: unknown, found: readonly string[], errors?: readonly string[]];
const LOST = ['component-load-failed'];
const WRONG = ['manifest-validation-error'];
const OUTSIDE = ['path-escape'];

const FORMS: Readonly<Record<string, readonly Form[]>> = {
  agents: [
    [undefined, ['standard']],
    ['./x/one.md', ['one']],
    [
      ['./x/one.md', 'x/sub/two.md'],
      ['one', 'two'],
    ],
    ['./x', ['one', 'sub:two']],
    [
      ['./x/', './x/one.md', './agents'],
      ['one', 'standard', 'sub:two'],
    ],
    ['./gone.md', [], LOST],
    [['./gone.md', './x/one.md'], ['one'], LOST],
    ['./notes.txt', [], LOST],
    ['../outside.md', [], OUTSIDE],
    ['./link.md', [], OUTSIDE],
    ['/etc', [], OUTSIDE],
    [['./x/one.md', 5], ['one'], WRONG],
    [5, [], WRONG],
    [{ one: './x/one.md' }, [], WRONG],
    ['', [], WRONG],
    [[], []],
    // A skill's own agents.
    [['./skills/standard/SKILL.md'], ['standard']],
  ],
  commands: [
    [undefined, ['standard']],
    ['./c/go.md', ['go']],
    [
      ['./c/go.md', './c/sub/'],
      ['deep', 'go'],
    ],
    ['./c', ['go', 'sub:deep']],
    [{ hey: { source: './c/go.md' } }, ['hey']],
    [{ hey: './c/go.md', 'a:b': { content: 'Do it.' } }, ['a:b', 'hey']],
    [{ hey: { source: './gone.md' }, you: { content: 'Do it.' } }, ['you'], LOST],
    [{ hey: { source: '../outside.md' } }, [], OUTSIDE],
    [{ hey: { source: './link.md' } }, [], OUTSIDE],
    [
      { hey: {}, 'a b': { content: 'x' }, both: { content: 'x', source: './c/go.md' } },
      [],
      [...WRONG, ...WRONG, ...WRONG],
    ],
    [{}, []],
    ['./gone', [], LOST],
    ['./notes.txt', [], LOST],
    [['./link.md'], [], OUTSIDE],
    [7, [], WRONG],
  ],
  outputStyles: [
    [undefined, ['standard']],
    ['./styles', ['terse']],
    [['./styles/terse.md'], ['terse']],
    [
      ['./styles', './output-styles'],
      ['standard', 'terse'],
    ],
    ['./gone', [], LOST],
    ['./link.md', [], OUTSIDE],
    [true, [], WRONG],
  ],
  skills: [
    [undefined, ['standard']],
    ['./more', ['extra', 'standard']],
    [['./more/extra'], ['extra', 'standard']],
    ['./more/extra/SKILL.md', ['extra', 'standard']],
    ['./skills', ['standard']],
    ['./gone', ['standard'], LOST],
    ['../', ['standard'], OUTSIDE],
    [{ a: 'b' }, ['standard'], WRONG],
  ],
  hooks: [
    [undefined, ['standard']],
    ['./h/a.json', ['standard', 'a']],
    [
      ['./h/a.json', './h/b.json'],
      ['standard', 'a', 'b'],
    ],
    ['./hooks/hooks.json', ['standard']],
    [{ Stop: stop('inline') }, ['standard', 'inline']],
    [{ hooks: { Stop: stop('inline') } }, ['standard', 'inline']],
    [
      ['./h/a.json', { Stop: stop('inline') }],
      ['standard', 'a', 'inline'],
    ],
    ['./gone.json', ['standard'], LOST],
    ['./broken.json', ['standard'], LOST],
    [5, ['standard'], WRONG],
    [['./h/a.json', 5], ['standard', 'a'], WRONG],
  ],
  mcpServers: [
    [undefined, ['standard']],
    ['./m/one.json', ['standard', 'one']],
    [
      ['./m/one.json', { two: { command: 'two' } }],
      ['standard', 'one', 'two'],
    ],
    [{ mcpServers: { two: { command: 'two' } } }, ['standard', 'two']],
    ['./broken.json', ['standard'], LOST],
    [5, ['standard'], WRONG],
  ],
};

describe.each(Object.entries(FORMS))('%s of a manifest', (field, forms) => {
  it.each(forms)('%j', async (given, found, errors = []) => {
    const { setup, errors: told } = await load(given === undefined ? {} : { [field]: given });
    expect(await partOf(field, setup)).toEqual(found);
    expect(told).toEqual(errors);
  });
});

it('a command of a manifest says more than its file, and works', async () => {
  const { setup } = await load({
    commands: {
      hey: {
        source: './c/go.md',
        description: 'Says hey.',
        argumentHint: '[who]',
        model: 'haiku',
        allowedTools: ['Read'],
      },
      inline: { content: 'Do $ARGUMENTS.' },
    },
  });
  const source = pluginCommands(setup, { files: nodeFiles, warn: () => {}, unread: createUnreadFields() });
  await source.load?.();
  const [hey, inline] = source.commands;
  expect(hey).toMatchObject({ name: 'p:hey', description: 'Says hey.', argumentHint: '[who]' });
  const context = { mentionedFiles: async () => [], shell: async () => ({ ok: false as const, why: '' }) };
  type Run = Parameters<NonNullable<typeof hey>['run']>;
  expect(await hey?.run('', context as unknown as Run[1])).toMatchObject({
    messages: ['Go.'],
    model: 'haiku',
    allowedTools: ['Read'],
  });
  expect(await inline?.run('it', context as unknown as Run[1])).toMatchObject({ messages: ['Do it.'] });
});

it('a SKILL.md in its root is a skill, with or without a manifest', async () => {
  const { setup } = await load(
    {},
    { 'SKILL.md': named('root-one'), 'skills/other/SKILL.md': named('other') },
  );
  expect(await partOf('skills', setup)).toEqual(['other', 'root-one']);
});

it('an agent that a link in a deep folder brings in from outside is passed over', async () => {
  const tree = { 'agents/1/2/3/4/5/6/7/8/in.md': named('in') };
  const { root } = await load({}, tree);
  await symlink(join(root, '../outside.md'), join(root, 'agents/1/2/3/4/5/6/7/8/out.md'));
  const setup = await openPlugins([{ type: 'local', path: root }], {
    cwd: root,
    files: nodeFiles,
    skills: undefined,
    hookPolicy: OPEN_HOOK_POLICY,
    unread: createUnreadFields(),
  });
  expect(setup.agents.map(({ name }) => name)).toEqual(['p:1:2:3:4:5:6:7:8:in']);
});
