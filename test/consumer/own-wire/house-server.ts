/** A server on loopback with an API that no vendor has: a line of JSON for each piece of an answer. */
import type { AnswerPart, MessageAnswer, ReceivedPart, RefusalReason } from '@turnwright/testing';
import {
  type Dialect,
  type Frame,
  pieces,
  type RawRequest,
  startWireServer,
  type WireServer,
} from '../../model/wires/wire-server.ts';

type Json = Record<string, unknown>;

export const startHouseServer = (): Promise<WireServer> => startWireServer(HOUSE);

/** Status and code of each refusal. */
const REFUSALS: Readonly<Record<RefusalReason, readonly [status: number, code: string]>> = {
  overloaded: [529, 'busy'],
  rate_limited: [429, 'slower'],
  server_error: [500, 'broken'],
  timeout: [408, 'late'],
  unauthorized: [401, 'wrong_key'],
  forbidden: [403, 'forbidden'],
  billing: [402, 'unpaid'],
  not_found: [404, 'no_model'],
  too_long: [400, 'too_long'],
  too_large: [413, 'too_large'],
  media_too_large: [400, 'large_image'],
  bad_signature: [400, 'forged_thought'],
  bad_schema: [400, 'odd_schema'],
  invalid: [400, 'invalid'],
};

const LINES = { 'content-type': 'application/x-ndjson' };

const HOUSE: Dialect = {
  lookUp: ({ url }) => (url === '/answer' ? undefined : { status: 404, json: { code: 'no_page' } }),
  read: ({ json, headers, body }) => {
    const turns = json['turns'] as { role: 'user' | 'assistant'; blocks: Json[] }[];
    return {
      model: String(json['model']),
      stream: json['stream'] === true,
      maxTokens: json['most'] as number,
      system: String(json['system']),
      messages: turns.map(({ role, blocks }) => ({ role, parts: blocks.map(readBlock) })),
      tools: json['tools'] as { name: string; schema: unknown }[],
      outputSchema: json['schema'],
      thinks: undefined,
      credential: headers.authorization?.replace(/^Bearer /, ''),
      cacheMarks: 0,
      body: body.toString('utf8'),
    };
  },
  message: (answer, request) => {
    const frames = framesOf(answer, request);
    if (request.json['stream'] === true) return { status: 200, headers: LINES, frames };
    const bytes = `[${frames.map((frame) => String(frame.bytes).trim()).join(',')}]`;
    return { status: 200, headers: { 'content-type': 'application/json' }, frames: [{ at: 'end', bytes }] };
  },
  refusal: ({ reason, headers = {}, message, tokens = { input: 250_000, limit: 200_000 } }) => {
    const [status, code] = REFUSALS[reason];
    const sentence = message ?? `The house refuses: ${reason}.`;
    const body = { code, message: sentence, ...(reason === 'too_long' && { tokens }) };
    const frame: Frame = { at: 'end', bytes: JSON.stringify(body) };
    return { status, headers: { 'content-type': 'application/json', ...headers }, frames: [frame] };
  },
  errorFrame: (how) => line({ code: how === 'overloaded' ? 'busy' : 'broken', message: 'It broke.' }),
};

const line = (value: Json): string => `${JSON.stringify(value)}\n`;

const ENDS = { end: 'done', calls: 'calls', length: 'full', refusal: 'no' } as const;

function framesOf(answer: MessageAnswer, { json }: RawRequest): readonly Frame[] {
  const {
    callsTogether = false,
    model = json['model'],
    parts = [],
    usage = { input: 10, output: 5 },
  } = answer;
  const stop = answer.stop ?? (parts.some(({ kind }) => kind === 'call') ? 'calls' : 'end');
  const { input, output, cacheRead = 0, cacheWritten = 0 } = usage ?? { input: 0, output: 0 };
  const read = { fresh: input - cacheRead - cacheWritten, kept: cacheRead, keeps: cacheWritten };
  const begun: Frame = { at: 'open', bytes: line({ begin: model, ...(usage !== null && { read }) }) };
  const told = parts.flatMap(framesOfPart);
  const together = { at: 'call', isDelta: true, bytes: told.map(({ bytes }) => bytes).join('') } as const;
  const end: Frame = {
    at: 'end',
    bytes: line({ end: ENDS[stop], ...(usage !== null && { wrote: output }) }),
  };
  return [begun, ...(callsTogether ? [together] : told), end];
}

function framesOfPart(part: AnswerPart): readonly Frame[] {
  const opening =
    part.kind === 'call' ? { open: part.kind, id: part.id, name: part.name } : { open: part.kind };
  const text = part.kind === 'call' ? JSON.stringify(part.input) : part.text;
  const signature = part.kind === 'thinking' ? { signature: part.signature ?? '' } : {};
  return [
    { at: part.kind, bytes: line(opening) },
    ...pieces(text, part.pieces).map((add) => ({ at: part.kind, isDelta: true, bytes: line({ add }) })),
    { at: part.kind, bytes: line({ close: true, ...signature }) },
  ];
}

function readBlock(block: Json): ReceivedPart {
  switch (block['type']) {
    case 'tool_use':
      return { kind: 'call', id: String(block['id']), name: String(block['name']), input: block['input'] };
    case 'thinking':
      return { kind: 'thinking', text: String(block['thinking']), signature: String(block['signature']) };
    case 'image': {
      const { data, media_type } = block['source'] as Json;
      return { kind: 'image', mediaType: String(media_type), data: String(data) };
    }
    case 'tool_result': {
      const { content } = block;
      const inside = Array.isArray(content) ? (content as Json[]) : [{ type: 'text', text: content }];
      const texts = inside.filter(({ type }) => type === 'text').map(({ text }) => String(text));
      return {
        kind: 'result',
        id: String(block['tool_use_id']),
        text: texts.join(''),
        ...(block['is_error'] === true && { isError: true }),
        images: inside.filter(({ type }) => type === 'image').length,
      };
    }
    default:
      return { kind: 'text', text: String(block['text']) };
  }
}
