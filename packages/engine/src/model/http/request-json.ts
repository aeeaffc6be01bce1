/** A short request beside model calls, as a description of models: one attempt, read completely. */

import type { OutgoingHttpHeaders } from 'node:http';
import { readJson } from '@turnwright/base/bounded-json.ts';
import type { Connections } from '@turnwright/base/http/connections.ts';
import type { Life } from '../../protocol/life.ts';
import type { HttpHead } from '../../protocol/model/provider-wire.ts';
import { openHttpCall } from './http-call.ts';

interface JsonRequest {
  readonly connections: Connections;
  /** Absolute, with its query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly life: Pick<Life, 'aborted' | 'onAbort'>;
  /** Sent with POST. Absent: GET. */
  readonly body?: string | undefined;
  /** Default false: the socket is closed afterwards. */
  readonly keepAlive?: boolean;
}

export interface JsonAnswer {
  readonly head: HttpHead;
  readonly text: string;
  /** undefined: the body is not JSON. */
  readonly json: unknown;
}

/** A gateway may list hundreds of models. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** The answer, of whatever status; else a sentence that says why there is none. Never rejects. */
export async function requestJson(
  request: JsonRequest,
): Promise<JsonAnswer | { readonly message: string; readonly head?: undefined }> {
  const { connections, path, headers, life, body, keepAlive = false } = request;
  const call = openHttpCall(
    connections,
    {
      ...(body === undefined && { method: 'GET' as const }),
      path,
      headers: {
        ...headers,
        accept: 'application/json',
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
      },
      keepAlive,
    },
    body === undefined ? [] : [body],
    life,
  );
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = () => {
    for (const chunk of call.take()) {
      chunks.push(chunk);
      bytes += chunk.length;
    }
  };
  try {
    while (!call.ended && call.stopped === undefined && bytes <= MAX_ANSWER_BYTES) {
      await call.changed();
      take();
    }
    take();
    if (call.stopped?.kind === 'failed') return { message: call.stopped.failure.message };
    if (call.head === undefined || call.stopped !== undefined) return { message: 'No answer came in time.' };
    if (bytes > MAX_ANSWER_BYTES) return { message: 'The answer is too large.' };
    const text = Buffer.concat(chunks).toString('utf8');
    return { head: call.head, text, json: readJson(text) };
  } finally {
    call.close();
  }
}

/** A field of a JSON object; undefined in what is none. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
