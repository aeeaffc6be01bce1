/** Checks the credentials of an endpoint without a model call, so without cost. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { Connections } from '@turnwright/base/http/connections.ts';
import type { Life } from '../../protocol/life.ts';
import { wireModel } from '../catalog/model-info.ts';
import { classifyAnswer } from '../retry/classify-error.ts';
import { fieldOf, type JsonAnswer, requestJson } from './request-json.ts';

export type EndpointAnswer =
  /** The credentials are valid. `isModelListed`: the endpoint lists the model. */
  | { readonly kind: 'accepted'; readonly isModelListed: boolean }
  /** 401 or 403. */
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }
  /** The response is not one of the API that is asked. */
  | { readonly kind: 'foreign'; readonly status: number; readonly message: string }
  /** The API reports a problem: 429, 5xx. */
  | { readonly kind: 'failed'; readonly status: number; readonly message: string }
  | { readonly kind: 'unreachable'; readonly message: string };

/** How short requests beside model calls are sent. */
export interface Endpoint {
  readonly connections: Connections;
  readonly baseUrl: URL;
  /** The path that `/models` is below, such as `/v1`. */
  readonly root: string;
  /** With the credentials. */
  readonly headers: OutgoingHttpHeaders;
  readonly life: Pick<Life, 'aborted' | 'onAbort'>;
  /** Wall time. */
  readonly nowMs: number;
}

interface Probe extends Endpoint {
  readonly model: string;
  /** Where requests for an answer go, below `root`. */
  readonly answers: '/messages' | '/chat/completions' | '/responses';
}

/**
 * Requests the model's description first. An endpoint without models is sent a message without content, which
 * every such API refuses after it has checked the credentials.
 */
export async function probeEndpoint(probe: Probe): Promise<EndpointAnswer> {
  const listed = await ask(probe, `/models/${encodeURIComponent(wireModel(probe.model))}`);
  if (listed.head === undefined) return { kind: 'unreachable', message: listed.message };
  if (listed.head.status === 200 && typeof fieldOf(listed.json, 'id') === 'string')
    return { kind: 'accepted', isModelListed: true };
  if (listed.head.status === 401 || listed.head.status === 403) return refusal('refused', listed, probe);
  const empty = await ask(probe, probe.answers, '{}');
  if (empty.head === undefined) return { kind: 'unreachable', message: empty.message };
  const { status } = empty.head;
  if (status === 401 || status === 403) return refusal('refused', empty, probe);
  if (status === 429 || status >= 500) return refusal('failed', empty, probe);
  if ((status === 400 || status === 422) && typeof empty.json === 'object')
    return { kind: 'accepted', isModelListed: false };
  return {
    kind: 'foreign',
    status,
    message: status >= 400 ? explained(empty, probe) : 'the answer is not of this API',
  };
}

function refusal(kind: 'refused' | 'failed', answer: JsonAnswer, probe: Probe): EndpointAnswer {
  return { kind, status: answer.head.status, message: explained(answer, probe) };
}

function explained({ head, text }: JsonAnswer, { nowMs }: Probe): string {
  return classifyAnswer(head, text, nowMs).message;
}

function ask(
  { connections, baseUrl, root, headers, life }: Probe,
  path: string,
  body?: string,
): ReturnType<typeof requestJson> {
  const whole = `${root}${path}${baseUrl.search}`;
  return requestJson({ connections, path: whole, headers, life, body });
}
