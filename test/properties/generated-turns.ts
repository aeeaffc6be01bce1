/** Generated answers of a model, broken in all the ways that a rehearsal knows, and tools that do what they are told. */

import { type Fault, type ScriptedReply, thinking, toolUse } from '@turnwright/testing/rehearsal';
import fc from 'fast-check';
import { type Deed, type ObedientPorts, obedientTool } from './obedient-tools.ts';

/** A hanging call hangs for this many real ms. */
const ports: ObedientPorts = {
  wait: (ms, signal) =>
    new Promise<void>((resolve) => {
      if (signal?.aborted) resolve();
      signal?.addEventListener('abort', () => resolve(), { once: true });
      setTimeout(resolve, ms).unref();
    }),
};
export const TOOLS = [
  obedientTool('Look', { safe: true, effects: 'pure' }, ports),
  obedientTool('Change', { safe: false, effects: 'unsafe' }, ports),
];

const deed = fc.constantFrom<Deed>('ok', 'ok', 'ok', 'later', 'throw', 'empty', 'error', 'hang', 'end');
const call = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({ name: fc.constantFrom('Look', 'Change'), deed })
      .map(({ name, deed: d }) => toolUse(name, { deed: d })),
  },
  { weight: 1, arbitrary: fc.constant(toolUse('Unknown', { x: 1 })) },
  { weight: 1, arbitrary: fc.constant(toolUse('Look', {})) },
  { weight: 1, arbitrary: fc.constant(toolUse('Look', { deed: 'ok' }, 'toolu_same')) },
);
const words = fc
  .constantFrom('Right.', 'Let me see. ', '  \n', 'naïve 🦆 text', 'x'.repeat(300))
  .map((text) => ({ type: 'text' as const, text }));
const block = fc.oneof(
  { weight: 3, arbitrary: words },
  { weight: 4, arbitrary: call },
  { weight: 1, arbitrary: fc.constant(thinking('Hmm.')) },
);
const fault: fc.Arbitrary<Fault | undefined> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  {
    weight: 4,
    arbitrary: fc
      .record({
        name: fc.constantFrom(
          'cut',
          'reset-after-events',
          'reset-before-headers',
          'reset-after-stop',
          'sse-error',
          'truncated-json',
          'invalid-json',
          'duplicate-event',
          'unknown-event',
          'unknown-block',
          'crlf',
          'split-utf8',
          'delta-without-usage',
          'empty-body',
          'html-error-page',
          'wrong-content-type',
          'max-tokens-in-tool-json',
          'empty-response',
          'out-of-order',
        ),
        after: fc.integer({ min: 0, max: 12 }),
        times: fc.integer({ min: 1, max: 2 }),
      })
      .map((given) => given as Fault),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<readonly [status: number, times?: number, retryAfter?: string]>(
        [429],
        [500],
        [529],
        [529, 3],
        [429, 1, '3600'],
        [402],
        [404],
      )
      .map(
        ([status, times = 1, retryAfter]): Fault => ({
          name: 'http-status',
          status,
          times,
          ...(retryAfter !== undefined && { retryAfter }),
        }),
      ),
  },
);
/** One answer. */
export const turn: fc.Arbitrary<ScriptedReply> = fc
  .record({
    blocks: fc.array(block, { maxLength: 5 }),
    stop: fc.oneof(
      { weight: 9, arbitrary: fc.constant(undefined) },
      {
        weight: 2,
        arbitrary: fc.constantFrom('max_tokens', 'refusal', 'pause_turn', 'stop_sequence', 'tool_use'),
      },
    ),
    fault,
  })
  .map(({ blocks, stop, fault: f }) => ({
    // The real API puts thinking first.
    blocks: [
      ...blocks.filter((b) => b.type === 'thinking').slice(0, 1),
      ...blocks.filter((b) => b.type !== 'thinking'),
    ],
    ...(stop === undefined ? {} : { stop_reason: stop }),
    ...(f === undefined ? {} : { faults: [f] }),
  }));
