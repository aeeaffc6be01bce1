import { describe, expect, it } from 'vitest';
import type { ToolContext } from '../../../src/protocol/tools/tool.ts';
import { createSnipTool, type SnipOutput } from '../../../src/tools/builtin/snip.ts';

const context = {} as ToolContext;

async function snipped(answer: SnipOutput, ids: readonly string[]) {
  const asked: (readonly string[])[] = [];
  const tool = createSnipTool({
    mark(given) {
      asked.push(given);
      return answer;
    },
  });
  return { asked, output: await tool.run({ tool_use_ids: ids }, context), tool };
}

describe('Snip', () => {
  it('hands the ids on, and says how many calls will go', async () => {
    const { asked, output } = await snipped({ marked: ['a', 'b'], refused: [] }, ['a', 'b']);
    expect(asked).toEqual([['a', 'b']]);
    expect(output).toEqual({
      data: { marked: ['a', 'b'], refused: [] },
      content: '2 calls with their results will be removed from the context.',
    });
  });

  it('is an error when no id names anything, and says which', async () => {
    const refused = [{ id: 'x', why: 'No call or message in the context has this id.' }];
    const { output } = await snipped({ marked: [], refused }, ['x']);
    expect(output).toMatchObject({
      isError: true,
      content: 'x was not removed: No call or message in the context has this id.',
    });
  });

  it('takes a list of ids and nothing else', async () => {
    const { tool } = await snipped({ marked: [], refused: [] }, []);
    expect(await tool.parse({ tool_use_ids: ['a'] })).toMatchObject({ ok: true });
    for (const input of [
      {},
      { tool_use_ids: [] },
      { tool_use_ids: [''] },
      { tool_use_ids: ['a'], all: true },
    ])
      expect(await tool.parse(input)).toMatchObject({ ok: false });
  });

  it('runs beside other calls and asks for no permission', async () => {
    const { tool } = await snipped({ marked: [], refused: [] }, []);
    const input = { tool_use_ids: ['a'] };
    expect(tool.isConcurrencySafe?.(input)).toBe(true);
    expect(tool.isReadOnly?.(input)).toBe(true);
    expect(tool.permissionTarget?.(input, { cwd: '/' })).toEqual({ kind: 'none' });
  });
});
