import { randomUUID } from 'node:crypto';
import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { AbortError, QueryEngine, query, type SDKMessage } from '@turnwright/engine';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { createFileJournalStore } from '../../../packages/engine/src/session/journal/file-store.ts';
import { sessionsDirectory } from '../../../packages/engine/src/session/paths.ts';
import { outline } from '../outline.ts';
import { conversation, KEY, laidOver, rehearse, serve } from '../rehearse.ts';
import { tempFolder } from '../temp-folder.ts';

/** Says something, then nothing more. */
const falling = () => reply(['First.', 'Second'], { faults: [{ name: 'stall', after: 6 }] });

async function engineOver(replies: Parameters<typeof serve>[0]) {
  const server = await serve(replies);
  const place = { cwd: tempFolder(), home: tempFolder(), sessionId: randomUUID() };
  const engine = new QueryEngine({
    ...place,
    tools: [],
    systemPrompt: [],
    baseUrl: server.url,
    apiKey: KEY,
  });
  return { engine, place, server };
}

/** All messages, acting on the first answer. */
async function collect(
  messages: AsyncIterable<SDKMessage>,
  onAnswer: () => unknown = () => {},
): Promise<SDKMessage[]> {
  const seen: SDKMessage[] = [];
  for await (const message of messages) {
    seen.push(message);
    if (message.type === 'assistant') await onAnswer();
  }
  return seen;
}

describe('L10.6 exactly one result, last; none when the consumer has left', () => {
  it('L10.6 submitMessage: each submission has its own', async () => {
    const { engine } = await engineOver([reply('One.'), reply('Two.')]);
    expect(outline(await collect(engine.submitMessage('One?')))).toEqual(['init', 'text', 'result:success']);
    expect(outline(await collect(engine.submitMessage('Two?')))).toEqual(['init', 'text', 'result:success']);
    await engine.close();
  });

  it('L10.6 submitMessage: none after return(), which does not wait for the model', async () => {
    const { engine } = await engineOver([falling()]);
    const messages = engine.submitMessage('Hello.');
    const seen: SDKMessage[] = [];
    for await (const message of messages) {
      seen.push(message);
      if (message.type === 'assistant') break;
    }
    expect(outline(seen)).toEqual(['init', 'text']);
    expect(await messages.next()).toEqual({ done: true, value: undefined });
    await engine.close();
  });

  it('L10.6 submitMessage: return() beside a pending next() ends both', async () => {
    const { engine } = await engineOver([falling()]);
    const messages = engine.submitMessage('Hello.');
    while ((await messages.next()).value?.type !== 'assistant');
    const pending = messages.next();
    await messages.return();
    expect(await pending).toEqual({ done: true, value: undefined });
    await engine.close();
  });

  it('L10.6 submitMessage: none after throw()', async () => {
    const { engine } = await engineOver([falling()]);
    const messages = engine.submitMessage('Hello.');
    while ((await messages.next()).value?.type !== 'assistant');
    await expect(messages.throw(new Error('mine'))).rejects.toThrow('mine');
    await engine.close();
  });

  it('L10.6 submitMessage: none after close()', async () => {
    const { engine } = await engineOver([falling()]);
    const seen = await collect(engine.submitMessage('Hello.'), () => void engine.close());
    expect(outline(seen)).toEqual(['init', 'text']);
    await expect(engine.submitMessage('Again.').next()).rejects.toMatchObject({ code: 'engine_closed' });
  });

  it('L10.6 submitMessage: none once another owner has taken the session over', async () => {
    const { engine, place } = await engineOver([reply('Yours no more.', { timing: { gapMs: 30 } })]);
    const store = createFileJournalStore({
      files: nodeFiles,
      directory: sessionsDirectory(place.home, place.cwd),
      cwd: place.cwd,
      clock: systemClock,
    });
    const seen: SDKMessage[] = [];
    for await (const message of engine.submitMessage('Hello.')) {
      seen.push(message);
      if (message.type === 'system') await store.takeOver(place.sessionId);
    }
    expect(outline(seen)).toEqual(['init']);
    await store.close(place.sessionId);
    await engine.close();
  });

  it('L10.6 query: the caller’s abort drops the result and throws AbortError', async () => {
    const abortController = new AbortController();
    const run = await rehearse({
      replies: [falling()],
      options: { abortController },
      onMessage: (message) => message.type === 'assistant' && abortController.abort(),
    });
    expect(run.results).toEqual([]);
    expect(run.error).toBeInstanceOf(AbortError);
  });

  it('L10.6 query: close() ends it silently, interrupt() yields the result', async () => {
    const closed = await rehearse({
      replies: [falling()],
      onMessage: (message, { query }) => message.type === 'assistant' && void query.close(),
    });
    expect(closed.results).toEqual([]);
    expect(closed.error).toBeUndefined();
    const interrupted = await rehearse({
      replies: [falling()],
      onMessage: (message, { query }) => message.type === 'assistant' && void query.interrupt(),
    });
    expect(interrupted.results).toHaveLength(1);
    expect(interrupted.error).toMatchObject({ code: 'error_result' });
  });

  it('L10.6 query: return() beside a pending next() ends both without a result', async () => {
    const server = await serve([falling()]);
    const messages = query({
      prompt: 'Hello.',
      options: laidOver(server, { cwd: tempFolder(), home: tempFolder() }),
    });
    while ((await messages.next()).value?.type !== 'assistant');
    const pending = messages.next();
    await messages.return();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(await messages.next()).toEqual({ done: true, value: undefined });
  });

  it('L10.6 query: an error result is yielded; thrown only once the input is closed', async () => {
    const server = await serve([
      reply('never', { faults: [{ name: 'http-status', status: 400 }] }),
      reply('Better.'),
    ]);
    const talk = conversation();
    talk.say('Hello.');
    const results: string[] = [];
    const options = laidOver(server, { cwd: tempFolder(), home: tempFolder() });
    for await (const message of query({ prompt: talk.prompts, options })) {
      if (message.type !== 'result') continue;
      results.push(`${message.subtype} ${message.is_error}`);
      if (results.length === 1) talk.say('Once more.');
      else talk.end();
    }
    expect(results).toEqual(['success true', 'success false']);
  });
});
