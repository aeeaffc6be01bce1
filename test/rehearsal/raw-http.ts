/** Requests as plain as they come: node:http, no client of ours in between. */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { StreamEvent, WireResponse } from '@turnwright/engine/protocol/model/wire.ts';

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly chunks: readonly Buffer[];
  /** The error code when the connection broke. */
  readonly broken: string | undefined;
}

export interface RawOptions {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  onChunk?(chunk: Buffer): void;
}

const DEFAULT_HEADERS = {
  'x-api-key': 'test-key',
  'anthropic-version': '2023-06-01',
  'content-type': 'application/json',
};

/** Never rejects: a broken connection is part of the answer. */
export function raw(url: string, options: RawOptions = {}): Promise<RawAnswer> {
  const body = options.body;
  const bytes = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const headers = Object.fromEntries(
    Object.entries({ ...DEFAULT_HEADERS, ...options.headers }).filter(([, value]) => value !== undefined),
  ) as Record<string, string>;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let status = 0;
    let answered: IncomingHttpHeaders = {};
    const end = (broken?: string) =>
      resolve({ status, headers: answered, text: Buffer.concat(chunks).toString('utf8'), chunks, broken });
    const sent = httpRequest(
      url + (options.path ?? '/v1/messages'),
      {
        method: options.method ?? 'POST',
        headers,
        agent: new Agent({ keepAlive: false }),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      },
      (response) => {
        status = response.statusCode ?? 0;
        answered = response.headers;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          options.onChunk?.(chunk);
        });
        response.on('end', () => end());
        response.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    sent.end(bytes);
  });
}

export function user(content: unknown) {
  return { role: 'user', content };
}

export function assistant(content: unknown) {
  return { role: 'assistant', content };
}

export function request(messages: readonly unknown[] | string, rest: Record<string, unknown> = {}) {
  const list = typeof messages === 'string' ? [user(messages)] : messages;
  return { model: 'claude-opus-5-5', max_tokens: 8000, messages: list, ...rest };
}

export function errorOf(answer: RawAnswer): { readonly type: string; readonly message: string } {
  const parsed = JSON.parse(answer.text) as { error?: { type: string; message: string } };
  return parsed.error ?? { type: 'no error', message: answer.text };
}

export function messageOf(answer: RawAnswer): WireResponse {
  return JSON.parse(answer.text) as WireResponse;
}

/** The events of a well-formed stream, whatever its line ends. */
export function eventsOf(text: string): StreamEvent[] {
  return text
    .split(/\r?\n\r?\n/)
    .filter((frame) => frame !== '')
    .map((frame) => {
      const data = frame.split(/\r?\n/).find((line) => line.startsWith('data: '));
      return JSON.parse((data ?? 'data: null').slice('data: '.length)) as StreamEvent;
    });
}

export const READ_TOOL = {
  name: 'Read',
  description: 'Reads a file.',
  input_schema: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
};

/** A PNG of this size: its head is real, its pixels are not there. */
export function png(width: number, height: number): string {
  const head = Buffer.alloc(33);
  head.writeUInt32BE(0x89504e47, 0);
  head.writeUInt32BE(0x0d0a1a0a, 4);
  head.writeUInt32BE(13, 8);
  head.write('IHDR', 12, 'latin1');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head.toString('base64');
}
