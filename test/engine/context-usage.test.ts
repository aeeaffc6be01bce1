import { describe, expect, it } from 'vitest';
import { callTool, fakeTool, say } from '../../src/testing/index.ts';
import { engineUnderTest } from './engine-under-test.ts';

const words = (count: number) => 'word '.repeat(count);
const options = {
  tools: [fakeTool({ name: 'Echo', answer: words(4_000) })],
  customSystemPrompt: words(1_000),
  modelOverrides: { small: { contextWindow: 100_000, maxOutputTokens: 8_000 } },
  userSpecifiedModel: 'small',
};

describe('getContextUsage', () => {
  it('says what fills the context, and adds up to the window', async () => {
    const usage = { input_tokens: 8_000, output_tokens: 100, cache_read_input_tokens: 2_000 };
    const { engine, run } = engineUnderTest([callTool('Echo'), say('Done.', { usage })], options);
    await run(words(500));
    const found = await engine.getContextUsage();
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

  it('can be asked before the first prompt', async () => {
    const { engine } = engineUnderTest([], options);
    const found = await engine.getContextUsage();
    expect(found.apiUsage).toBeNull();
    expect(found.totalTokens).toBeGreaterThan(1_000);
    expect(found.categories.find(({ id }) => id === 'messages')).toBeUndefined();
  });
});
