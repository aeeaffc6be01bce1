/** The table of built-in tools is true of the tools that there are. */
import { describe, expect, it } from 'vitest';
import {
  BUILTIN_TOOL_NAMES,
  LEGACY_TOOL_NAME_ALIASES,
  leaderOfFamily,
  toolFacts,
  toolsOfFamily,
} from '../../src/protocol/tools/builtin-tools.ts';
import type { AnyTool } from '../../src/protocol/tools/tool.ts';
import { builtinTools } from '../../src/tools/builtin/index.ts';

const made = builtinTools();
const FAMILY_INPUT: Readonly<Record<string, object>> = {
  Bash: { command: 'ls' },
  Edit: { file_path: '/a', old_string: 'a', new_string: 'b' },
  Glob: { pattern: '*' },
  Grep: { pattern: 'a' },
  NotebookEdit: { notebook_path: '/a.ipynb', new_source: '' },
  Read: { file_path: '/a' },
  Write: { file_path: '/a', content: '' },
};
const targetOf = (tool: AnyTool) => tool.permissionTarget?.(FAMILY_INPUT[tool.name], { cwd: '/' })?.kind;

describe('the table of built-in tools', () => {
  it('has those that options alone make, and those about tasks', () => {
    const inTable = BUILTIN_TOOL_NAMES.filter((name) =>
      ['options', 'tasks'].includes(toolFacts(name).madeOf ?? ''),
    );
    expect(made.map(({ name }) => name).sort()).toEqual([...inTable]);
    const withoutTasks = builtinTools({ bash: { background: false } }).map(({ name }) => name);
    expect(withoutTasks.sort()).toEqual(inTable.filter((name) => toolFacts(name).madeOf === 'options'));
  });

  it.each(made.map((tool) => [tool.name, tool] as const))('%s: family and former names', (name, tool) => {
    const { family, formerNames = [] } = toolFacts(name);
    expect(targetOf(tool) ?? 'none').toBe(family ?? 'none');
    expect([...(tool.aliases ?? [])].sort()).toEqual([...formerNames].sort());
  });

  it('leaders of families are the tools whose rules the documentation names', () => {
    expect((['read', 'write', 'command', 'url'] as const).map(leaderOfFamily)).toEqual([
      'Read',
      'Edit',
      'Bash',
      'WebFetch',
    ]);
    expect(toolsOfFamily('read')).toEqual(['Read', 'Glob', 'Grep', 'LS', 'LSP', 'NotebookRead']);
    expect(toolsOfFamily('write')).toEqual(['Edit', 'MultiEdit', 'NotebookEdit', 'Write']);
  });

  it('a former name names a tool that there is; other tools have no facts', () => {
    for (const name of Object.values(LEGACY_TOOL_NAME_ALIASES)) expect(BUILTIN_TOOL_NAMES).toContain(name);
    expect(toolFacts('mcp__db__Read')).toEqual({});
    expect(toolFacts('toString')).toEqual({});
  });
});
