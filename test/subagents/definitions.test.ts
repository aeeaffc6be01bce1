import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAgentFiles } from '../../src/subagents/agent-files.ts';
import { agentCatalog, definedAgents } from '../../src/subagents/catalog.ts';
import { readDefinition } from '../../src/subagents/read-definition.ts';
import { selectTools } from '../../src/subagents/select-tools.ts';
import { fakeTool } from '../../src/testing/index.ts';
import { nodeFiles } from '../../src/util/files/node-files.ts';
import { tempFolder } from '../scenarios/temp-folder.ts';

const file = (fields: string, body = 'You review.') => `---\n${fields}\n---\n${body}\n`;

async function read(files: Readonly<Record<string, string>>, prefix?: string) {
  const folder = tempFolder(files);
  const warnings: string[] = [];
  const agents = await readAgentFiles([{ path: folder, prefix }, { path: join(folder, 'nowhere') }], {
    files: nodeFiles,
    warn: (line) => warnings.push(line),
  });
  return { agents, warnings };
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
    const { agents, warnings } = await read({
      'a.md': 'Just text.',
      'b.md': file('- description', 'x'),
      'c.md': file('description: C.\nmaxTurns: many'),
      'd.md': file('description: D.\nobserver: watcher\ncolour: red'),
    });
    expect(agents.map(({ name }) => name)).toEqual(['d']);
    expect(warnings.map((line) => line.replace(/\S*\/([a-d]\.md)/, '$1'))).toEqual([
      expect.stringContaining('The agent file a.md was passed over: "description" is missing.'),
      expect.stringContaining('The agent file b.md was passed over'),
      'The agent file c.md was passed over: "maxTurns" must be a whole number above 0.',
      'd.md: "observer" has no effect here.',
      'd.md: "colour" is not a field of an agent.',
    ]);
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
