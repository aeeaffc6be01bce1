import { QueryEngine } from '@turnwright/engine';
import { reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { tempFolder } from '../temp-folder.ts';

/** The provider counts each word of this text as nearly three tokens; our estimate says about one. */
async function compactionsWhenReported(inputTokens: number): Promise<number> {
  const server = await startRehearsal({
    windows: { 'claude-dense': 60_000 },
    scenario: {
      name: 'reported usage',
      replies: [
        reply('<summary>Words.</summary>', { when: { kind: 'compaction' }, times: 'any' }),
        reply('One.', {
          usage: { input_tokens: inputTokens, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
        }),
        reply('Two.', { times: 'any' }),
      ],
    },
  });
  const engine = new QueryEngine({
    cwd: tempFolder(),
    tools: [],
    baseUrl: server.url,
    apiKey: 'key',
    model: 'claude-dense',
    modelOverrides: { 'claude-dense': { contextWindow: 60_000, maxOutputTokens: 4_000 } },
    compaction: { collapse: false, cachedMicrocompact: false },
  });
  try {
    for (const words of [8_000, 12_000]) {
      for await (const message of engine.submitMessage('word '.repeat(words))) {
        if (message.type === 'result') expect(message.is_error).toBe(false);
      }
    }
    return server.requests.filter(({ kind }) => kind === 'compaction').length;
  } finally {
    await engine.close();
    await server.close();
  }
}

it('F29 a report far above the estimate makes later decisions by the calibrated figure', async () => {
  expect(await compactionsWhenReported(8_100)).toBe(0);
  expect(await compactionsWhenReported(22_000)).toBe(1);
});
