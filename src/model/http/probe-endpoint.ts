/** Checks the credentials of an endpoint without a model call, so without cost. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { Life } from '../../protocol/life.ts';
import { withoutTrailingSlashes } from '../../util/text/trailing-slashes.ts';
import { wireModel } from '../catalog/model-info.ts';
import { classifyAnswer } from '../retry/classify-error.ts';
import type { Connections } from './connections.ts';
import { openHttpCall } from './http-call.ts';
import type { HttpHead } from './http-head.ts';

export type EndpointAnswer =
  /** The credentials are valid. `isModelListed`: the endpoint lists the model. */
  | { readonly kind: 'accepted'; readonly isModelListed: boolean }
  /** 401 or 403. */
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }
  /** The response is not one of the Messages API. */
  | { readonly kind: 'foreign'; readonly status: number; readonly message: string }
  /** The Messages API reports a problem: 429, 5xx. */
  | { readonly kind: 'failed'; readonly status: number; readonly message: string }
  | { readonly kind: 'unreachable'; readonly message: string };

interface Probe {
  readonly connections: Connections;
  readonly baseUrl: URL;
  readonly model: string;
  readonly headers: OutgoingHttpHeaders;
  readonly life: Pick<Life, 'aborted' | 'onAbort'>;
  readonly nowMs: number;
}

const MAX_ANSWER_BYTES = 1024 * 1024;

interface Answer {
  readonly head: HttpHead;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Requests the model's description first. An endpoint without models is sent a message without content, which
 * every Messages API refuses after it has checked the credentials.
 */
export async function probeEndpoint(probe: Probe): Promise<EndpointAnswer> {
  const listed = await ask(probe, 'GET', `/v1/models/${encodeURIComponent(wireModel(probe.model))}`);
  if ('message' in listed) return { kind: 'unreachable', message: listed.message };
  if (listed.head.status === 200 && typeof listed.json?.['id'] === 'string')
    return { kind: 'accepted', isModelListed: true };
  if (listed.head.status === 401 || listed.head.status === 403) return refusal('refused', listed, probe);
  const empty = await ask(probe, 'POST', '/v1/messages', '{}');
  if ('message' in empty) return { kind: 'unreachable', message: empty.message };
  const { status } = empty.head;
  if (status === 401 || status === 403) return refusal('refused', empty, probe);
  if (status === 429 || status >= 500) return refusal('failed', empty, probe);
  if ((status === 400 || status === 422) && empty.json !== undefined)
    return { kind: 'accepted', isModelListed: false };
  return {
    kind: 'foreign',
    status,
    message: status >= 400 ? explained(empty, probe) : 'the answer is not of the Messages API',
  };
}

function refusal(kind: 'refused' | 'failed', answer: Answer, probe: Probe): EndpointAnswer {
  return { kind, status: answer.head.status, message: explained(answer, probe) };
}

function explained({ head, text }: Answer, { nowMs }: Probe): string {
  return classifyAnswer(head, text, nowMs).message;
}

async function ask(
  { connections, baseUrl, headers, life }: Probe,
  method: 'GET' | 'POST',
  path: string,
  body?: string,
): Promise<Answer | { readonly message: string }> {
  const call = openHttpCall(
    connections,
    {
      ...(method === 'GET' && { method }),
      path: `${withoutTrailingSlashes(baseUrl.pathname)}${path}${baseUrl.search}`,
      headers: {
        ...headers,
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
      },
      keepAlive: false,
    },
    body === undefined ? [] : [body],
    life,
  );
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    while (!call.ended && call.stopped === undefined && bytes <= MAX_ANSWER_BYTES) {
      await call.changed();
      for (const chunk of call.take()) {
        chunks.push(chunk);
        bytes += chunk.length;
      }
    }
    if (call.stopped?.kind === 'failed') return { message: call.stopped.failure.message };
    if (call.head === undefined) return { message: 'No answer came in time.' };
    const text = Buffer.concat([...chunks, ...call.take()]).toString('utf8');
    return { head: call.head, text, json: objectIn(text) };
  } finally {
    call.close();
  }
}

function objectIn(text: string): Answer['json'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Answer['json']) : undefined;
  } catch {
    return undefined;
  }
}
