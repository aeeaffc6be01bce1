/** The Messages API on loopback, as its documentation says; `bare`: as a local server imitates it. */
import type {
  AnswerPart,
  AnswerUsage,
  MessageAnswer,
  ReceivedMessage,
  ReceivedPart,
  ReceivedRequest,
  RefusalReason,
} from '@turnwright/testing/checks/model/model-server.ts';
import {
  type Dialect,
  type Frame,
  pieces,
  type RawRequest,
  startWireServer,
  type WireServer,
} from './wire-server.ts';

interface MessagesServerOptions {
  /** Like Ollama or LM Studio: no list of models, no usage details, no request ids. Default false. */
  readonly bare?: boolean;
}

export function startMessagesServer(options: MessagesServerOptions = {}): Promise<WireServer> {
  return startWireServer(messagesDialect(options));
}

type Json = Record<string, unknown>;

const ERRORS: Readonly<Record<RefusalReason, readonly [status: number, type: string, message: string]>> = {
  overloaded: [529, 'overloaded_error', 'Overloaded'],
  rate_limited: [429, 'rate_limit_error', 'This request would exceed your rate limit.'],
  server_error: [500, 'api_error', 'Internal server error'],
  timeout: [408, 'timeout_error', 'Request timed out'],
  unauthorized: [401, 'authentication_error', 'invalid x-api-key'],
  forbidden: [403, 'permission_error', 'Your API key does not have permission to use this resource.'],
  billing: [402, 'billing_error', 'Your credit balance is too low.'],
  not_found: [404, 'not_found_error', 'model: unknown'],
  too_long: [400, 'invalid_request_error', 'prompt is too long'],
  too_large: [413, 'request_too_large', 'Request exceeds the maximum size'],
  media_too_large: [
    400,
    'invalid_request_error',
    'messages.0.content.0.image.source.base64: image exceeds 5 MB maximum',
  ],
  bad_signature: [
    400,
    'invalid_request_error',
    'messages.1.content.0: Invalid `signature` in `thinking` block',
  ],
  bad_schema: [
    400,
    'invalid_request_error',
    "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
  ],
  invalid: [400, 'invalid_request_error', 'tools.0.custom.input_schema: invalid'],
};

export function messagesDialect({ bare = false }: MessagesServerOptions): Dialect {
  const id = bare ? {} : { 'request-id': 'req_test' };
  return {
    lookUp({ method, url }) {
      if (method !== 'GET') return undefined;
      return { status: 404, json: { type: 'error', error: { type: 'not_found_error', message: url } } };
    },
    read: readRequest,
    message: (answer, request) =>
      request.json['stream'] === true
        ? {
            status: 200,
            headers: { 'content-type': 'text/event-stream; charset=utf-8', ...id },
            frames: streamed(answer, request, bare),
          }
        : {
            status: 200,
            headers: { 'content-type': 'application/json', ...id },
            frames: [{ at: 'end', bytes: JSON.stringify(wholeMessage(answer, request, bare)) }],
          },
    refusal({ reason, headers, message, tokens = { input: 250_000, limit: 200_000 } }) {
      const [status, type, sentence] = ERRORS[reason];
      const said =
        message ??
        (reason === 'too_long' ? `${sentence}: ${tokens.input} tokens > ${tokens.limit} maximum` : sentence);
      return {
        status,
        headers: { 'content-type': 'application/json', ...id, ...headers },
        frames: [{ at: 'end', bytes: JSON.stringify({ type: 'error', error: { type, message: said } }) }],
      };
    },
    errorFrame: (how) =>
      event({
        type: 'error',
        error:
          how === 'overloaded'
            ? { type: 'overloaded_error', message: 'Overloaded' }
            : { type: 'api_error', message: 'Internal server error' },
      }),
  };
}

function event(data: Json): string {
  return `event: ${String(data['type'])}\ndata: ${JSON.stringify(data)}\n\n`;
}

const STOP_REASONS = {
  end: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  refusal: 'refusal',
} as const;

function stopReason({ stop, parts = [] }: MessageAnswer): string {
  return STOP_REASONS[stop ?? (parts.some(({ kind }) => kind === 'call') ? 'calls' : 'end')];
}

const DEFAULT_USAGE: AnswerUsage = { input: 10, output: 5 };

function usageOf({ usage = DEFAULT_USAGE }: MessageAnswer, bare: boolean): Json | undefined {
  if (usage === null) return undefined;
  const { input, output, cacheRead = 0, cacheWritten = 0 } = usage;
  if (bare) return { input_tokens: input, output_tokens: output };
  return {
    input_tokens: input - cacheRead - cacheWritten,
    cache_creation_input_tokens: cacheWritten,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    service_tier: 'standard',
  };
}

function head(answer: MessageAnswer, { json }: RawRequest): Json {
  return { id: 'msg_test', type: 'message', role: 'assistant', model: answer.model ?? json['model'] };
}

function wholeMessage(answer: MessageAnswer, request: RawRequest, bare: boolean): Json {
  const usage = usageOf(answer, bare);
  return {
    ...head(answer, request),
    content: (answer.parts ?? []).map(wholeBlock),
    stop_reason: stopReason(answer),
    stop_sequence: null,
    ...(usage && { usage }),
  };
}

function wholeBlock(part: AnswerPart): Json {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'thinking':
      return { type: 'thinking', thinking: part.text, signature: part.signature ?? '' };
    case 'call':
      return { type: 'tool_use', id: part.id, name: part.name, input: part.input };
  }
}

function streamed(answer: MessageAnswer, request: RawRequest, bare: boolean): Frame[] {
  const usage = usageOf(answer, bare);
  const start = {
    ...head(answer, request),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(usage && { usage: { ...usage, output_tokens: bare ? 0 : 1 } }),
  };
  return [
    { at: 'open', bytes: event({ type: 'message_start', message: start }) },
    ...(bare ? [] : [{ at: 'open' as const, bytes: event({ type: 'ping' }) }]),
    ...(answer.parts ?? []).flatMap(blockFrames),
    {
      at: 'end',
      bytes: event({
        type: 'message_delta',
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        ...(usage && { usage: bare ? usage : { output_tokens: usage['output_tokens'] } }),
      }),
    },
    { at: 'end', bytes: event({ type: 'message_stop' }) },
  ];
}

function blockFrames(part: AnswerPart, index: number): Frame[] {
  const [empty, deltas] = unrolled(part);
  const at = part.kind;
  return [
    { at, bytes: event({ type: 'content_block_start', index, content_block: empty }) },
    ...deltas.map((delta) => ({
      at,
      isDelta: true,
      bytes: event({ type: 'content_block_delta', index, delta }),
    })),
    { at, bytes: event({ type: 'content_block_stop', index }) },
  ];
}

function unrolled(part: AnswerPart): [Json, Json[]] {
  switch (part.kind) {
    case 'text':
      return [
        { type: 'text', text: '' },
        pieces(part.text, part.pieces).map((text) => ({ type: 'text_delta', text })),
      ];
    case 'thinking':
      return [
        { type: 'thinking', thinking: '', signature: '' },
        [
          ...pieces(part.text, part.pieces).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: part.signature ?? '' },
        ],
      ];
    case 'call':
      return [
        { type: 'tool_use', id: part.id, name: part.name, input: {} },
        pieces(JSON.stringify(part.input), part.pieces).map((partial_json) => ({
          type: 'input_json_delta',
          partial_json,
        })),
      ];
  }
}

/** Also for clients of cloud providers whose body is that of the Messages API. */
export function readRequest({ json, headers, body }: RawRequest): ReceivedRequest {
  const text = body.toString('utf8');
  const token = headers['authorization']?.replace(/^Bearer /, '');
  const { type: thinking } = (json['thinking'] ?? {}) as Json;
  return {
    model: String(json['model']),
    stream: json['stream'] === true,
    maxTokens: json['max_tokens'] as number | undefined,
    system: blocks(json['system'])
      .map((block) => String(block['text']))
      .join('\n\n'),
    messages: (json['messages'] as Json[]).map(
      ({ role, content }): ReceivedMessage => ({
        role: role as ReceivedMessage['role'],
        parts: blocks(content).map(readPart),
      }),
    ),
    tools: ((json['tools'] ?? []) as Json[]).map(({ name, input_schema }) => ({
      name: String(name),
      schema: input_schema,
    })),
    outputSchema: (json['output_config'] as { format?: { schema: unknown } } | undefined)?.format?.schema,
    thinks: thinking === undefined ? undefined : thinking !== 'disabled',
    credential: (headers['x-api-key'] as string | undefined) ?? token,
    cacheMarks: text.split('"cache_control"').length - 1,
    body: text,
  };
}

function blocks(content: unknown): Json[] {
  if (content === undefined) return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content as Json[]);
}

function readPart(block: Json): ReceivedPart {
  switch (block['type']) {
    case 'text':
      return { kind: 'text', text: String(block['text']) };
    case 'thinking':
      return { kind: 'thinking', text: String(block['thinking']), signature: String(block['signature']) };
    case 'tool_use':
      return { kind: 'call', id: String(block['id']), name: String(block['name']), input: block['input'] };
    case 'tool_result': {
      const inner = blocks(block['content']);
      const images = inner.filter(({ type }) => type === 'image').length;
      return {
        kind: 'result',
        id: String(block['tool_use_id']),
        text: inner.flatMap(({ type, text }) => (type === 'text' ? String(text) : [])).join('\n'),
        ...(block['is_error'] === true && { isError: true }),
        ...(images > 0 && { images }),
      };
    }
    case 'image': {
      const source = block['source'] as Json;
      return { kind: 'image', mediaType: String(source['media_type']), data: String(source['data']) };
    }
    default:
      throw new Error(`No request has a block of type ${String(block['type'])}.`);
  }
}
