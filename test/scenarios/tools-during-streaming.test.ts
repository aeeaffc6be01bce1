import type { RehearsalServer } from '@turnwright/testing/rehearsal';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { until } from './processes.ts';
import { type Rehearsed, rehearse } from './rehearse.ts';

/** Three calls, each some time behind the one before, then some more time. */
const spaced = () =>
  reply(
    ['a', 'b', 'c'].map((name) => toolUse('Read', { file_path: `${name}.txt` }, `call_${name}`)),
    {
      timing: { blockPauseMs: 120 },
    },
  );
const files = { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' };

const lastByteMs = (server: RehearsalServer): number | undefined =>
  server.timeline.find(({ request, kind }) => request === 1 && kind === 'last_byte')?.atMs;

/** Both clocks are the process's monotonic one. */
function firstEnd({ decisions, server }: Rehearsed) {
  const ends = (decisions[0]?.tools ?? []).map(({ endedMs }) => endedMs);
  return { firstMs: Math.min(...ends), tools: ends.length, streamEndMs: lastByteMs(server) ?? 0 };
}

describe('tools run while the response still streams (L4.1)', () => {
  it('the first of three spaced read-only calls is done before the stream is', async () => {
    const run = await rehearse({ files, replies: [spaced(), reply('Seen.')] });
    const { firstMs, tools, streamEndMs } = firstEnd(run);
    expect(tools).toBe(3);
    expect(firstMs).toBeLessThan(streamEndMs);
  });

  it('so it is with a consumer that stops reading after the first of them', async () => {
    let stopped = false;
    const run = await rehearse({
      files,
      replies: [spaced(), reply('Seen.')],
      onMessage: async (message, { server }) => {
        if (stopped || message.type !== 'assistant') return;
        stopped = true;
        await until(() => lastByteMs(server) !== undefined);
      },
    });
    const { firstMs, tools, streamEndMs } = firstEnd(run);
    expect(stopped).toBe(true);
    expect(tools).toBe(3);
    expect(firstMs).toBeLessThan(streamEndMs);
  });
});
