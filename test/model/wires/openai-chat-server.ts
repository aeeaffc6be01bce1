/** Chat completions on loopback, as OpenAI's documentation says. */
import type {
  AnswerPart,
  AnswerUsage,
  MessageAnswer,
  ReceivedMessage,
  ReceivedPart,
  ReceivedRequest,
  RefusalAnswer,
  RefusalReason,
} from '@turnwright/testing/checks/model/model-server.ts';
import {
  type Dialect,
  type Frame,
  pieces,
  type RawRequest,
  type Rendered,
  startWireServer,
  type WireServer,
} from './wire-server.ts';

type Json = Record<string, unknown>;

export function startChatServer(): Promise<WireServer> {
  return startWireServer(CHAT);
}

const REQUEST_ID = { 'x-request-id': 'req_test' };
const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', ...REQUEST_ID };
const JSON_BODY = { 'content-type': 'application/json', ...REQUEST_ID };

/** Status, type, code and message. */
const ERRORS: Readonly<Record<RefusalReason, readonly [number, string, string | null, string]>> = {
  overloaded: [503, 'server_error', null, 'The engine is currently overloaded, please try again later.'],
  rate_limited: [429, 'requests', 'rate_limit_exceeded', 'Rate limit reached for requests.'],
  server_error: [500, 'server_error', null, 'The server had an error while processing your request.'],
  timeout: [408, 'timeout', null, 'Request timed out.'],
  unauthorized: [401, 'invalid_request_error', 'invalid_api_key', 'Incorrect API key provided: sk-***.'],
  forbidden: [403, 'invalid_request_error', 'unsupported_country_region_territory', 'Country not supported.'],
  billing: [429, 'insufficient_quota', 'insufficient_quota', 'You exceeded your current quota.'],
  not_found: [404, 'invalid_request_error', 'model_not_found', 'The model `x` does not exist.'],
  too_long: [400, 'invalid_request_error', 'context_length_exceeded', ''],
  too_large: [413, 'invalid_request_error', null, 'Request exceeds the maximum size'],
  media_too_large: [
    400,
    'invalid_request_error',
    'invalid_image',
    'Image exceeds the maximum size of 20 MB.',
  ],
  bad_signature: [
    400,
    'invalid_request_error',
    'invalid_encrypted_content',
    'The encrypted content for item rs_1 could not be verified.',
  ],
  bad_schema: [
    400,
    'invalid_request_error',
    null,
    "Invalid schema for response_format 'answer': In context=(), 'required' is required to be supplied.",
  ],
  invalid: [
    400,
    'invalid_request_error',
    'invalid_function_parameters',
    "Invalid schema for function 'Look'.",
  ],
};

/** Of both APIs of OpenAI. */
export function refusalOf({ reason, headers, message, tokens }: RefusalAnswer): Rendered {
  const [status, type, code, sentence] = ERRORS[reason];
  const { input, limit } = tokens ?? { input: 250_000, limit: 200_000 };
  const tooLong = `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${input} tokens. Please reduce the length of the messages.`;
  const error = {
    message: message ?? (reason === 'too_long' ? tooLong : sentence),
    type,
    param: null,
    code,
  };
  return {
    status,
    headers: { ...JSON_BODY, ...headers },
    frames: [{ at: 'end', bytes: JSON.stringify({ error }) }],
  };
}

/** A message of another API. */
export const MESSAGES_ANSWER = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-5',
  content: [{ type: 'text', text: 'Hello.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
};

/** Look-ups of models and of other paths. */
export function lookUpOutside(path: string): NonNullable<Dialect['lookUp']> {
  return ({ method, url }) =>
    method === 'POST' && url.split('?', 1)[0] === path
      ? undefined
      : {
          status: 404,
          json: { error: { message: `Invalid URL (${method} ${url})`, type: 'invalid_request_error' } },
        };
}

export const CHAT: Dialect = {
  lookUp: lookUpOutside('/v1/chat/completions'),
  read: readChatRequest,
  message: (answer, request) =>
    request.json['stream'] === true
      ? { status: 200, headers: EVENT_STREAM, frames: streamed(answer, request) }
      : {
          status: 200,
          headers: JSON_BODY,
          frames: [{ at: 'end', bytes: JSON.stringify(whole(answer, request)) }],
        },
  refusal: refusalOf,
  errorFrame: (how) =>
    data({
      error:
        how === 'overloaded'
          ? { message: 'The server is overloaded.', type: 'server_error', code: 'server_is_overloaded' }
          : { message: 'The server had an error.', type: 'server_error', code: null },
    }),
  otherApi: MESSAGES_ANSWER,
};

function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

const FINISH = { end: 'stop', calls: 'tool_calls', length: 'length', refusal: 'content_filter' } as const;

function finishReason({ stop, parts = [] }: MessageAnswer): string {
  return FINISH[stop ?? (parts.some(({ kind }) => kind === 'call') ? 'calls' : 'end')];
}

const DEFAULT_USAGE: AnswerUsage = { input: 10, output: 5 };

function usageOf({ usage = DEFAULT_USAGE }: MessageAnswer): Json | undefined {
  if (usage === null) return undefined;
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead ?? 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

function head(answer: MessageAnswer, { json }: RawRequest, object: string): Json {
  return { id: 'chatcmpl-test', object, created: 1_790_000_000, model: answer.model ?? json['model'] };
}

function whole(answer: MessageAnswer, request: RawRequest): Json {
  const parts = answer.parts ?? [];
  const calls = parts.flatMap((part) => (part.kind === 'call' ? [wholeCall(part)] : []));
  const usage = usageOf(answer);
  const message = {
    role: 'assistant',
    content: textOf(parts, 'text'),
    ...(parts.some(({ kind }) => kind === 'thinking') && { reasoning_content: textOf(parts, 'thinking') }),
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    ...head(answer, request, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(answer) }],
    ...(usage && { usage }),
  };
}

function textOf(parts: readonly AnswerPart[], kind: 'text' | 'thinking'): string | null {
  const texts = parts.flatMap((part) => (part.kind === kind ? [part.text] : []));
  return texts.length === 0 ? null : texts.join('');
}

function wholeCall({ id, name, input }: Extract<AnswerPart, { kind: 'call' }>): Json {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

function streamed(answer: MessageAnswer, request: RawRequest): Frame[] {
  const parts = answer.parts ?? [];
  const chunk = (delta: Json, finish: string | null = null) =>
    data({
      ...head(answer, request, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      usage: null,
    });
  const calls = parts.filter((part) => part.kind === 'call');
  const together: Frame[] =
    answer.callsTogether === true && calls.length > 0
      ? [
          {
            at: 'call',
            isDelta: true,
            bytes: chunk({ tool_calls: calls.map((call, index) => ({ index, ...wholeCall(call) })) }),
          },
        ]
      : [];
  const usage = usageOf(answer);
  const wanted = (request.json['stream_options'] as Json | undefined)?.['include_usage'] === true;
  return [
    { at: 'open', bytes: chunk({ role: 'assistant', content: '', refusal: null }) },
    ...parts.flatMap((part): Frame[] => {
      if (part.kind === 'call')
        return together.length > 0 ? [] : callFrames(part, calls.indexOf(part), chunk);
      const field = part.kind === 'text' ? 'content' : 'reasoning_content';
      return pieces(part.text, part.pieces).map((text) => ({
        at: part.kind,
        isDelta: true,
        bytes: chunk({ [field]: text }),
      }));
    }),
    ...together,
    { at: 'end', bytes: chunk({}, finishReason(answer)) },
    ...(usage && wanted
      ? [
          {
            at: 'end' as const,
            bytes: data({ ...head(answer, request, 'chat.completion.chunk'), choices: [], usage }),
          },
        ]
      : []),
    { at: 'end', bytes: 'data: [DONE]\n\n' },
  ];
}

function callFrames(
  { id, name, input, pieces: count }: Extract<AnswerPart, { kind: 'call' }>,
  index: number,
  chunk: (delta: Json) => string,
): Frame[] {
  const opening = { index, id, type: 'function', function: { name, arguments: '' } };
  return [
    { at: 'call', bytes: chunk({ tool_calls: [opening] }) },
    ...pieces(JSON.stringify(input), count).map((text) => ({
      at: 'call' as const,
      isDelta: true,
      bytes: chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
    })),
  ];
}

/** The name of the role for models that reason is another one. */
const isSystem = ({ role }: Json) => role === 'system' || role === 'developer';

function readChatRequest({ json, headers, body }: RawRequest): ReceivedRequest {
  const messages = json['messages'] as Json[];
  return {
    model: String(json['model']),
    stream: json['stream'] === true,
    maxTokens: (json['max_completion_tokens'] ?? json['max_tokens']) as number | undefined,
    system: messages
      .filter(isSystem)
      .map(({ content }) => String(content))
      .join('\n\n'),
    messages: joined(messages.filter((message) => !isSystem(message)).map(readMessage)),
    tools: ((json['tools'] ?? []) as Json[]).map((tool) => {
      const { name, parameters } = tool['function'] as Json;
      return { name: String(name), schema: parameters };
    }),
    outputSchema: (json['response_format'] as { json_schema?: { schema: unknown } } | undefined)?.json_schema
      ?.schema,
    thinks: json['reasoning_effort'] === undefined ? undefined : json['reasoning_effort'] !== 'none',
    credential: headers['authorization']?.replace(/^Bearer /, ''),
    cacheMarks: body.toString('utf8').split('"cache_control"').length - 1,
    body: body.toString('utf8'),
  };
}

/** The user side is one message of several: results, then what was said. */
export function joined(messages: readonly ReceivedMessage[]): ReceivedMessage[] {
  const result: ReceivedMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (last?.role !== message.role) result.push(message);
    else result[result.length - 1] = { role: last.role, parts: [...last.parts, ...message.parts] };
  }
  return result;
}

function readMessage(message: Json): ReceivedMessage {
  if (message['role'] === 'tool') {
    const text = String(message['content']);
    const isError = text.startsWith('Error: ');
    return {
      role: 'user',
      parts: [
        {
          kind: 'result',
          id: String(message['tool_call_id']),
          text: text.replace(/^Error: /, ''),
          ...(isError && { isError }),
        },
      ],
    };
  }
  const said = contentParts(message['content']);
  if (message['role'] === 'user') return { role: 'user', parts: said };
  const reasoning = message['reasoning_content'];
  return {
    role: 'assistant',
    parts: [
      ...(typeof reasoning === 'string' ? [{ kind: 'thinking' as const, text: reasoning }] : []),
      ...said,
      ...((message['tool_calls'] ?? []) as Json[]).map((call): ReceivedPart => {
        const { name, arguments: input } = call['function'] as Json;
        return { kind: 'call', id: String(call['id']), name: String(name), input: JSON.parse(String(input)) };
      }),
    ],
  };
}

function contentParts(content: unknown): ReceivedPart[] {
  if (content === null || content === undefined) return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return (content as Json[]).map((part): ReceivedPart => {
    if (part['type'] === 'text') return { kind: 'text', text: String(part['text']) };
    if (part['type'] === 'image_url') return imageIn(String((part['image_url'] as Json)['url']));
    throw new Error(`No request has a part of type ${String(part['type'])}.`);
  });
}

export function imageIn(url: string): ReceivedPart {
  const [, mediaType = '', bytes = ''] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? [];
  return { kind: 'image', mediaType, data: bytes };
}
