/** Checks of what an answer becomes. */
import { equal, hasFields, holds } from '../demand.ts';
import { assembleAnswer } from './answer-of.ts';
import { check, type ModelCheck } from './model-check.ts';
import { callModel, requestFor, type WireTraits } from './opened-model.ts';

const CALL = { kind: 'call', id: 'call_1', name: 'Look', input: { at: 'it' } } as const;
const TOOL = {
  name: 'Look',
  description: 'Looks at something.',
  input_schema: { type: 'object', properties: { at: { type: 'string' } } },
} as const;

export function answerChecks(traits: WireTraits): readonly ModelCheck[] {
  return [...BLOCKS, ...STOP_REASONS, ...usageChecks(traits), ...thinkingChecks(traits)];
}

const BLOCKS: readonly ModelCheck[] = [
  check('a text streams in order, and ends complete', async ({ client, server, model }) => {
    server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'Good morning.', pieces: 4 }] });
    const { outputs, events, outcome } = await callModel(client, requestFor(model));
    equal(outcome.kind, 'complete');
    equal(assembleAnswer(events).blocks, [{ kind: 'text', text: 'Good morning.' }]);
    equal(assembleAnswer(events).stopReason, 'end_turn');
    equal(outputs[0]?.kind, 'attempt', 'first output');
    equal(outputs.filter(({ kind }) => kind === 'attempt').length, 1, 'attempts announced');
    equal(events.at(-1)?.type, 'message_stop', 'last event');
    equal(
      outputs.filter((output) => output.kind === 'events' && output.ttftMs !== undefined).length,
      1,
      'batches with the time to the first event',
    );
  }),

  check('a call streams with its input', async ({ client, server, model }) => {
    server.answerWith({ kind: 'message', parts: [{ ...CALL, pieces: 5 }] });
    const { events, outcome } = await callModel(client, requestFor(model, { tools: [TOOL] }));
    equal(outcome.kind, 'complete');
    equal(assembleAnswer(events).blocks, [CALL]);
    equal(assembleAnswer(events).stopReason, 'tool_use');
  }),

  check('a text and parallel calls keep their order', async ({ client, server, model }) => {
    const second = { ...CALL, id: 'call_2', input: { at: 'that' } };
    server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'I look.' }, CALL, second] });
    const { events } = await callModel(client, requestFor(model, { tools: [TOOL] }));
    equal(assembleAnswer(events).blocks, [
      { kind: 'text', text: 'I look.' },
      CALL,
      { ...CALL, id: 'call_2', input: { at: 'that' } },
    ]);
  }),

  check('several calls in one event are several blocks', async ({ client, server, model }) => {
    const second = { ...CALL, id: 'call_2', pieces: 1 };
    server.answerWith({ kind: 'message', parts: [{ ...CALL, pieces: 1 }, second], callsTogether: true });
    const { events } = await callModel(client, requestFor(model, { tools: [TOOL] }));
    equal(assembleAnswer(events).blocks, [CALL, { ...CALL, id: 'call_2' }]);
  }),

  check('a call without arguments has an empty input', async ({ client, server, model }) => {
    server.answerWith({ kind: 'message', parts: [{ ...CALL, input: {} }] });
    const { events } = await callModel(client, requestFor(model, { tools: [TOOL] }));
    equal(assembleAnswer(events).blocks, [{ ...CALL, input: {} }]);
  }),

  check('characters that are split over reads arrive whole', async ({ client, server, model }) => {
    const text = 'Grüße, 世界 \u{1F600}\u2028.';
    const input = { at: 'é\u{1F600}"\\\n' };
    server.answerWith({
      kind: 'message',
      parts: [
        { kind: 'text', text },
        { ...CALL, input },
      ],
      bytesPerWrite: 1,
    });
    const { events } = await callModel(client, requestFor(model, { tools: [TOOL] }));
    equal(assembleAnswer(events).blocks, [
      { kind: 'text', text },
      { ...CALL, input },
    ]);
  }),

  check('an answer that does not stream is one batch of the same events', async (opened) => {
    const { client, server, model } = opened;
    server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'I look.' }, CALL] });
    const { outputs, events, outcome } = await callModel(
      client,
      requestFor(model, { tools: [TOOL], stream: false }),
    );
    equal(outcome.kind, 'complete');
    equal(server.received[0]?.stream, false, 'stream in the request');
    equal(outputs.filter(({ kind }) => kind === 'events').length, 1, 'batches');
    equal(assembleAnswer(events).blocks, [{ kind: 'text', text: 'I look.' }, CALL]);
    equal(assembleAnswer(events).stopReason, 'tool_use');
  }),

  check('an empty answer is complete, without blocks', async ({ client, server, model }) => {
    server.answerWith({ kind: 'message' });
    const { events, outcome } = await callModel(client, requestFor(model));
    equal(outcome.kind, 'complete');
    equal(assembleAnswer(events).blocks, []);
  }),
];

const STOP_REASONS: readonly ModelCheck[] = (
  [
    ['end', 'end_turn'],
    ['length', 'max_tokens'],
    ['refusal', 'refusal'],
  ] as const
).map(([stop, reason]) =>
  check(`an answer that ends by ${stop} says ${reason}`, async ({ client, server, model }) => {
    server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'So far.' }], stop });
    const { events, outcome } = await callModel(client, requestFor(model));
    equal(outcome.kind, 'complete');
    equal(assembleAnswer(events).stopReason, reason);
  }),
);

function usageChecks(traits: WireTraits): readonly ModelCheck[] {
  return [
    check('usage is what the server reports', async ({ client, server, model }) => {
      const usage = { input: 100, output: 20, cacheRead: 60, cacheWritten: 30 };
      server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'Yes.' }], usage });
      const { outcome } = await callModel(client, requestFor(model));
      const reported = outcome.attempts[0]?.usage;
      equal(reported?.output_tokens, 20, 'output tokens');
      const {
        input_tokens = 0,
        cache_read_input_tokens = 0,
        cache_creation_input_tokens = 0,
      } = reported ?? {};
      equal(
        input_tokens + cache_read_input_tokens + cache_creation_input_tokens,
        100,
        'tokens of the prompt',
      );
      if (traits.usage === 'details')
        hasFields(reported, {
          input_tokens: 10,
          cache_read_input_tokens: 60,
          cache_creation_input_tokens: 30,
        });
    }),

    check('an answer without usage says that none came', async (opened) => {
      const { client, server, model } = opened;
      server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'Yes.' }], usage: null });
      const { events, outcome } = await callModel(client, requestFor(model));
      equal(outcome.kind, traits.withoutUsage ?? 'complete');
      equal(assembleAnswer(events).blocks, [{ kind: 'text', text: 'Yes.' }]);
      const { output_tokens = 0, estimated } = outcome.attempts[0]?.usage ?? {};
      holds(output_tokens === 0 || estimated === true, 'no output tokens, or a mark that they are estimated');
    }),
  ];
}

function thinkingChecks(traits: WireTraits): readonly ModelCheck[] {
  return [
    check(
      'thinking comes before the text, with its signature, if it has one',
      async ({ client, server, model }) => {
        server.answerWith({
          kind: 'message',
          parts: [
            { kind: 'thinking', text: 'Let me see.', signature: 'c2lnbmVk' },
            { kind: 'text', text: 'Yes.' },
          ],
        });
        const { events } = await callModel(client, requestFor(model, { thinking: { type: 'enabled' } }));
        const { blocks } = assembleAnswer(events);
        equal(blocks.at(-1), { kind: 'text', text: 'Yes.' });
        if (traits.thinking !== 'none') hasFields(blocks[0], { kind: 'thinking', text: 'Let me see.' });
        if (traits.thinking === 'signed') hasFields(blocks[0], { signature: 'c2lnbmVk' });
      },
    ),

    check('thinking, a text and a call keep their order', async ({ client, server, model }) => {
      server.answerWith({
        kind: 'message',
        parts: [
          { kind: 'thinking', text: 'Let me see.', signature: 'c2lnbmVk' },
          { kind: 'text', text: 'I look.' },
          CALL,
        ],
      });
      const request = requestFor(model, { tools: [TOOL], thinking: { type: 'enabled' } });
      const { events } = await callModel(client, request);
      const { blocks, stopReason } = assembleAnswer(events);
      equal(blocks.slice(-2), [{ kind: 'text', text: 'I look.' }, CALL]);
      equal(blocks.length, traits.thinking === 'none' && blocks.length === 2 ? 2 : 3, 'blocks');
      equal(stopReason, 'tool_use');
    }),
  ];
}
