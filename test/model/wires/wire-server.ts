/** What the servers of all wires share: the queue of answers, sockets, and how an answer breaks off. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type {
  AnswerBreak,
  MessageAnswer,
  ModelServer,
  NoAnswer,
  ReceivedRequest,
  RefusalAnswer,
  ServerAnswer,
} from '@turnwright/testing/checks/model/model-server.ts';

export interface RawRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body as JSON; `{}` if there is none. */
  readonly json: Record<string, unknown>;
}

/** A part of a streamed answer that is written at once. */
export interface Frame {
  readonly bytes: string | Buffer;
  /** What it is part of; `open`: of what precedes the first part, `end`: of what follows the last one. */
  readonly at: 'open' | 'text' | 'thinking' | 'call' | 'end';
  /** It carries content of the part: the answer may break behind it. */
  readonly isDelta?: boolean;
}

export interface Rendered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly frames: readonly Frame[];
}

/** One API, as its documentation says. */
export interface Dialect {
  /** Requests that ask for no answer (lists of models, token counts): status and JSON; undefined: it asks for one. */
  lookUp?(request: RawRequest): { readonly status: number; readonly json: unknown } | undefined;
  read(request: RawRequest): ReceivedRequest;
  message(answer: MessageAnswer, request: RawRequest): Rendered;
  refusal(answer: RefusalAnswer, request: RawRequest): Rendered;
  /** The event of a stream that reports an error. */
  errorFrame(how: 'error' | 'overloaded', request: RawRequest): string | Buffer;
  /** Default: OpenAI's chat completion, whole; the dialect that speaks it answers with another API's. */
  otherApi?: unknown;
}

export interface WireServer extends ModelServer {
  readonly url: string;
  readonly port: number;
  /** All requests, look-ups included. */
  readonly requests: readonly RawRequest[];
  /** Writes the bodies of messages from now on, behind the head. undefined: they are written whole, as always. */
  writeBodiesWith(write: BodyWriter | undefined): void;
  close(): Promise<void>;
}

export type BodyWriter = (response: ServerResponse, body: Buffer) => void;

const CHAT_COMPLETION = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
};

export async function startWireServer(dialect: Dialect): Promise<WireServer> {
  let queue: ServerAnswer[] = [];
  const received: ReceivedRequest[] = [];
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  let openAnswers = 0;
  let writer: BodyWriter | undefined;
  const server = createServer(async (incoming, response) => {
    openAnswers++;
    response.on('close', () => openAnswers--);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const request: RawRequest = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.headers,
      body,
      json: body.length === 0 ? {} : JSON.parse(body.toString('utf8')),
    };
    requests.push(request);
    const looked = dialect.lookUp?.(request);
    if (looked !== undefined) {
      response.writeHead(looked.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(looked.json));
      return;
    }
    received.push(dialect.read(request));
    const answer: ServerAnswer = queue.shift() ?? {
      kind: 'refusal',
      reason: 'server_error',
      message: 'The test has given no answer for this request.',
    };
    if (answer.kind === 'message' && writer !== undefined) {
      const { status, headers, frames } = dialect.message(answer, request);
      response.writeHead(status, headers);
      writer(response, Buffer.concat(frames.map(({ bytes }) => Buffer.from(bytes as string))));
    } else deliver(response, answer, request, dialect);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    requests,
    answerWith: (...answers) => {
      queue = [...answers];
    },
    writeBodiesWith: (write) => {
      writer = write;
    },
    get openSockets() {
      return sockets.size;
    },
    get openAnswers() {
      return openAnswers;
    },
    async stopListening() {
      for (const socket of sockets) socket.destroy();
      // While a connection to the port is open, no other server of this machine is given that port.
      const accepted = once(server, 'connection');
      connect(port, '127.0.0.1').on('error', () => {});
      await accepted;
      server.close();
    },
    close,
  };
}

function deliver(
  response: ServerResponse,
  answer: ServerAnswer,
  request: RawRequest,
  dialect: Dialect,
): void {
  switch (answer.kind) {
    case 'message':
      write(response, dialect.message(answer, request), answer, request, dialect);
      return;
    case 'refusal':
      write(response, dialect.refusal(answer, request), {}, request, dialect);
      return;
    default:
      noAnswer(response, answer, dialect);
  }
}

function noAnswer(response: ServerResponse, { kind }: NoAnswer, dialect: Dialect): void {
  switch (kind) {
    case 'silence':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'empty':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '0' });
      response.end();
      return;
    case 'web_page':
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><title>Log in</title>');
      return;
    case 'other_api':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(dialect.otherApi ?? CHAT_COMPLETION));
  }
}

function write(
  response: ServerResponse,
  { status, headers, frames }: Rendered,
  { breaks, bytesPerWrite }: Pick<MessageAnswer, 'breaks' | 'bytesPerWrite'>,
  request: RawRequest,
  dialect: Dialect,
): void {
  response.writeHead(status, headers);
  const sent = breaks === undefined ? frames : frames.slice(0, breakPoint(frames, breaks));
  for (const { bytes } of sent) writeSplit(response, bytes, bytesPerWrite);
  switch (breaks?.how) {
    case undefined:
    case 'cut':
      response.end();
      return;
    case 'stall':
      return;
    case 'reset':
      // What was written reaches the client before the reset does.
      setTimeout(() => response.socket?.resetAndDestroy(), 20);
      return;
    default:
      response.end(dialect.errorFrame(breaks?.how ?? 'error', request));
  }
}

function breakPoint(frames: readonly Frame[], { at }: AnswerBreak): number {
  const found =
    at === 'start' || at === 'end'
      ? frames.findLastIndex((frame) => frame.at === 'open' || (at === 'end' && frame.at !== 'end'))
      : frames.findIndex((frame) => frame.at === at && frame.isDelta === true);
  if (found < 0) throw new Error(`The answer has no ${at} to break at.`);
  return found + 1;
}

function writeSplit(response: ServerResponse, bytes: string | Buffer, size: number | undefined): void {
  if (size === undefined) {
    response.write(bytes);
    return;
  }
  const all = Buffer.from(bytes);
  for (let at = 0; at < all.length; at += size) response.write(all.subarray(at, at + size));
}

/** A text in `count` pieces, none of which splits a character. */
export function pieces(text: string, count = 2): string[] {
  const characters = [...text];
  const size = Math.max(1, Math.ceil(characters.length / count));
  const result: string[] = [];
  for (let at = 0; at < characters.length; at += size) result.push(characters.slice(at, at + size).join(''));
  return result;
}
