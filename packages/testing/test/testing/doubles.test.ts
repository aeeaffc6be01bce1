import { openScope } from '@turnwright/base/async/scope.ts';
import type { JournalBody } from '@turnwright/engine/protocol/session/journal.ts';
import type { ToolContext } from '@turnwright/engine/protocol/tools/tool.ts';
import type { ToolCall, ToolUpdate } from '@turnwright/engine/protocol/tools/tool-call.ts';
import { describe, expect, it } from 'vitest';
import {
  countingLedger,
  fakeTool,
  recorder,
  recordingStore,
  scriptedTools,
  seededRandom,
  sequentialIds,
  virtualClock,
} from '../../src/testing/index.ts';

const title = (text: string): JournalBody => ({ type: 'title', id: text, submission: 's', title: text });

describe('recordingStore', () => {
  it('appends atomically, numbers entries and reads them back from any point', async () => {
    const store = recordingStore({ cwd: '/project' });
    const { epoch, head } = await store.takeOver('a');
    expect(await store.append('a', epoch, head, [title('one'), title('two')])).toEqual({ seq: 2 });
    expect(store.entries('a')).toMatchObject([
      { seq: 1, title: 'one', cwd: '/project', v: 1 },
      { seq: 2, title: 'two' },
    ]);
    const read: number[] = [];
    for await (const entry of store.read('a', 2)) read.push(entry.seq);
    expect(read).toEqual([2]);
    expect([await store.exists('a'), await store.exists('b')]).toEqual([true, false]);
  });

  it('refuses an older epoch, and an append from the wrong place', async () => {
    const store = recordingStore();
    const first = await store.takeOver('a');
    const second = await store.takeOver('a');
    expect(await store.append('a', first.epoch, 0, [title('late')])).toEqual({ fenced: true });
    await expect(store.append('a', second.epoch, 7, [title('gap')])).rejects.toMatchObject({
      code: 'storage_error',
    });
    await expect(store.append('b', 1, 0, [title('none')])).rejects.toMatchObject({
      code: 'session_not_found',
    });
    expect(store.entries('a')).toEqual([]);
  });

  it('fails once on demand', async () => {
    const store = recordingStore();
    const { epoch } = await store.takeOver('a');
    store.failNextAppend(new Error('ENOSPC'));
    await expect(store.append('a', epoch, 0, [title('one')])).rejects.toThrow('ENOSPC');
    expect(await store.append('a', epoch, 0, [title('one')])).toEqual({ seq: 1 });
  });
});

describe('recorder', () => {
  it('collects bodies and commits', async () => {
    const journal = recorder();
    await journal.append([title('one')]);
    await journal.commit();
    expect(journal.ofType('title').map((body) => body.title)).toEqual(['one']);
    expect(journal.commits).toEqual([1]);
  });

  it('fails at the n-th append, or is fenced from it on', async () => {
    const failing = recorder({ failAt: 2 });
    await failing.append([title('one')]);
    await expect(failing.append([title('two')])).rejects.toMatchObject({ code: 'storage_error' });
    await failing.append([title('three')]);
    const fenced = recorder({ fenceAt: 1 });
    await expect(fenced.append([title('one')])).rejects.toMatchObject({ code: 'fenced' });
    await expect(fenced.append([title('two')])).rejects.toMatchObject({ code: 'fenced' });
    expect(fenced.bodies).toEqual([]);
  });
});

describe('predictable', () => {
  it('gives the same ids and numbers in every run', () => {
    const ids = sequentialIds();
    expect([ids.uuid(), ids.uuid()]).toEqual([
      '00000000-0000-4000-8000-000000000001',
      '00000000-0000-4000-8000-000000000002',
    ]);
    const [a, b] = [seededRandom(7), seededRandom(7)];
    const drawn = Array.from({ length: 1_000 }, () => a());
    expect(drawn).toEqual(Array.from({ length: 1_000 }, () => b()));
    expect(drawn.every((x) => x >= 0 && x < 1)).toBe(true);
    expect(new Set(drawn).size).toBeGreaterThan(990);
  });
});

describe('fakeTool', () => {
  const context = (signal: AbortSignal) => ({ signal }) as ToolContext;

  async function run(tool: ReturnType<typeof fakeTool>, signal = new AbortController().signal) {
    const ran = tool.run({ n: 1 }, context(signal));
    if (!(Symbol.asyncIterator in ran)) throw new Error('a generator was expected');
    const progress: unknown[] = [];
    for (;;) {
      const next = await ran.next();
      if (next.done) return { output: next.value, progress };
      progress.push(next.value);
    }
  }

  it('answers, with progress before', async () => {
    const tool = fakeTool({
      name: 'Look',
      answer: ({ n }) => `saw ${n}`,
      progress: ['…'],
      concurrencySafe: true,
    });
    expect(await run(tool)).toEqual({
      output: { data: 'saw 1', content: 'saw 1' },
      progress: [{ type: 'fake', text: '…' }],
    });
    expect(tool.isConcurrencySafe?.({})).toBe(true);
    expect(tool.effectClass?.({})).toBe('unsafe');
  });

  it('holds a call until it is finished, failed or aborted', async () => {
    const tool = fakeTool({ name: 'Wait', hold: true });
    const finished = run(tool);
    (await tool.started(1)).finish('late');
    expect((await finished).output.content).toBe('late');
    const failed = run(tool);
    (await tool.started(2)).fail(new Error('broke'));
    await expect(failed).rejects.toThrow('broke');
    const controller = new AbortController();
    const aborted = run(tool, controller.signal);
    await tool.started(3);
    controller.abort(new Error('stop'));
    await expect(aborted).rejects.toThrow('stop');
  });
});

describe('scriptedTools', () => {
  const call = (name: string, more: Partial<ToolCall> = {}): ToolCall => ({
    block: { type: 'tool_use', id: `id-${name}`, name, input: {} },
    assistantUuid: 'assistant-1',
    effectKey: '',
    ...more,
  });
  const results = (updates: readonly ToolUpdate[]) =>
    updates.flatMap((update) => (update.kind === 'result' ? [[update.callId, update.trace.outcome]] : []));

  it('gives exactly one result per call, whatever happens', async () => {
    const scope = openScope();
    const tools = scriptedTools({
      Good: 'fine',
      Bad: () => {
        throw new Error('broke');
      },
      Slow: () => new Promise(() => {}),
    });
    const executor = tools.open({ scope, iteration: 1, chainId: 'c', depth: 0 });
    const cut = {
      ...call('Good'),
      block: { ...call('Good').block, id: 'cut' },
      unparsed: { raw: '{', cut: true },
    };
    for (const added of [call('Good'), call('Bad'), call('Slow'), call('Nowhere'), cut]) executor.add(added);
    await executor.ready();
    await virtualClock().settle();
    expect(results(executor.take())).toEqual([
      ['id-Good', 'ok'],
      ['id-Bad', 'error'],
      ['id-Nowhere', 'unknown_tool'],
      ['cut', 'invalid'],
    ]);
    expect(executor.open).toBe(1);
    await executor.abort('discarded');
    expect(results(executor.take())).toEqual([['id-Slow', 'aborted']]);
    expect([executor.open, tools.aborts]).toEqual([0, ['discarded']]);
    await executor.ready();
    await scope.close();
  });

  it('offers its handlers as the same wire tools every time', async () => {
    const tools = scriptedTools({ A: 'a', B: 'b' });
    expect((await tools.wireTools('m')).map((tool) => tool.name)).toEqual(['A', 'B']);
    expect(await tools.wireTools('m')).toBe(await tools.wireTools('m'));
  });
});

describe('countingLedger', () => {
  it('counts each effect key once', () => {
    const ledger = countingLedger(0.01);
    const spent = {
      model: 'm',
      effectKey: 'k',
      main: true,
      querySource: 'main',
      usage: {
        input_tokens: 1,
        output_tokens: 100,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    };
    expect([ledger.settle(spent), ledger.settle(spent), ledger.totalCostUsd()]).toEqual([1, 0, 1]);
  });
});
