import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { markdownBelow } from '@turnwright/base/files/folders.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { tempFolder } from '@turnwright/test/scenarios/temp-folder.ts';
import { fakeTool } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { unknownTools } from '../../src/engine/wiring/tools/tool-fields.ts';
import { readAgentFiles } from '../../src/subagents/agent-files.ts';
import { agentCatalog, definedAgents } from '../../src/subagents/catalog.ts';
import { readDefinition } from '../../src/subagents/read-definition.ts';
import { selectTools } from '../../src/subagents/select-tools.ts';

const file = (fields: string, body = 'You review.') => `---\n${fields}\n---\n${body}\n`;

async function read(files: Readonly<Record<string, string>>, prefix?: string) {
  return readIn(tempFolder(files), prefix);
}

async function readIn(folder: string, prefix?: string) {
  const warnings: string[] = [];
  const notes: string[] = [];
  const agents = await readAgentFiles([{ path: folder, prefix }, { path: join(folder, 'nowhere') }], {
    files: nodeFiles,
    warn: (line) => warnings.push(line.replaceAll(`${folder}/`, '')),
    unread: { note: (path, what) => notes.push(`${path.replaceAll(`${folder}/`, '')}: ${what}`) },
    unknownTools,
  });
  return { agents, warnings, notes };
}

describe('agents from files', () => {
  it('have their fields at the head and their prompt below', async () => {
    const { agents, warnings } = await read({
      'a.md': file(
        'name: reviewer\ndescription: Reviews.\ntools: Read, Bash(git diff:*)\nmodel: haiku\nmaxTurns: 3',
      ),
      'notes.txt': 'no agent',
    });
    expect(agents).toEqual([
      {
        name: 'reviewer',
        description: 'Reviews.',
        tools: ['Read', 'Bash(git diff:*)'],
        model: 'haiku',
        maxTurns: 3,
        prompt: 'You review.',
      },
    ]);
    expect(warnings).toEqual([]);
  });

  it('a file without a name is named after itself; a plugin puts its own in front', async () => {
    const { agents } = await read({ 'writer.md': file('description: Writes.') }, 'blog');
    expect(agents.map(({ name }) => name)).toEqual(['blog:writer']);
  });

  it('a broken one is named and passed over, and so is what has no effect', async () => {
    const { agents, warnings, notes } = await read({
      'a.md': 'Just text.',
      'b.md': file('- description', 'x'),
      'c.md': file('description: C.\nmaxTurns: many'),
      'd.md': file(
        'description: D.\nobserver: watcher\ncolour: red\nisolation: worktree\ntools: Read, MultiEdit',
      ),
    });
    expect(agents.map(({ name }) => name)).toEqual(['c', 'd']);
    expect(warnings).toEqual([
      'The agent file a.md was passed over: "description" is missing.',
      expect.stringContaining('The agent file b.md was passed over'),
      'c.md: "maxTurns" was passed over, as it must be a whole number above 0.',
      'd.md: "observer" has no effect here.',
      'd.md: "isolation" has no effect here: the agent works in the folder of its session.',
    ]);
    expect(notes).toEqual([
      'd.md: "colour" is not a field of an agent',
      'd.md: "tools" names MultiEdit, which is no tool here',
    ]);
  });

  /** In a file: what is left of a field, and whether a warning names it; undefined: the file is no agent. */
  type FormOfField = [written: string, left: object | undefined, isNamed: boolean];
  const refused = (field: string, values: readonly string[]) =>
    values.map((value): FormOfField => [`${field}: ${value}`, {}, true]);
  it.each<FormOfField>([
    ...refused('effort', ['balanced', '[high]', '{a: 1}', 'true', '""', '7']),
    ...refused('memory', ['feedback', '[user]', '1']),
    ...refused('maxTurns', ['many', '0', '"-1"', '1.5', '[5]']),
    ['maxTurns: "5"', { maxTurns: 5 }, false],
    ['autoCompactWindow: "50000"', { autoCompactWindow: 50_000 }, false],
    ['background: "true"', { background: true }, false],
    ["omitClaudeMd: 'false'", { omitClaudeMd: false }, false],
    ...refused('background', ['yes', '1', '[true]']),
    ...refused('permissionMode', ['whatever', 'true', '[plan]']),
    ...refused('model', ['[opus]', '5', '""', '{a: b}']),
    ...refused('skills', ['5', '{a: b}', 'true', '[[x]]']),
    ...refused('mcpServers', ['5', 'true', '[5]']),
    ...refused('hooks', ['text', '[a]', '5']),
    ...refused('initialPrompt', ['[a]', '5']),
    ['model:\nmemory: null\nskills: ~', {}, false],
    ['tools: Read Grep', { tools: ['Read', 'Grep'] }, false],
    [
      'tools: Read Bash(git log:*, git diff) Grep',
      { tools: ['Read', 'Bash(git log:*, git diff)', 'Grep'] },
      false,
    ],
    ['tools:\n\t- Read\n\t- Grep', { tools: ['Read', 'Grep'] }, false],
    ['tools: ["Read", "Grep"]', { tools: ['Read', 'Grep'] }, false],
    ['tools: "*"', { tools: ['*'] }, false],
    // Empty is not "all".
    ['tools:', { tools: [] }, false],
    ['tools: []', { tools: [] }, false],
    ['tools: ""', { tools: [] }, false],
    ['disallowedTools: Bash Write', { disallowedTools: ['Bash', 'Write'] }, false],
    // What restricts an agent, and cannot be read, costs the agent.
    ...['tools: 7', 'tools: true', 'tools: {a: b}', 'tools:\n  - a: b: c\n   - d', 'disallowedTools: 5'].map(
      (bad): FormOfField => [bad, undefined, true],
    ),
  ])('%j', async (fields, left, isNamed) => {
    const { agents, warnings } = await read({ 'a.md': file(`description: A.\n${fields}`) });
    expect(agents).toEqual(
      left === undefined ? [] : [{ name: 'a', description: 'A.', prompt: 'You review.', ...left }],
    );
    const [field = ''] = fields.split(':');
    expect(warnings).toEqual(isNamed ? [expect.stringContaining(`"${field}"`)] : []);
  });

  it.each([
    ['description: Use it: now.\\n\\nuser: \\"x\\"', 'Use it: now.\n\nuser: \\"x\\"'],
    ['description: 42', '42'],
    ['description: true', 'true'],
    ['description: |\n  a: b\n  c', 'a: b\nc\n'],
    ['description: first: line\n  second', 'first: line second'],
  ])('describes itself with %j', async (fields, description) => {
    expect((await read({ 'a.md': file(fields) })).agents).toMatchObject([{ description }]);
  });

  it('needs no prompt', async () => {
    expect((await read({ 'a.md': file('description: A.', '') })).agents).toMatchObject([
      { name: 'a', prompt: '' },
    ]);
  });

  it('sub-folders are read, in a plugin they are part of the name', async () => {
    const tree = {
      'top.md': file('description: T.'),
      'cat/one.md': file('name: one\ndescription: O.'),
      'cat/deep/er/two.md': file('description: T.'),
      '.hidden/no.md': file('description: N.'),
      'node_modules/no.md': file('description: N.'),
    };
    const names = async (prefix?: string) => (await read(tree, prefix)).agents.map(({ name }) => name);
    expect(await names()).toEqual(['top', 'one', 'two']);
    expect(await names('p')).toEqual(['p:top', 'p:cat:one', 'p:cat:deep:er:two']);
  });

  it('links in a circle end, and each folder is read once', async () => {
    const folder = tempFolder({ 'a/one.md': file('description: O.') });
    await symlink(folder, join(folder, 'a', 'up'));
    await symlink(join(folder, 'a'), join(folder, 'b'));
    expect((await readIn(folder)).agents.map(({ name }) => name)).toEqual(['one']);
    expect((await readIn(folder)).warnings).toEqual([]);
  });

  it('too many files and too deep folders are said', async () => {
    const deep = `${Array.from({ length: 18 }, (_, at) => `d${at}`).join('/')}/x.md`;
    const { agents, warnings } = await read({ [deep]: file('description: X.') });
    expect(agents).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('lies too deep and was passed over.')]);
    const names = Array.from({ length: 2001 }, (_, at) => `${at}.md`);
    const files = { ...nodeFiles, stat: async () => undefined, readDir: async () => names };
    expect((await markdownBelow('/x', files)).tooMuch).toContain('more than 2000');
  });

  it('of two with one name in one place the last counts, and the other is named', async () => {
    const { agents, warnings } = await read({
      'a.md': file('name: same\ndescription: First.'),
      'sub/b.md': file('name: same\ndescription: Second.'),
    });
    expect(agents).toMatchObject([{ name: 'same', description: 'Second.' }]);
    expect(warnings).toEqual(['The agent file a.md was passed over: sub/b.md has the name "same" too.']);
  });

  it.each([
    ['z2.md', 'a/x.md'],
    ['a/c.md', 'a/b/x.md'],
    ['a/z/x.md', 'a/b.md'],
    ['m/x.md', 'm-1/x.md'],
    ['m/x.md', 'm.md'],
    ['a/x.md', 'B/x.md'],
  ])('of one name, the last path counts, wherever its folder is: %s', async (last, other) => {
    const tree = {
      [last]: file('name: same\ndescription: L.'),
      [other]: file('name: same\ndescription: O.'),
    };
    expect((await read(tree)).agents).toMatchObject([{ description: 'L.' }]);
  });

  it.each(['a/x.md', 'z/x.md'])('a name in a file counts before the name of a file: %s', async (path) => {
    const tree = { 'same.md': file('description: O.'), [path]: file('name: same\ndescription: L.') };
    expect((await read(tree)).agents).toMatchObject([{ name: 'same', description: 'L.' }]);
  });

  it.each([
    [
      '# Title\n\nDo it.',
      { name: 'p:a', description: 'An agent of the plugin p', prompt: '# Title\n\nDo it.' },
    ],
    ['---\nname: x\n---\nBody', { name: 'p:x', description: 'An agent of the plugin p', prompt: 'Body' }],
    ['---\nname: x\ndescription:\n---\nBody', { name: 'p:x', description: 'An agent of the plugin p' }],
    ['---\n- no fields\n---\nBody', { name: 'p:a', description: 'An agent of the plugin p', prompt: 'Body' }],
    [
      '<!-- c -->\n---\nname: x\ndescription: D.\n---\nBody',
      { name: 'p:x', description: 'D.', prompt: 'Body' },
    ],
    ['', { name: 'p:a', prompt: '' }],
  ])('in a plugin every Markdown file is one: %j', async (text, agent) => {
    expect((await read({ 'a.md': text }, 'p')).agents).toMatchObject([agent]);
  });
});

describe('which agents there are', () => {
  const agent = (name: string, prompt: string) => ({ name, description: name, prompt });

  it('the first definition decides; built-in ones exist unless their name is taken', () => {
    const catalog = agentCatalog([agent('x', 'option')], [agent('x', 'file'), agent('Explore', 'mine')]);
    expect(catalog.map(({ name }) => name)).toEqual(['general-purpose', 'Explore', 'Plan', 'x']);
    expect(catalog.find(({ name }) => name === 'x')?.prompt).toBe('option');
    expect(catalog.find(({ name }) => name === 'Explore')?.prompt).toBe('mine');
  });

  it('a broken definition in the options is refused, naming agent and field', () => {
    expect(() => definedAgents({ x: { description: 'x', prompt: 'y', tools: 7 } }, () => {})).toThrow(
      'The agent "x" in "agents": "tools" must be a list of tool names.',
    );
    expect(readDefinition('x', 'y')).toMatchObject({ ok: false });
    expect(readDefinition('', { description: 'x', prompt: 'y' })).toMatchObject({ ok: false });
  });
});

describe('which tools an agent gets', () => {
  const all = ['Read', 'Bash', 'mcp__a__x', 'mcp__a__y', 'mcp__b__z'].map((name) => fakeTool({ name }));
  const names = (selection: Parameters<typeof selectTools>[0]) =>
    selectTools(selection, all).map(({ name }) => name);

  it.each([
    [{}, ['Read', 'Bash', 'mcp__a__x', 'mcp__a__y', 'mcp__b__z']],
    [{ tools: ['*'] }, ['Read', 'Bash', 'mcp__a__x', 'mcp__a__y', 'mcp__b__z']],
    [{ tools: ['Read', 'Bash(ls:*)', 'mcp__a'] }, ['Read', 'Bash', 'mcp__a__x', 'mcp__a__y']],
    [{ tools: ['mcp__a__x', 'Nothing'] }, ['mcp__a__x']],
    [{ disallowedTools: ['mcp__a__*', 'Bash'] }, ['Read', 'mcp__b__z']],
    [{ disallowedTools: ['mcp__*'] }, ['Read', 'Bash']],
    [{ tools: [] }, []],
  ])('%j', (selection, expected) => {
    expect(names(selection)).toEqual(expected);
  });
});
