/** Small servers that answer as told, over real HTTP. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { StreamEvent } from '@turnwright/engine/protocol/model/wire.ts';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly json: Record<string, unknown>;
  /** A number per connection. */
  readonly connection: number;
}

export type Answer = (response: ServerResponse, received: Received, n: number) => void | Promise<void>;

export interface ApiServer {
  readonly url: string;
  readonly server: Server;
  readonly received: Received[];
  readonly openSockets: number;
  close(): Promise<void>;
}

/** Answers the n-th request with the n-th answer; the last one is repeated. */
export async function apiServer(...answers: Answer[]): Promise<ApiServer> {
  const received: Received[] = [];
  const sockets = new Map<Socket, number>();
  let connections = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const one: Received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      text,
      json: text === '' ? {} : JSON.parse(text),
      connection: sockets.get(request.socket) ?? 0,
    };
    received.push(one);
    const answer = answers[Math.min(received.length, answers.length) - 1];
    await answer?.(response, one, received.length);
  });
  server.on('connection', (socket) => {
    sockets.set(socket, ++connections);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    received,
    get openSockets() {
      return sockets.size;
    },
    async close() {
      for (const socket of sockets.keys()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': 'req_1' };

export function sse(...events: readonly object[]): string {
  return events
    .map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

export const start = (model = 'claude-sonnet-5', id = 'msg_1') => ({
  type: 'message_start',
  message: {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  },
});
export const text = (index: number, ...parts: string[]): object[] => [
  { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
  ...parts.map((part) => ({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: part } })),
  { type: 'content_block_stop', index },
];
export const toolUse = (index: number, id: string, ...parts: string[]): object[] => [
  { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: 'Read', input: {} } },
  ...parts.map((part) => ({
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json: part },
  })),
  { type: 'content_block_stop', index },
];
export const stop = (stop_reason = 'end_turn'): object[] => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
];

export const HELLO = [start(), ...text(0, 'Hel', 'lo'), ...stop()];

export const streams =
  (...events: readonly object[]): Answer =>
  (response) => {
    response.writeHead(200, EVENT_STREAM);
    response.end(sse(...events));
  };

export const hello: Answer = streams(...HELLO);

export const refuses =
  (status: number, type: string, message: string, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_err', ...headers });
    response.end(JSON.stringify({ type: 'error', error: { type, message } }));
  };

export const overloaded = (headers?: Record<string, string>): Answer =>
  refuses(529, 'overloaded_error', 'Overloaded', headers);

/** The concatenated text of text deltas. */
export function textOf(events: readonly StreamEvent[]): string {
  return events
    .map((event) =>
      event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '',
    )
    .join('');
}
