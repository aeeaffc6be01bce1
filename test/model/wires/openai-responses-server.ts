/** The Responses API on loopback, as OpenAI's documentation says. */
import type {
  AnswerPart,
  AnswerUsage,
  MessageAnswer,
  ReceivedMessage,
  ReceivedPart,
  ReceivedRequest,
} from '@turnwright/testing/checks/model/model-server.ts';
import { imageIn, joined, lookUpOutside, MESSAGES_ANSWER, refusalOf } from './openai-chat-server.ts';
import {
  type Dialect,
  type Frame,
  pieces,
  type RawRequest,
  startWireServer,
  type WireServer,
} from './wire-server.ts';

type Json = Record<string, unknown>;

export function startResponsesServer(): Promise<WireServer> {
  return startWireServer(RESPONSES);
}

const REQUEST_ID = { 'x-request-id': 'req_test' };

const RESPONSES: Dialect = {
  lookUp: lookUpOutside('/v1/responses'),
  read: readRequest,
  message: (answer, request) =>
    request.json['stream'] === true
      ? {
          status: 200,
          headers: { 'content-type': 'text/event-stream; charset=utf-8', ...REQUEST_ID },
          frames: streamed(answer, request),
        }
      : {
          status: 200,
          headers: { 'content-type': 'application/json', ...REQUEST_ID },
          frames: [{ at: 'end', bytes: JSON.stringify(finished(answer, request)) }],
        },
  refusal: refusalOf,
  errorFrame: (how) =>
    event({
      type: 'error',
      sequence_number: 9,
      error: {
        type: 'server_error',
        code: how === 'overloaded' ? 'server_is_overloaded' : 'server_error',
        message: 'The server had an error processing your request.',
        param: null,
      },
    }),
  otherApi: MESSAGES_ANSWER,
};

function event(value: Json): string {
  return `event: ${String(value['type'])}\ndata: ${JSON.stringify(value)}\n\n`;
}

const DEFAULT_USAGE: AnswerUsage = { input: 10, output: 5 };

function usageOf({ usage = DEFAULT_USAGE }: MessageAnswer): Json | null {
  if (usage === null) return null;
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input + usage.output,
  };
}

function responseOf(answer: MessageAnswer, { json }: RawRequest, more: Json): Json {
  return {
    id: 'resp_test',
    object: 'response',
    created_at: 1_790_000_000,
    model: answer.model ?? json['model'],
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
    ...more,
  };
}

function finished(answer: MessageAnswer, request: RawRequest): Json {
  const why =
    answer.stop === 'length' ? 'max_output_tokens' : answer.stop === 'refusal' ? 'content_filter' : undefined;
  return responseOf(answer, request, {
    status: why === undefined ? 'completed' : 'incomplete',
    incomplete_details: why === undefined ? null : { reason: why },
    output: (answer.parts ?? []).map(itemOf),
    usage: usageOf(answer),
  });
}

/** A finished item of the output. */
function itemOf(part: AnswerPart, at: number): Json {
  switch (part.kind) {
    case 'text':
      return {
        id: `msg_${at}`,
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: part.text, annotations: [] }],
      };
    case 'thinking':
      return {
        id: `rs_${at}`,
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: part.text }],
        encrypted_content: part.signature ?? null,
      };
    case 'call':
      return {
        id: `fc_${at}`,
        type: 'function_call',
        status: 'completed',
        call_id: part.id,
        name: part.name,
        arguments: JSON.stringify(part.input),
      };
  }
}

function streamed(answer: MessageAnswer, request: RawRequest): Frame[] {
  let sequence_number = 0;
  const numbered = (at: Frame['at'], value: Json, isDelta = false): Frame => ({
    at,
    isDelta,
    bytes: event({ ...value, sequence_number: sequence_number++ }),
  });
  const begun = responseOf(answer, request, { status: 'in_progress' });
  const whole = finished(answer, request);
  return [
    numbered('open', { type: 'response.created', response: begun }),
    numbered('open', { type: 'response.in_progress', response: begun }),
    ...(answer.parts ?? []).flatMap((part, at) => itemFrames(part, at, numbered)),
    numbered('end', {
      type: whole['status'] === 'completed' ? 'response.completed' : 'response.incomplete',
      response: whole,
    }),
  ];
}

type Numbered = (at: Frame['at'], value: Json, isDelta?: boolean) => Frame;

function itemFrames(part: AnswerPart, output_index: number, numbered: Numbered): Frame[] {
  const item = itemOf(part, output_index);
  const of = { item_id: item['id'], output_index };
  const done = numbered.bind(undefined, part.kind, { type: 'response.output_item.done', output_index, item });
  const added = (empty: Json) =>
    numbered(part.kind, { type: 'response.output_item.added', output_index, item: { ...item, ...empty } });
  switch (part.kind) {
    case 'text': {
      const inPart = { ...of, content_index: 0 };
      const empty = { type: 'output_text', text: '', annotations: [] };
      return [
        added({ status: 'in_progress', content: [] }),
        numbered(part.kind, { type: 'response.content_part.added', ...inPart, part: empty }),
        ...pieces(part.text, part.pieces).map((delta) =>
          numbered(part.kind, { type: 'response.output_text.delta', ...inPart, delta, logprobs: [] }, true),
        ),
        numbered(part.kind, { type: 'response.output_text.done', ...inPart, text: part.text }),
        done(),
      ];
    }
    case 'thinking': {
      const inPart = { ...of, summary_index: 0 };
      const empty = { type: 'summary_text', text: '' };
      return [
        added({ summary: [], encrypted_content: null }),
        numbered(part.kind, { type: 'response.reasoning_summary_part.added', ...inPart, part: empty }),
        ...pieces(part.text, part.pieces).map((delta) =>
          numbered(part.kind, { type: 'response.reasoning_summary_text.delta', ...inPart, delta }, true),
        ),
        numbered(part.kind, { type: 'response.reasoning_summary_text.done', ...inPart, text: part.text }),
        numbered(part.kind, {
          type: 'response.reasoning_summary_part.done',
          ...inPart,
          part: { type: 'summary_text', text: part.text },
        }),
        done(),
      ];
    }
    case 'call':
      return [
        added({ status: 'in_progress', arguments: '' }),
        ...pieces(JSON.stringify(part.input), part.pieces).map((delta) =>
          numbered(part.kind, { type: 'response.function_call_arguments.delta', ...of, delta }, true),
        ),
        numbered(part.kind, {
          type: 'response.function_call_arguments.done',
          ...of,
          arguments: JSON.stringify(part.input),
        }),
        done(),
      ];
  }
}

function readRequest({ json, headers, body }: RawRequest): ReceivedRequest {
  const input = json['input'] as Json[];
  // The AI SDK sends the system prompt as an item, our own wire as instructions.
  const isSystem = ({ role }: Json) => role === 'system' || role === 'developer';
  const system = [
    ...(json['instructions'] === undefined ? [] : [String(json['instructions'])]),
    ...input.filter(isSystem).map(({ content }) => String(content)),
  ];
  return {
    model: String(json['model']),
    stream: json['stream'] === true,
    maxTokens: json['max_output_tokens'] as number | undefined,
    system: system.join('\n\n'),
    messages: joined(input.filter((item) => !isSystem(item)).map(readItem)),
    tools: ((json['tools'] ?? []) as Json[]).map(({ name, parameters }) => ({
      name: String(name),
      schema: parameters,
    })),
    outputSchema: (json['text'] as { format?: { schema: unknown } } | undefined)?.format?.schema,
    thinks: json['reasoning'] === undefined ? undefined : true,
    credential: headers['authorization']?.replace(/^Bearer /, ''),
    cacheMarks: body.toString('utf8').split('"cache_control"').length - 1,
    body: body.toString('utf8'),
  };
}

function readItem(item: Json): ReceivedMessage {
  switch (item['type']) {
    case 'function_call': {
      const { call_id, name, arguments: input } = item;
      const call = { id: String(call_id), name: String(name), input: JSON.parse(String(input)) };
      return { role: 'assistant', parts: [{ kind: 'call', ...call }] };
    }
    case 'function_call_output':
      return { role: 'user', parts: [resultIn(item)] };
    case 'reasoning': {
      const text = (item['summary'] as Json[]).map((part) => String(part['text'])).join('\n\n');
      const signature = item['encrypted_content'];
      return {
        role: 'assistant',
        parts: [{ kind: 'thinking', text, ...(typeof signature === 'string' && { signature }) }],
      };
    }
    // An item that the server has kept.
    case 'item_reference':
      return { role: 'assistant', parts: [] };
    default: {
      const { role, content } = item;
      const parts =
        typeof content === 'string' ? [{ type: 'input_text', text: content }] : (content as Json[]);
      return { role: role as ReceivedMessage['role'], parts: parts.map(readPart) };
    }
  }
}

function resultIn({ call_id, output }: Json): ReceivedPart {
  const parts = typeof output === 'string' ? [{ type: 'input_text', text: output }] : (output as Json[]);
  const text = parts
    .flatMap((part) => (part['type'] === 'input_text' ? [String(part['text'])] : []))
    .join('\n');
  const images = parts.filter(({ type }) => type === 'input_image').length;
  const isError = text.startsWith('Error: ');
  return {
    kind: 'result',
    id: String(call_id),
    text: text.replace(/^Error: /, ''),
    ...(isError && { isError }),
    ...(images > 0 && { images }),
  };
}

function readPart(part: Json): ReceivedPart {
  if (part['type'] === 'input_image') return imageIn(String(part['image_url']));
  if (part['type'] === 'input_text' || part['type'] === 'output_text')
    return { kind: 'text', text: String(part['text']) };
  throw new Error(`No request has a part of type ${String(part['type'])}.`);
}
