import { engineUnderTest } from '@turnwright/test/engine/engine-under-test.ts';
import { callTool, fakeTool, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';

const words = (count: number) => 'word '.repeat(count);
const options = {
  tools: [fakeTool({ name: 'Echo', answer: words(4_000) })],
  systemPrompt: words(1_000),
  modelOverrides: { small: { contextWindow: 100_000, maxOutputTokens: 8_000 } },
  model: 'small',
};

describe('getContextUsage', () => {
  it('says what fills the context, and adds up to the window', async () => {
    const usage = { input_tokens: 8_000, output_tokens: 100, cache_read_input_tokens: 2_000 };
    const { engine, run } = engineUnderTest([callTool('Echo'), say('Done.', { usage })], options);
    await run(words(500));
    const found = await engine.controls.contextUsage();
    expect(found).toMatchObject({
      model: 'small',
      totalTokens: 10_100,
      rawMaxTokens: 100_000,
      maxTokens: 92_000,
      percentage: 10,
      autoCompactThreshold: 79_500,
      isAutoCompactEnabled: true,
      apiUsage: { input_tokens: 8_000, output_tokens: 100, cache_read_input_tokens: 2_000 },
    });
    const byId = new Map(found.categories.map((category) => [category.id, category]));
    expect([...byId.keys()]).toEqual([
      'system_prompt',
      'system_tools',
      'messages',
      'tool_results',
      'free_space',
      'autocompact_buffer',
    ]);
    expect(byId.get('autocompact_buffer')).toMatchObject({ kind: 'buffer', tokens: 20_500 });
    const sum = found.categories.reduce((total, { tokens }) => total + tokens, 0);
    expect(Math.abs(sum - 100_000)).toBeLessThan(200);
    expect(byId.get('tool_results')?.tokens).toBeGreaterThan(byId.get('system_prompt')?.tokens ?? 0);
    expect(found.messageBreakdown.toolCallsByType).toEqual([
      expect.objectContaining({ name: 'Echo', resultTokens: byId.get('tool_results')?.tokens }),
    ]);
    expect(found.gridRows.flat()).toHaveLength(200);
    expect(found.systemTools).toContainEqual(expect.objectContaining({ name: 'Echo' }));
  });

  it('contextSize has its sums, before the first answer and after each one', async () => {
    const usage = { input_tokens: 8_000, output_tokens: 100, cache_read_input_tokens: 2_000 };
    const { engine, run } = engineUnderTest([say('One.', { usage }), callTool('Echo'), say('Two.')], options);
    const same = async () => {
      const size = await engine.controls.contextSize();
      expect(await engine.controls.contextUsage()).toMatchObject(size);
      return size;
    };
    expect(await same()).toMatchObject({ apiUsage: null, rawMaxTokens: 100_000, maxTokens: 92_000 });
    await run(words(500));
    expect(await same()).toMatchObject({ totalTokens: 10_100, percentage: 10, autoCompactThreshold: 79_500 });
    await run(words(10));
    expect(Object.keys(await same())).toHaveLength(8);
  });

  it('counts changed lines once, however often it is asked', async () => {
    const patch = { structuredPatch: [{ lines: ['-old', '+new', '+more', ' same'] }] };
    const tools = [fakeTool({ name: 'Echo', answer: { data: patch, content: 'ok' } })];
    const { engine, run } = engineUnderTest([callTool('Echo'), say('One.'), callTool('Echo'), say('Two.')], {
      ...options,
      tools,
    });
    const lines = () => engine.controls.usage().session;
    await run('go');
    const once = lines();
    expect(lines()).toMatchObject({ total_lines_added: once.total_lines_added });
    await run('again');
    expect(lines()).toMatchObject({
      total_lines_added: 2 * once.total_lines_added,
      total_lines_removed: 2 * once.total_lines_removed,
    });
    expect(once).toMatchObject({ total_lines_added: 2, total_lines_removed: 1 });
  });

  it('can be asked before the first prompt', async () => {
    const { engine } = engineUnderTest([], options);
    const found = await engine.controls.contextUsage();
    expect(found.apiUsage).toBeNull();
    expect(found.totalTokens).toBeGreaterThan(1_000);
    expect(found.categories.find(({ id }) => id === 'messages')).toBeUndefined();
  });

  it('shows what is deferred outside of the window', async () => {
    const usage = { input_tokens: 3_000, output_tokens: 10 };
    const described = { description: () => words(200) };
    const tools = ['mcp__box__echo', 'Echo'].map((name) => ({ ...fakeTool({ name }), ...described }));
    const { engine, run } = engineUnderTest([say('Hi.', { usage })], {
      ...options,
      tools,
      deferToolsAbove: 0,
    });
    await run('Hello.');
    const found = await engine.controls.contextUsage();
    const row = found.categories.find(({ id }) => id === 'mcp_tools_deferred');
    expect(row).toMatchObject({ kind: 'deferred', isDeferred: true, tokens: expect.any(Number) });
    expect(row?.tokens).toBeGreaterThan(100);
    expect(found.categories.map(({ id }) => id)).not.toContain('mcp_tools');
    expect(found.mcpTools).toMatchObject([
      { name: 'mcp__box__echo', serverName: 'box', isLoaded: false, tokens: row?.tokens },
    ]);
    expect(found.gridRows.flat().some(({ categoryName }) => categoryName === row?.name)).toBe(false);
    const inWindow = found.categories.filter(({ kind }) => kind !== 'deferred');
    expect(Math.abs(inWindow.reduce((sum, { tokens }) => sum + tokens, 0) - 100_000)).toBeLessThan(200);
    expect(found.agents).toEqual([]);
  });
});
