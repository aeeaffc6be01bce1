import { expect, it } from 'vitest';
import { type ToolRowsOptions, toolRows } from '../../../src/conversation/view/tool-rows.ts';
import type { ToolItem } from '../../../src/conversation/view/transcript-item.ts';

const same = (text: string) => text;
const options = {
  columns: 80,
  cwd: '/work',
  theme: { good: same, bad: same, warn: same, dim: same },
  diff: () => undefined,
} as unknown as ToolRowsOptions;
const edit = (diagnostics?: readonly object[]): ToolItem =>
  ({
    kind: 'tool',
    name: 'Edit',
    input: { file_path: '/work/a.ts' },
    outcome: 'done',
    text: '',
    result: { filePath: '/work/a.ts', ...(diagnostics !== undefined && { diagnostics }) },
  }) as unknown as ToolItem;
const found = { file: '/work/b.ts', line: 2, severity: 'error', message: 'No such name.' };

it('counts the new problems of an edit in its row, and lists them where nothing can be unfolded', () => {
  expect(toolRows(edit([found]), options)).toEqual([expect.stringContaining('1 new problem')]);
  expect(toolRows(edit([found, found]), { ...options, standAlone: true })).toEqual([
    expect.stringContaining('2 new problems'),
    '    b.ts:2 error: No such name.',
    '    b.ts:2 error: No such name.',
  ]);
  expect(toolRows(edit(), options).join()).not.toContain('problem');
});
