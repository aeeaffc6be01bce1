import { telling } from '@turnwright/test/engine/engine-under-test.ts';
import { queryUnderTest } from '@turnwright/test/sdk/query-under-test.ts';
import {
  broken,
  callTool,
  deferred,
  fakeTool,
  hang,
  reply,
  say,
  think,
  unfinished,
} from '@turnwright/testing';
import { describe, expect, it } from 'vitest';
import { keptParts } from '../src/browser/index.ts';
import { toUIMessageResponse, toUIMessageStream, type UIMessageChunk } from '../src/index.ts';

const partial = {
  includePartialMessages: true,
  permissionMode: 'bypassPermissions',
  allowDangerouslySkipPermissions: true,
} as const;

async function chunksOf(...given: Parameters<typeof queryUnderTest>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of toUIMessageStream(queryUnderTest(...given).query)) chunks.push(chunk);
  return chunks;
}

const typesOf = (chunks: readonly UIMessageChunk[]) => chunks.map(({ type }) => type);

describe('the UI message stream', () => {
  it('has texts, thoughts and calls as parts, and each response as a step', async () => {
    const look = fakeTool({ name: 'Look', answer: 'It is green.' });
    const script = [
      reply([think('Where?'), say('I look.'), callTool('Look', { at: 'it' }, { id: 'c1' })]),
      say('Green.'),
    ];
    const chunks = await chunksOf(script, 'Hi.', { ...partial, engine: { tools: [look] } });
    expect(typesOf(chunks).filter((type) => !/delta|input-start/.test(type))).toEqual([
      ...['start', 'start-step', 'reasoning-start', 'reasoning-end', 'text-start', 'text-end'],
      ...['tool-input-available', 'tool-output-available', 'finish-step'],
      ...['start-step', 'text-start', 'text-end', 'message-metadata', 'finish-step', 'finish'],
    ]);
    expect(chunks).toContainEqual({
      type: 'tool-input-available',
      toolCallId: 'c1',
      toolName: 'Look',
      input: { at: 'it' },
      dynamic: true,
    });
    const written = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.delta] : []));
    expect(written.join('')).toBe('I look.Green.');
  });

  it('is the same without partial messages', async () => {
    const script = [reply([think('Where?'), say('Here.')])];
    const whole = typesOf(await chunksOf(script, 'Hi.'));
    expect(whole).toEqual(typesOf(await chunksOf(script, 'Hi.', partial)));
  });

  it('marks what was retracted, for keptParts()', async () => {
    const failure = { kind: 'overloaded', status: 529, message: 'Overloaded.' } as const;
    const script = [
      broken({ after: [say('Half.'), unfinished({ type: 'text', text: 'An un' })], failure }),
      say('Whole.'),
    ];
    const parts = partsOf(await chunksOf(script, 'Hi.', partial));
    expect(parts.map(({ text }) => text)).toContain('Half.');
    expect(keptParts(parts).map(({ text }) => text)).toEqual(['Whole.']);
  });

  it('says why a call failed, and why the run did', async () => {
    const look = fakeTool({
      name: 'Look',
      answer: () => {
        throw new Error('Too dark.');
      },
    });
    const chunks = await chunksOf([callTool('Look', {}, { id: 'c1' }), say('x')], 'Hi.', {
      ...partial,
      maxTurns: 1,
      engine: { tools: [look] },
    });
    expect(chunks).toContainEqual(
      expect.objectContaining({ type: 'tool-output-error', errorText: expect.stringContaining('Too dark.') }),
    );
    expect(chunks).toContainEqual({ type: 'error', errorText: 'Reached maximum number of turns (1)' });
    expect(chunks.at(-1)).toEqual({ type: 'finish' });
  });

  it('ends the query when its reader leaves', async () => {
    const asked = deferred<void>();
    const { query } = queryUnderTest([telling(asked, hang())], 'Hi.');
    const reader = toUIMessageStream(query).getReader();
    await reader.read();
    await asked.promise;
    await reader.cancel();
    expect(await query.next()).toMatchObject({ done: true });
  });

  it('is a response that useChat reads', async () => {
    const response = toUIMessageResponse(queryUnderTest([say('Hello.')], 'Hi.').query);
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const lines = (await response.text()).trim().split('\n\n');
    expect(lines.every((line) => line.startsWith('data: '))).toBe(true);
    expect(lines.at(-1)).toBe('data: [DONE]');
  });
});

interface ReadPart {
  readonly type: string;
  text?: string;
  data?: unknown;
  providerMetadata?: unknown;
}

/** The parts that `useChat` makes of chunks, as far as texts and data go. */
function partsOf(chunks: readonly UIMessageChunk[]): ReadPart[] {
  const parts = new Map<string, ReadPart>();
  for (const chunk of chunks) {
    if (chunk.type === 'text-start') parts.set(chunk.id, { type: 'text', text: '' });
    else if (chunk.type === 'text-delta') {
      const part = parts.get(chunk.id) as ReadPart;
      part.text += chunk.delta;
    } else if (chunk.type === 'text-end')
      Object.assign(parts.get(chunk.id) as ReadPart, { providerMetadata: chunk.providerMetadata });
    else if (chunk.type === 'data-retracted') parts.set(chunk.id, { type: chunk.type, data: chunk.data });
  }
  return [...parts.values()];
}
