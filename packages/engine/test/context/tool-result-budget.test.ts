import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Spill } from '../../src/context/clearing/result-preview.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import { applied, call, context, input, prompt, result, runStep } from './conversation.ts';

async function spillFolder(): Promise<{ spill: Spill; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tool-results-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return {
    folder,
    spill: async ({ toolUseId, data }) => {
      const path = join(folder, `${toolUseId}.txt`);
      await writeFile(path, data);
      return { path };
    },
  };
}

async function budget(view: readonly ViewMessage[], spill: Spill, more = {}) {
  const { port } = context([], { spill, ...more });
  const { outcome } = await runStep(port, 'tool-result-budget', input(view));
  const after = outcome.kind === 'edits' ? applied(view, outcome) : view;
  const contents = new Map<string, unknown>();
  for (const message of after) {
    if (message.type !== 'user' || typeof message.message.content === 'string') continue;
    for (const block of message.message.content)
      if (block.type === 'tool_result') contents.set(block.tool_use_id, block.content);
  }
  return { outcome, after, contents, text: (id: string) => String(contents.get(id)) };
}

const lines = (chars: number) => 'line of output\n'.repeat(Math.ceil(chars / 15)).slice(0, chars);

describe('tool-result-budget', () => {
  it('writes a result above 30 000 characters to a file and shows 2 KB that name file and size', async () => {
    const { spill, folder } = await spillFolder();
    const long = lines(30_001);
    const view = [prompt('p', 'x'), call('r', 'a'), result('a', long, { toolUseResult: { stdout: long } })];
    const { outcome, text, after } = await budget(view, spill);
    expect(outcome).toMatchObject({ kind: 'edits', source: 'replacement' });
    const path = join(folder, 'a.txt');
    expect(await readFile(path, 'utf8')).toBe(long);
    expect(text('a')).toContain(path);
    expect(text('a')).toContain('30,001 characters');
    expect(Buffer.byteLength(text('a'))).toBeLessThanOrEqual(2_048);
    expect(after[2]).toMatchObject({ uuid: 'result-a', kind: 'tool_result' });
    expect(JSON.stringify(outcome).length).toBeLessThan(5_000);
    if (outcome.kind === 'edits') expect(outcome.tokensFreed).toBeGreaterThan(6_000);
  });

  it('leaves what is within its limit; a tool may set its own', async () => {
    const { spill } = await spillFolder();
    const view = [call('r', 'a'), result('a', lines(30_000))];
    expect((await budget(view, spill)).outcome.kind).toBe('skip');
    expect((await budget(view, spill, { maxResultChars: () => 29_999 })).outcome.kind).toBe('edits');
    const huge = [call('r', 'a'), result('a', lines(150_000))];
    expect((await budget(huge, spill, { maxResultChars: () => Number.POSITIVE_INFINITY })).outcome.kind).toBe(
      'skip',
    );
  });

  it('decides the same bytes each time, and only once', async () => {
    const { spill } = await spillFolder();
    const view = [call('r', 'a'), result('a', lines(50_000))];
    const first = await budget(view, spill);
    expect((await budget(view, spill)).outcome).toEqual(first.outcome);
    expect((await budget(first.after, spill)).outcome.kind).toBe('skip');
    const { port } = context([], { spill });
    const old = await runStep(port, 'tool-result-budget', input(view, { fresh: [] }));
    expect(old.outcome.kind).toBe('skip');
  });

  it("beyond 200 000 joint characters the largest go first, Read's last, naming its source", async () => {
    const { spill } = await spillFolder();
    const own = { maxResultChars: (name: string) => (name === 'Big' ? 100_000 : undefined) };
    const view = [
      call('r', 'read', 'Read', { file_path: '/src/a.ts' }),
      call('r', 'one', 'Big'),
      call('r', 'two', 'Big'),
      call('r', 'three', 'Big'),
      result('read', lines(120_000)),
      result('one', lines(40_000)),
      result('two', lines(60_000)),
      result('three', lines(20_000)),
    ];
    const { text } = await budget(view, spill, own);
    expect(['read', 'one', 'two', 'three'].map((id) => text(id).length > 2_100)).toEqual([
      true,
      true,
      false,
      true,
    ]);
    const onlyReads = view.map((message) =>
      message.type === 'assistant'
        ? {
            ...message,
            message: {
              ...message.message,
              content: message.message.content.map((b) => ({
                ...b,
                name: 'Read',
                input: { file_path: '/src/a.ts' },
              })),
            },
          }
        : message,
    ) as ViewMessage[];
    const read = await budget(onlyReads, () => expect.unreachable());
    expect(read.text('read')).toContain('It came from /src/a.ts');
  });

  it('judges the results of each response by themselves', async () => {
    const { spill } = await spillFolder();
    const own = { maxResultChars: () => Number.POSITIVE_INFINITY };
    const view = [call('r1', 'a'), result('a', lines(150_000)), call('r2', 'b'), result('b', lines(150_000))];
    expect((await budget(view, spill, own)).outcome.kind).toBe('skip');
  });

  it('keeps images, drops their text only', async () => {
    const { spill } = await spillFolder();
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
    } as const;
    const view = [call('r', 'a'), result('a', [{ type: 'text', text: lines(40_000) }, image])];
    const { contents } = await budget(view, spill);
    expect(contents.get('a')).toMatchObject([{ type: 'text' }, image]);
  });

  it('F71: goes on without the file when the disk is full, and says so', async () => {
    const { text } = await budget([call('r', 'a'), result('a', lines(40_000))], () =>
      Promise.reject(new Error('ENOSPC')),
    );
    expect(text('a')).toContain('could not be kept (ENOSPC)');
  });

  it('never cuts a character in two', async () => {
    const { spill } = await spillFolder();
    const { text } = await budget([call('r', 'a'), result('a', '😀'.repeat(20_000))], spill);
    expect(Buffer.from(text('a')).toString()).toBe(text('a'));
    expect(Buffer.byteLength(text('a'))).toBeLessThanOrEqual(2_048);
  });
});
