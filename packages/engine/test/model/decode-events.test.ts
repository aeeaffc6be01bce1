import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEventDecoder, type EventDecoder } from '../../src/model/stream/decode-events.ts';
import type { StreamEvent } from '../../src/protocol/model/wire.ts';

const HEAD = { status: 200, headers: {} } as unknown as Parameters<typeof createEventDecoder>[0];

/** Deltas as servers write them, and as they should not. */
const json = fc.oneof(
  fc
    .record({
      index: fc.constantFrom(0, 1),
      type: fc.constantFrom(
        'text_delta',
        'input_json_delta',
        'thinking_delta',
        'signature_delta',
        'new_delta',
      ),
      field: fc.constantFrom('text', 'partial_json', 'thinking', 'signature'),
      text: fc.oneof(fc.string(), fc.constantFrom('a "quoted" \\ word', '\u2028', '😀\ud800', '"}}')),
      extra: fc.constantFrom('none', 'inside', 'outside'),
      space: fc.constantFrom(undefined, 1),
    })
    .map(({ index, type, field, text, extra, space }) =>
      JSON.stringify(
        {
          type: 'content_block_delta',
          index,
          delta: { type, [field]: text, ...(extra === 'inside' && { more: text }) },
          ...(extra === 'outside' && { more: 1 }),
        },
        null,
        space,
      ).replaceAll('\n', ''),
    ),
  fc.constantFrom(
    '{"type":"content_block_stop","index":0}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"cut',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"two","text":"fold"}}',
    '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":7}}',
    '{"type":"ping"}',
  ),
);

function decodedBy(
  texts: readonly string[],
  decode: (decoder: EventDecoder, text: string, into: StreamEvent[]) => unknown,
) {
  const decoder = createEventDecoder(HEAD);
  const into: StreamEvent[] = [];
  const failures = texts.map((text) => decode(decoder, text, into));
  const { contentCount, blockCount, stopped } = decoder;
  return { into, failures, contentCount, blockCount, stopped };
}

describe('the events of a stream', () => {
  it('are the same whether or not what begins alike is parsed from there on', () => {
    const begin = [
      '{"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":1,"output_tokens":1}}}',
      '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
      '{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"T","input":{}}}',
    ];
    fc.assert(
      fc.property(fc.array(json, { maxLength: 12 }), (texts) => {
        const all = [...begin, ...texts];
        const known = decodedBy(all, (decoder, text, into) => decoder.decode([text], into));
        const parsed = decodedBy(all, (decoder, text, into) => {
          let event: unknown;
          try {
            event = JSON.parse(text);
          } catch {
            return decoder.decode([text], into);
          }
          return decoder.accept(event, into);
        });
        expect(known).toEqual(parsed);
      }),
      { numRuns: 500 },
    );
  });
});
