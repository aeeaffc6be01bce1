import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import {
  broken,
  callTool,
  type Deferred,
  deferred,
  type FakeTool,
  fakeTool,
  hang,
  pause,
  reply,
  type ScriptStep,
  say,
  unfinished,
  virtualClock,
} from '@turnwright/testing';
import type { PageRequest, WebAgentOptions } from '@turnwright/web';
import { textOf } from '@turnwright/web/client';
import { describe, expect, it, vi } from 'vitest';
import type { Query } from '../../packages/engine/src/sdk/query/query.ts';
import type { Options } from '../../packages/engine/src/sdk/query-options.ts';
import { telling } from '../engine/engine-under-test.ts';
import { queryUnderTest } from '../sdk/query-under-test.ts';
import { type PageServer, page, post, serveAgent } from './page-under-test.ts';

/** Serves the script, for as long as `use` takes. */
async function served(
  script: readonly ScriptStep[],
  use: (server: PageServer, started: readonly { asked: PageRequest; query: Query }[]) => Promise<void>,
  {
    options = {},
    tools = [],
    ...handler
  }: WebAgentOptions & { readonly options?: Options; readonly tools?: readonly FakeTool[] } = {},
): Promise<void> {
  const started: { asked: PageRequest; query: Query }[] = [];
  const server = await serveAgent((asked) => {
    const { canUseTool } = asked;
    const { query } = queryUnderTest(script, asked.prompt, {
      canUseTool,
      includePartialMessages: true,
      engine: { tools },
      ...options,
    });
    started.push({ asked, query });
    return query;
  }, handler);
  try {
    await use(server, started);
  } finally {
    await server.close();
  }
}

const texts = (messages: readonly Parameters<typeof textOf>[0][]) =>
  messages.map(textOf).filter((text) => text !== '');

describe('a page that runs an agent', () => {
  it('shows the text as it is written', async () => {
    await served([hang(unfinished({ type: 'text', text: 'Hello, page.' }))], async ({ url }) => {
      const { until, interrupt, finished } = page(url, { prompt: 'Hi.' });
      await until(({ text }) => text === 'Hello, page.');
      await interrupt();
      expect((await finished).text).toBe('');
    });
  });

  it('shows each message when it is whole, to the result', async () => {
    const written = deferred<void>();
    await served(
      [reply([say('Hello, '), pause(written.promise), say('page.')])],
      async ({ url }, started) => {
        const { until, finished } = page(url, { prompt: 'Hi.', colour: 'red' });
        await until(({ messages }) => texts(messages).includes('Hello, '));
        written.resolve();
        const { messages, done, error, text, run } = await finished;
        expect(texts(messages)).toEqual(['Hello, ', 'page.']);
        expect({ done, error, text }).toEqual({ done: true, error: undefined, text: '' });
        expect(run).toMatch(/^[\da-f-]{36}$/);
        expect(messages.at(-1)).toMatchObject({ type: 'result', result: 'page.' });
        expect(started[0]?.asked).toMatchObject({ prompt: 'Hi.', body: { prompt: 'Hi.', colour: 'red' } });
      },
    );
  });

  it('forgets what the model retracted', async () => {
    const failure = { kind: 'overloaded', status: 529, message: 'Overloaded.' } as const;
    await served([broken({ after: [say('Half an ans')], failure }), say('The whole.')], async ({ url }) => {
      const { finished, views } = page(url, { prompt: 'Hi.' });
      const { messages } = await finished;
      expect(views.some((view) => texts(view.messages).includes('Half an ans'))).toBe(true);
      expect(texts(messages)).toEqual(['The whole.']);
    });
  });

  it('asks the page about a call, and follows its answer', async () => {
    const write = fakeTool({ name: 'Write' });
    const script = [
      callTool('Write', { n: 1 }, { id: 'one' }),
      callTool('Write', { n: 2 }, { id: 'two' }),
      callTool('Write', { n: 3 }, { id: 'three' }),
      say('Done.'),
    ];
    await served(
      script,
      async ({ url }) => {
        const { until, answer, finished } = page(url, { prompt: 'Hi.' });
        const { asks } = await until((view) => view.asks.length === 1);
        expect(asks[0]).toMatchObject({ tool: 'Write', input: { n: 1 } });
        await answer(asks[0]?.ask ?? '', { behavior: 'deny', message: 'Not this one.' });
        await expect(answer(asks[0]?.ask ?? '', { behavior: 'allow' })).rejects.toThrow(
          'The question has been answered, or was withdrawn.',
        );
        const second = await until(({ asks: [ask] }) => ask?.input['n'] === 2);
        await answer(second.asks[0]?.ask ?? '', { behavior: 'allow', input: { n: 20 }, always: true });
        const { messages, asks: left } = await finished;
        expect(left).toEqual([]);
        expect(JSON.stringify(messages)).toContain('Not this one.');
        // The third is allowed by what the page said of the second, if it could be remembered.
        expect(write.calls.map(({ input }) => input)).toEqual([{ n: 20 }, { n: 3 }]);
      },
      { tools: [write] },
    );
  });

  it('is read by a second page, which may answer', async () => {
    const tool = fakeTool({ name: 'Send' });
    await served(
      [callTool('Send', {}), say('Sent.')],
      async ({ url }) => {
        const desk = page(url, { prompt: 'Hi.' });
        const { run = '' } = await desk.until((view) => view.asks.length === 1);
        const phone = page(url, { run });
        const { asks } = await phone.until((view) => view.asks.length === 1);
        await phone.answer(asks[0]?.ask ?? '', { behavior: 'allow' });
        expect(texts((await desk.finished).messages)).toEqual(['Sent.']);
        expect((await phone.finished).messages).toEqual((await desk.finished).messages);
      },
      { tools: [tool] },
    );
  });

  it('stops the turn, and receives its result', async () => {
    const asked = deferred<void>();
    await served([telling(asked, hang())], async ({ url }) => {
      const { interrupt, finished, until } = page(url, { prompt: 'Hi.' });
      await until(({ run }) => run !== undefined);
      await asked.promise;
      await interrupt();
      expect((await finished).messages.at(-1)).toMatchObject({
        type: 'result',
        terminal_reason: 'aborted_streaming',
      });
    });
  });

  it('receives an error as a sentence', async () => {
    await served(
      [callTool('Nothing', {}), say('Never.')],
      async ({ url }) => {
        const { error, messages } = await page(url, { prompt: 'Hi.' }).finished;
        expect(error).toBe('Reached maximum number of turns (1)');
        expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'error_max_turns' });
      },
      { options: { maxTurns: 1 } },
    );
  });
});

describe('a connection that breaks', () => {
  it('is made again, and continues where it broke', async () => {
    const written = deferred<void>();
    await served([reply([say('One.'), pause(written.promise), say('Two.')])], async ({ url, cut }) => {
      const { until, finished } = page(url, { prompt: 'Hi.' });
      await until(({ messages }) => texts(messages).includes('One.'));
      cut();
      written.resolve();
      const { messages, error } = await finished;
      expect(texts(messages)).toEqual(['One.', 'Two.']);
      expect(error).toBeUndefined();
    });
  });

  it('F166 once behind each message: no gap, nothing twice, and the run does not notice', async () => {
    const words = ['One.', 'Two.', 'Three.', 'Four.'];
    const written = words.map(() => deferred<void>());
    const parts = words.flatMap((word, at) => [say(word), pause((written[at] as Deferred<void>).promise)]);
    await served([reply(parts)], async ({ url, cut }, started) => {
      const { until, finished, views } = page(url, { prompt: 'Hi.' });
      for (const [at, word] of words.entries()) {
        await until(({ messages }) => texts(messages).includes(word));
        cut();
        written[at]?.resolve();
      }
      const { messages, error } = await finished;
      expect(texts(messages)).toEqual(words);
      expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(messages.length);
      for (const view of views) expect(words.join()).toContain(texts(view.messages).join());
      expect(error).toBeUndefined();
      expect(started).toHaveLength(1);
      expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success' });
    });
  });

  it('interrupts the run when no page returns in time, and not before', async () => {
    const clock = virtualClock();
    const asked = deferred<void>();
    await served(
      [telling(asked, hang())],
      async ({ url }, started) => {
        const { leave } = page(url, { prompt: 'Hi.' });
        await asked.promise;
        leave();
        await vi.waitFor(() => expect(clock.pending).toBe(1));
        expect(started[0]?.asked.signal.aborted).toBe(false);
        await clock.advance(10_000);
        expect(started[0]?.asked.signal.aborted).toBe(true);
        expect(await started[0]?.query.next()).toMatchObject({ done: true });
      },
      { clock },
    );
  });

  it('without grace interrupts at once', async () => {
    const asked = deferred<void>();
    await served(
      [telling(asked, hang())],
      async ({ url }, started) => {
        const { leave } = page(url, { prompt: 'Hi.' });
        await asked.promise;
        const signal = started[0]?.asked.signal as AbortSignal;
        const ended = new Promise((resolve) => signal.addEventListener('abort', resolve));
        leave();
        await ended;
      },
      { graceMs: 0 },
    );
  });
});

describe('what is refused', () => {
  const sentence = async (response: Response) => [response.status, (await response.json()).error];

  it('is said in a sentence', async () => {
    await served([], async ({ url }) => {
      expect(await sentence(await post(url, '{'))).toEqual([400, 'The body must be a JSON object.']);
      expect(await sentence(await post(url, { prompt: ' ' }))).toEqual([
        400,
        'The body has no "prompt" with text, and no "messages" that end with one.',
      ]);
      expect(await sentence(await post(url, { run: 'unknown', interrupt: true }))).toEqual([
        404,
        'This run has ended, or was started by another process of the server.',
      ]);
      expect(await sentence(await fetch(url, { method: 'PUT' }))).toEqual([
        405,
        'Only GET and POST are answered here.',
      ]);
      expect((await fetch(`${url}?run=unknown`)).status).toBe(204);
      expect((await page(url, { run: 'unknown' }).finished).error).toBe('The run has ended.');
    });
  });

  it('is a body that a page of another site can send without being asked', async () => {
    await served([], async ({ url }) => {
      expect((await post(url, '{"prompt":"x"}', { 'content-type': 'text/plain' })).status).toBe(415);
      expect((await post(url, { prompt: 'x' }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    });
  });

  it('is a body that is too large', async () => {
    await served(
      [],
      async ({ url }) => expect((await post(url, { prompt: 'x'.repeat(99) })).status).toBe(413),
      {
        maxBodyBytes: 99,
      },
    );
  });

  it('is a run too many, until one has ended or could not start', async () => {
    let fails = true;
    const server = await serveAgent(
      ({ prompt }) => {
        if (fails) throw new Error('not yet');
        return queryUnderTest([hang()], prompt).query;
      },
      { maxRuns: 2 },
    );
    for (let at = 0; at < 3; at++) expect((await post(server.url, { prompt: 'x' })).status).toBe(500);
    fails = false;
    const pages = [page(server.url, { prompt: 'a' }), page(server.url, { prompt: 'b' })];
    for (const { until } of pages) await until(({ run }) => run !== undefined);
    expect(await sentence(await post(server.url, { prompt: 'c' }))).toEqual([
      429,
      'Too many runs go on now. Try again later.',
    ]);
    await pages[0]?.interrupt();
    await pages[0]?.finished;
    const third = page(server.url, { prompt: 'c' });
    await third.until(({ run }) => run !== undefined);
    for (const { interrupt, finished } of [...pages.slice(1), third]) {
      await interrupt();
      await finished;
    }
    await server.close();
  });

  it('is a run that cannot start, without what only the server should know', async () => {
    const failing = (error: Error) => serveAgent(() => Promise.reject(error));
    const own = await failing(new TurnwrightError('not_configured', 'No model is configured.'));
    expect((await page(own.url, { prompt: 'x' }).finished).error).toBe('No model is configured.');
    await own.close();
    const foreign = await failing(new Error('password=secret'));
    expect((await page(foreign.url, { prompt: 'x' }).finished).error).toBe(
      'The run failed on the server; its log says why.',
    );
    await foreign.close();
  });
});
