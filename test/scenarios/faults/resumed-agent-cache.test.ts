import { fakeTool, recordingStore } from '@turnwright/testing';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { QueryEngine } from '../../../packages/engine/src/engine/query-engine.ts';
import { KEY, MODEL, serve } from '../rehearse.ts';
import { bodies, type SentBody } from '../sent.ts';
import { tempFolder } from '../temp-folder.ts';

/** Long enough to be cached, and the same for every agent of its kind. */
const SYSTEM = 'You review code and answer in one sentence.\n'.repeat(200);

const withoutMarks = (value: unknown) =>
  JSON.stringify(value, (key, part) => (key === 'cache_control' ? undefined : part));

describe('F114 an agent that is woken again', () => {
  it('finds its prefix in the cache: the bytes are the same, and no more than the new is written', async () => {
    const server = await serve([reply('It is sound.'), reply('Still sound.')]);
    const store = recordingStore();
    const cwd = tempFolder();
    const agent = (resume?: string) =>
      new QueryEngine({
        cwd,
        tools: [fakeTool({ name: 'Look' })],
        systemPrompt: [SYSTEM],
        baseUrl: server.url,
        apiKey: KEY,
        model: MODEL,
        store,
        ...(resume !== undefined && { resume }),
      });
    const ask = async (engine: QueryEngine, prompt: string) => {
      for await (const message of engine.submitMessage(prompt))
        if (message.type === 'result') expect(message.is_error).toBe(false);
      await engine.close();
    };

    const first = agent();
    await ask(first, 'Review it.');
    await ask(agent(first.sessionId), 'And now?');

    const [before, after] = bodies(server) as [SentBody, SentBody];
    expect(withoutMarks([after.system, after.tools])).toBe(withoutMarks([before.system, before.tools]));
    const recurring = after.messages.slice(0, before.messages.length);
    expect(withoutMarks(recurring)).toBe(withoutMarks(before.messages));

    const [cold, warm] = server.requests.flatMap(({ verdict }) =>
      verdict.kind === 'answered' ? [verdict.usage] : [],
    );
    expect(cold?.cache_creation_input_tokens).toBeGreaterThan(1_000);
    expect(warm?.cache_read_input_tokens).toBe(
      (cold?.cache_read_input_tokens ?? 0) + (cold?.cache_creation_input_tokens ?? 0),
    );
    expect(warm?.cache_creation_input_tokens).toBeLessThan(100);
    const decisions = store
      .entries(first.sessionId)
      .flatMap((entry) => (entry.type === 'decision' ? [entry.record] : []));
    expect(decisions.flatMap(({ cache }) => cache?.break ?? [])).toEqual([]);
  });
});
