/**
 * The option `messageThreads` in whole sessions: what is recorded, yielded and answered is what it is without, and
 * nearly nothing is sent twice.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import { propertyRuns } from '@turnwright/test/long-form.ts';
import { MODEL, type Rehearsed, rehearse } from '@turnwright/test/scenarios/rehearse.ts';
import { messageRequests } from '@turnwright/test/scenarios/sent.ts';
import { tempFolder } from '@turnwright/test/scenarios/temp-folder.ts';
import { prompt, pushable } from '@turnwright/test/sdk/query-under-test.ts';
import {
  type RehearsalRequest,
  type Reply,
  reply,
  text,
  thinking,
  toolUse,
} from '@turnwright/testing/rehearsal';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Options, SDKMessage } from '../../src/index.ts';

const WORDS = 'Line. ';
const FILES = { 'short.txt': 'Short.', 'long.txt': `${WORDS.repeat(250)}\n`.repeat(12) };

const kindsOf = ({ server }: Rehearsed) =>
  messageRequests(server).map(({ body }) => (body as { thread?: { type: string } }).thread?.type ?? 'none');
const bytesOf = ({ server }: Rehearsed) => messageRequests(server).reduce((sum, { bytes }) => sum + bytes, 0);

/** What does not depend on chance and time: ids by their order. */
function comparable(values: readonly unknown[], without?: RegExp): unknown {
  const compared = values.filter(
    (value) => without === undefined || !Object.hasOwn(value as object, 'level'),
  );
  const ids = new Map<string, string>();
  const json = JSON.stringify(compared, (key, inner: unknown) =>
    /(?:Ms|_ms|timestamp|epoch|_at|At|pid|seed|crc|usd|Usd|hash|key)$/i.test(key) || without?.test(key)
      ? undefined
      : inner,
  );
  const renamed = json
    .replaceAll(/127\.0\.0\.1:\d+/g, '<server>')
    // A hash of what names the session's folders.
    .replaceAll(/"policy":"[0-9a-f]{10}"/g, '"policy":"<hash>"')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      const name = ids.get(id) ?? `id ${ids.size}`;
      ids.set(id, name);
      return name;
    });
  return JSON.parse(renamed);
}

type Turn = 'say' | 'short' | 'long' | 'two' | 'overloaded' | 'broken' | 'blank end' | 'cut';

function replyOf(turn: Turn, { call, body }: RehearsalRequest): Reply {
  const read = (name: string) => toolUse('Read', { file_path: name }, `call_${call}_${name.length}`);
  const said = `Answer ${call} to ${(body['messages'] as unknown[]).length} messages.`;
  switch (turn) {
    case 'short':
      return reply([thinking(`Look at ${call}.`), text(said), read('short.txt')]);
    case 'long':
      return reply([read('long.txt')]);
    case 'two':
      // The second one does not run beside the first, so they end in this order.
      return reply([
        read('short.txt'),
        toolUse('Write', { file_path: 'new.txt', content: said }, `call_${call}_0`),
      ]);
    case 'overloaded':
      return { ...reply([read('short.txt')]), faults: [{ name: 'http-status', times: 1 }] };
    case 'broken':
      return { ...reply(said), faults: [{ name: 'reset-after-events', after: 4, times: 1 }] };
    case 'blank end':
      return reply(`${said}  \n`);
    case 'cut':
      return { ...reply(said), stop_reason: 'max_tokens' };
    default:
      return reply(said);
  }
}

/** The same folders for all runs of a test: they are in what is recorded. */
let folders: () => { readonly cwd: string; readonly home: string };
beforeEach(() => {
  folders = lazily(() => ({ cwd: tempFolder(FILES), home: tempFolder() }));
});

function play(turns: readonly Turn[], asked: number, options: Options): Promise<Rehearsed> {
  let last = 0;
  let at = 0;
  const prompts = pushable();
  const next = () => (at < asked ? prompts.push(prompt(`Prompt ${at++}.`)) : prompts.end());
  next();
  return rehearse({
    replies: (request) => {
      if (request.kind !== 'main') return reply('<summary>They read files.</summary>');
      last = request.call;
      return replyOf(turns[last - 1] ?? 'say', request);
    },
    prompt: prompts.input,
    onMessage: ({ type }) => (type === 'result' ? next() : undefined),
    options: { tools: ['Read', 'Write'], systemPrompt: 'You read files.', model: MODEL, ...options },
    place: folders(),
    partial: true,
  });
}

const turn = fc.constantFrom<Turn>('say', 'short', 'long', 'two', 'overloaded', 'broken', 'blank end', 'cut');
const withoutEstimates = (messages: readonly SDKMessage[]) =>
  messages.filter(({ type }) => type !== 'system');

describe('messageThreads', () => {
  it('changes nothing about journals and results of generated sessions', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 3, maxLength: 9 }),
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom<Options>(
          {},
          { maxBudgetUsd: 20, strictBudget: true },
          { engine: { compaction: { threshold: 9_000 } } },
        ),
        async (turns, asked, options) => {
          rmSync(join(folders().cwd, 'new.txt'), { force: true });
          const without = await play(turns, asked, options);
          rmSync(join(folders().cwd, 'new.txt'), { force: true });
          const threaded = await play(turns, asked, { ...options, messageThreads: true });
          // A summary names the session by its id, whose tokens are estimated.
          const loose = options.engine === undefined ? undefined : /^(?:tokens.*|post_tokens|used|why)$/;
          expect(comparable(threaded.entries, loose)).toEqual(comparable(without.entries, loose));
          expect(comparable(withoutEstimates(threaded.messages))).toEqual(
            comparable(withoutEstimates(without.messages)),
          );
          expect(new Set(kindsOf(without))).toEqual(new Set(['none']));
          expect(kindsOf(threaded)[0]).toBe('create');
          expect(threaded.report.rejected).toEqual([]);
        },
      ),
      { numRuns: propertyRuns(12, 200), seed: 812 },
    );
  });

  it('a session of 45 turns sends a fraction of the bytes', async () => {
    const turns = Array.from({ length: 44 }, (): Turn => 'long');
    const without = await play(turns, 1, {});
    const threaded = await play(turns, 1, { messageThreads: true });
    expect(kindsOf(threaded)).toEqual(['create', ...turns.map(() => 'continue')]);
    expect(threaded.results[0]).toMatchObject({ subtype: 'success', num_turns: 45 });
    expect(bytesOf(threaded)).toBeLessThan(bytesOf(without) / 10);
    const usage = ({ results }: Rehearsed) => results[0]?.usage;
    expect(usage(threaded)).toEqual(usage(without));
  });
});
