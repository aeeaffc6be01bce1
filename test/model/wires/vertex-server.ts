/**
 * Vertex AI on loopback: `…/models/{id}:rawPredict` and `:streamRawPredict`, with an access token of the project.
 */
import type { RefusalReason } from '@turnwright/testing/checks/model/model-server.ts';
import { messagesDialect, readRequest } from './messages-server.ts';
import { type Dialect, type RawRequest, startWireServer, type WireServer } from './wire-server.ts';

export interface VertexProject {
  readonly id: string;
  /** Asked with each request. */
  isValidToken(token: string): boolean;
}

export function startVertexServer(project: VertexProject): Promise<WireServer> {
  return startWireServer(vertexDialect(project));
}

const PATH =
  /\/projects\/([^/]+)\/locations\/([^/]+)\/publishers\/anthropic\/models\/([^/:]+):(rawPredict|streamRawPredict)$/;

/** Of the Messages API, and not of Vertex. */
const UNKNOWN_FIELDS = ['model', 'metadata', 'speed', 'task_budget'];

/** What Google's side refuses is worded by Google, the rest by the model's side. */
const GOOGLE: Readonly<
  Partial<Record<RefusalReason, readonly [status: number, name: string, message: string]>>
> = {
  rate_limited: [
    429,
    'RESOURCE_EXHAUSTED',
    'Resource exhausted. Please try again later. Please refer to https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.',
  ],
  server_error: [500, 'INTERNAL', 'Internal error encountered.'],
  unauthorized: [
    401,
    'UNAUTHENTICATED',
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
  ],
  forbidden: [
    403,
    'PERMISSION_DENIED',
    "Permission 'aiplatform.endpoints.predict' denied on resource (or it may not exist).",
  ],
  billing: [403, 'PERMISSION_DENIED', 'This API method requires billing to be enabled.'],
  not_found: [404, 'NOT_FOUND', 'Publisher Model was not found or your project does not have access to it.'],
};

export function vertexDialect(project: VertexProject): Dialect {
  const messages = messagesDialect({});
  return {
    lookUp: (request) => unauthorised(request, project) ?? malformed(request, project),
    read: (request) => readRequest(asMessages(request)),
    message: (answer, request) => messages.message(answer, asMessages(request)),
    refusal(answer, request) {
      const known = GOOGLE[answer.reason];
      if (known === undefined) return messages.refusal(answer, request);
      const [status, name, message] = known;
      return {
        status,
        headers: {
          'content-type': 'application/json; charset=UTF-8',
          'x-request-id': 'req_test',
          ...answer.headers,
        },
        frames: [
          { at: 'end', bytes: JSON.stringify([googleError(status, name, answer.message ?? message)]) },
        ],
      };
    },
    errorFrame: messages.errorFrame,
  };
}

function asMessages(request: RawRequest): RawRequest {
  const [, , , model = ''] = PATH.exec(request.url) ?? [];
  return { ...request, json: { ...request.json, model: decodeURIComponent(model) } };
}

function googleError(code: number, status: string, message: string) {
  return { error: { code, message, status } };
}

type Refused = { readonly status: number; readonly json: unknown };

function refused(reason: RefusalReason): Refused {
  const [status, name, message] = GOOGLE[reason] ?? [500, 'INTERNAL', reason];
  return { status, json: [googleError(status, name, message)] };
}

function unauthorised({ headers }: RawRequest, { isValidToken }: VertexProject): Refused | undefined {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  return token !== undefined && isValidToken(token) ? undefined : refused('unauthorized');
}

function malformed({ method, url, json }: RawRequest, project: VertexProject): Refused | undefined {
  const [, id] = PATH.exec(url) ?? [];
  if (method !== 'POST' || id === undefined) return refused('not_found');
  if (id !== project.id) return refused('forbidden');
  const unknown = UNKNOWN_FIELDS.find((field) => field in json);
  const message =
    json['anthropic_version'] !== 'vertex-2023-10-16'
      ? 'anthropic_version: Field required'
      : unknown !== undefined && `${unknown}: Extra inputs are not permitted`;
  if (!message) return undefined;
  return { status: 400, json: { type: 'error', error: { type: 'invalid_request_error', message } } };
}
