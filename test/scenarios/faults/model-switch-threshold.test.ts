import { QueryEngine } from '@turnwright/engine';
import { reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { tempFolder } from '../temp-folder.ts';

const LARGE = 'claude-large';
const SMALL = 'claude-small';

it('F25 from a large model to a small one and back: the trigger follows the model that is asked', async () => {
  const models = {
    [LARGE]: { contextWindow: 1_000_000, maxOutputTokens: 8_000 },
    [SMALL]: { contextWindow: 20_000, maxOutputTokens: 2_000 },
  };
  const server = await startRehearsal({
    windows: { [LARGE]: 1_000_000, [SMALL]: 20_000 },
    scenario: {
      name: 'two models',
      replies: [
        reply('<summary>Many words were given.</summary>', { when: { kind: 'compaction' }, times: 'any' }),
        reply('Ok.', { times: 'any' }),
      ],
    },
  });
  const engine = new QueryEngine({
    cwd: tempFolder(),
    tools: [],
    baseUrl: server.url,
    apiKey: 'key',
    model: LARGE,
    modelOverrides: models,
    compaction: { collapse: false },
  });
  const compactions = () => server.requests.filter(({ kind }) => kind === 'compaction').length;
  const run = async (prompt: string) => {
    for await (const message of engine.submitMessage(prompt)) {
      if (message.type === 'result') expect(message).toMatchObject({ subtype: 'success', is_error: false });
    }
  };
  try {
    await run('word '.repeat(8_000));
    await run('word '.repeat(8_000));
    expect(compactions(), 'a large window has room').toBe(0);
    await engine.model.switchTo(SMALL);
    await run('Go on.');
    const withSmall = compactions();
    expect(withSmall, 'a small one has not').toBeGreaterThan(0);
    await engine.model.switchTo(LARGE);
    await run('word '.repeat(30_000));
    expect(compactions(), 'and back').toBe(withSmall);
  } finally {
    await engine.close();
    await server.close();
  }
});
