/** Checks of what the server receives. */
import type { ViewMessage } from '@turnwright/engine/protocol/model/messages.ts';
import { equal, holds } from '../demand.ts';
import { assembleAnswer } from './answer-of.ts';
import { check, type ModelCheck } from './model-check.ts';
import type { MessageAnswer, ReceivedRequest } from './model-server.ts';
import {
  answered,
  callModel,
  createView,
  type OpenedModel,
  requestFor,
  result,
  user,
  type WireTraits,
} from './opened-model.ts';

const HELLO: MessageAnswer = { kind: 'message', parts: [{ kind: 'text', text: 'Hello.' }] };
/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } } as const;
const SIGNATURE = 'c2lnbmVkIGJ5IHRoZSBtb2RlbA==';

const createCall = (model: string, id: string, callId: string) =>
  answered(model, id, { type: 'tool_use', id: callId, name: 'Look', input: { at: callId } });
const TOOL = {
  name: 'Look',
  description: 'Looks.',
  input_schema: { type: 'object', properties: { at: { type: 'string' } } },
} as const;

/** The request that a view and its further fields become. */
async function received(
  { client, server, model }: OpenedModel,
  messages: readonly ViewMessage[],
  more: Parameters<typeof requestFor>[1] = {},
): Promise<ReceivedRequest> {
  const before = server.received.length;
  server.answerWith(HELLO);
  const { outcome } = await callModel(client, requestFor(model, { view: createView(...messages), ...more }));
  equal(outcome.kind, 'complete', 'outcome');
  return server.received[before] as ReceivedRequest;
}

const listParts = ({ messages }: ReceivedRequest) => messages.flatMap(({ parts }) => parts);
const listResults = (request: ReceivedRequest) => listParts(request).filter((part) => part.kind === 'result');

export function requestChecks(traits: WireTraits): readonly ModelCheck[] {
  // A double shows what it was asked for, as it was asked.
  const isSent = traits.http !== 'none';
  return [
    ...contents(),
    ...shape(traits),
    ...(isSent ? [...repairs(), ...thinking(traits), ...sizes(traits)] : []),
  ];
}

function contents(): readonly ModelCheck[] {
  return [
    check('system, prompt, model and limit of the answer arrive', async (opened) => {
      const request = await received(opened, [user('What is it?')], { maxTokens: 4000 });
      equal(request.model, opened.model, 'model');
      equal(request.system, 'You are being checked.', 'system');
      equal(request.messages.at(-1), { role: 'user', parts: [{ kind: 'text', text: 'What is it?' }] });
      equal(request.maxTokens, 4000, 'limit of the answer');
      equal(request.stream, true, 'stream');
    }),

    check('text arrives as it is, in every script', async (opened) => {
      const text = 'Grüße \u{1F600} 世界 "\\\n\t\u2028 \u0001';
      const request = await received(opened, [user(text)]);
      equal(listParts(request), [{ kind: 'text', text }]);
    }),

    check('an image of the prompt arrives byte for byte', async (opened) => {
      const request = await received(opened, [user([{ type: 'text', text: 'What is it?' }, IMAGE])]);
      const images = listParts(request).filter((part) => part.kind === 'image');
      equal(images, [{ kind: 'image', mediaType: 'image/png', data: PIXEL }]);
    }),

    check('an image of a result arrives, inside it or behind it', async (opened) => {
      const { model } = opened;
      const shown = user([{ type: 'tool_result', tool_use_id: 'call_1', content: [IMAGE] }]);
      const request = await received(opened, [user('Look.'), createCall(model, 'msg_1', 'call_1'), shown], {
        tools: [TOOL],
      });
      holds(request.body.includes(PIXEL), 'the bytes of the image');
      const behind = listParts(request).filter(({ kind }) => kind === 'image').length;
      equal((listResults(request)[0]?.images ?? 0) + behind, 1, 'images');
    }),

    check('three hundred tools arrive in their order, with their schemas', async (opened) => {
      const tools = Array.from({ length: 300 }, (_, at) => ({ ...TOOL, name: `Tool_${at}` }));
      const request = await received(opened, [user('Hello.')], { tools });
      equal(
        request.tools.map(({ name }) => name),
        tools.map(({ name }) => name),
        'names',
      );
      equal(request.tools[299]?.schema, TOOL.input_schema, 'schema');
    }),

    check('a summary is asked for with the conversation, without tools', async (opened) => {
      const { model } = opened;
      const messages = [
        user('Look.'),
        createCall(model, 'msg_1', 'call_1'),
        result('call_1', 'A place.'),
        answered(model, 'msg_2', { type: 'text', text: 'It is a place.' }),
        user('Summarise the conversation.'),
      ];
      const request = await received(opened, messages, { querySource: 'compact', tools: [], cache: false });
      equal(request.messages.at(-1)?.parts.at(-1), { kind: 'text', text: 'Summarise the conversation.' });
      holds(request.body.includes('It is a place.'), 'the conversation');
    }),
  ];
}

/** What the history lacks is added, and what is out of order is put right. */
function repairs(): readonly ModelCheck[] {
  return [
    check('results stand in the order of their calls, whenever they came', async (opened) => {
      const { model } = opened;
      const request = await received(
        opened,
        [
          user('Look.'),
          createCall(model, 'msg_1', 'call_1'),
          createCall(model, 'msg_1', 'call_2'),
          result('call_2', 'second'),
          result('call_1', 'first', true),
        ],
        { tools: [TOOL] },
      );
      const calls = listParts(request).filter((part) => part.kind === 'call');
      equal(
        calls.map(({ input }) => input),
        [{ at: 'call_1' }, { at: 'call_2' }],
        'inputs of the calls',
      );
      // An API may wrap the text of a failed call.
      equal(
        listResults(request).map(({ text }) => /first|second/.exec(text)?.[0]),
        ['first', 'second'],
        'results',
      );
      equal(
        listResults(request).map(({ id }) => id),
        calls.map(({ id }) => id),
        'ids of the results',
      );
    }),

    check('a call without a result gets one that says so', async (opened) => {
      const request = await received(
        opened,
        [user('Look.'), createCall(opened.model, 'msg_1', 'call_1'), user('Go on.')],
        { tools: [TOOL] },
      );
      equal(listResults(request).length, 1, 'results');
      holds((listResults(request)[0]?.text ?? '') !== '', 'a text in the result');
    }),
  ];
}

function thinking(traits: WireTraits): readonly ModelCheck[] {
  const text = 'It may be a place, or not.';
  const thoughtBy = (model: string) => [
    user('Look.'),
    answered(model, 'msg_1', { type: 'thinking', thinking: text, signature: SIGNATURE }),
    createCall(model, 'msg_1', 'call_1'),
    result('call_1', 'A place.'),
  ];
  const asked = { tools: [TOOL], thinking: { type: 'enabled' } } as const;
  return [
    check('thinking goes back to the model that made it, by the rule of its API', async (opened) => {
      const request = await received(opened, thoughtBy(opened.model), asked);
      const parts = listParts(request).filter((part) => part.kind === 'thinking');
      if (traits.thinking === 'signed') equal(parts, [{ kind: 'thinking', text, signature: SIGNATURE }]);
      else
        equal(
          parts.map((part) => part.text),
          traits.thinking === 'plain' ? [text] : [],
        );
    }),
    check('thinking never goes to another model', async (opened) => {
      const request = await received(opened, thoughtBy(opened.otherModel), asked);
      holds(!request.body.includes(text), 'no thinking in the request');
      holds(!request.body.includes(SIGNATURE), 'no signature in the request');
      equal(listResults(request).length, 1, 'results');
    }),
    ...(traits.thinking === 'signed'
      ? [
          check('thinking whose signature is refused is left out of the retry', async (opened) => {
            const { client, server, model } = opened;
            server.answerWith({ kind: 'refusal', reason: 'bad_signature' }, HELLO);
            const view = createView(...thoughtBy(model));
            const { outcome } = await callModel(client, requestFor(model, { view, ...asked }));
            equal(outcome.kind, 'complete');
            equal(server.received.length, 2, 'requests');
            holds(!server.received[1]?.body.includes(SIGNATURE), 'no signature in the second request');
          }),
        ]
      : []),
  ];
}

function shape(traits: WireTraits): readonly ModelCheck[] {
  return [
    check('marks for the prompt cache are sent where the API has them', async (opened) => {
      const { cacheMarks } = await received(opened, [user('Hello.')], { tools: [TOOL] });
      if (traits.caching === 'none') equal(cacheMarks, 0, 'marks');
      else holds(cacheMarks >= 1 && cacheMarks <= 4, `one to four marks (${cacheMarks})`);
    }),
    check('no marks are sent where caching is off', async (opened) => {
      const { cacheMarks } = await received(opened, [user('Hello.')], { cache: false });
      equal(cacheMarks, 0, 'marks');
    }),
    check('the same request is the same bytes', async (opened) => {
      const messages = [user('Hello.')];
      const first = await received(opened, messages, { tools: [TOOL] });
      const second = await received(opened, messages, { tools: [TOOL] });
      equal(second.body, first.body, 'body');
    }),
    check('a conversation that goes on begins as it did', async (opened) => {
      const { model } = opened;
      const messages = [user('Look.'), createCall(model, 'msg_1', 'call_1'), result('call_1', 'A place.')];
      const first = await received(opened, messages, { tools: [TOOL] });
      const more = [...messages, answered(model, 'msg_2', { type: 'text', text: 'Yes.' }), user('And now?')];
      const second = await received(opened, more, { tools: [TOOL] });
      equal(second.messages.slice(0, first.messages.length), [...first.messages], 'messages');
      equal(second.tools, first.tools, 'tools');
      equal(second.system, first.system, 'system');
    }),
    check('calls side by side do not mix', async ({ client, server, model }) => {
      server.answerWith(...['One.', 'Two.', 'Three.'].map(saying));
      const calls = await Promise.all([1, 2, 3].map(() => callModel(client, requestFor(model))));
      const texts = calls.map(({ events }) => JSON.stringify(assembleAnswer(events).blocks)).toSorted();
      equal(
        texts,
        ['One.', 'Three.', 'Two.'].map((text) => JSON.stringify([{ kind: 'text', text }])),
      );
    }),
    check('a long answer arrives whole', async ({ client, server, model }) => {
      const text = 'All work and no play. '.repeat(20_000);
      server.answerWith({ kind: 'message', parts: [{ kind: 'text', text, pieces: 2000 }] });
      const { events } = await callModel(client, requestFor(model));
      equal(assembleAnswer(events).blocks, [{ kind: 'text', text }]);
    }),
  ];
}

function sizes(traits: WireTraits): readonly ModelCheck[] {
  return [
    check('the size that is reported is that of the body', async (opened) => {
      const { client, server, model } = opened;
      server.answerWith(HELLO);
      const { outputs, outcome } = await callModel(client, requestFor(model, { tools: [TOOL] }));
      const [announced] = outputs.flatMap((output) => (output.kind === 'attempt' ? [output.bytes] : []));
      const sent = new TextEncoder().encode(server.received[0]?.body).length;
      equal(outcome.attempts[0]?.bytes, announced, 'bytes of the record');
      if (traits.body === 'exact') equal(announced, sent, 'bytes');
      else holds((announced ?? 0) > 0, 'a size');
    }),
  ];
}

const saying = (text: string): MessageAnswer => ({ kind: 'message', parts: [{ kind: 'text', text }] });
