/** Foundry on loopback: the Messages API below `/anthropic`, with `x-api-key`, `api-key` or a bearer token. */
import { messagesDialect } from './messages-server.ts';
import { type Dialect, type RawRequest, startWireServer, type WireServer } from './wire-server.ts';

export interface FoundryResource {
  readonly apiKey?: string;
  readonly token?: string;
  /** Default: a deployment for every name. */
  readonly deployments?: readonly string[];
}

export function startFoundryServer(resource: FoundryResource): Promise<WireServer> {
  return startWireServer(foundryDialect(resource));
}

const DENIED =
  'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.';
const REQUEST_ID = { 'apim-request-id': 'req_test' };

export function foundryDialect(resource: FoundryResource): Dialect {
  const messages = messagesDialect({});
  return {
    ...messages,
    lookUp: (request) => unauthorised(request, resource) ?? malformed(request, resource),
    refusal(answer, request) {
      if (answer.reason !== 'unauthorized') return messages.refusal(answer, request);
      const bytes = JSON.stringify(azureError('401', answer.message ?? DENIED));
      const headers = { 'content-type': 'application/json', ...REQUEST_ID, ...answer.headers };
      return { status: 401, headers, frames: [{ at: 'end', bytes }] };
    },
  };
}

function azureError(code: string, message: string) {
  return { error: { code, message } };
}

type Refused = { readonly status: number; readonly json: unknown };

function unauthorised({ headers }: RawRequest, { apiKey, token }: FoundryResource): Refused | undefined {
  const key = headers['x-api-key'] ?? headers['api-key'];
  if (apiKey !== undefined && key === apiKey) return undefined;
  if (token !== undefined && headers.authorization === `Bearer ${token}`) return undefined;
  return { status: 401, json: azureError('401', DENIED) };
}

function malformed(
  { headers, json, method, url }: RawRequest,
  { deployments }: FoundryResource,
): Refused | undefined {
  if (method !== 'POST' || url !== '/anthropic/v1/messages')
    return { status: 404, json: azureError('404', 'Resource not found') };
  if (deployments?.includes(String(json['model'])) === false)
    return {
      status: 404,
      json: azureError('DeploymentNotFound', 'The API deployment for this resource does not exist.'),
    };
  const unknown = ['speed', 'task_budget'].find((field) => field in json);
  const message =
    headers['anthropic-version'] !== '2023-06-01'
      ? 'anthropic-version: header is required'
      : unknown !== undefined && `${unknown}: Extra inputs are not permitted`;
  if (!message) return undefined;
  return { status: 400, json: { type: 'error', error: { type: 'invalid_request_error', message } } };
}
