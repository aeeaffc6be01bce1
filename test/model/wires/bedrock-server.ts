/**
 * Bedrock's runtime on loopback: `POST /model/{id}/invoke` and `/invoke-with-response-stream`, signed with the
 * account's keys or authorised by its API key. A request that its documentation forbids is refused.
 */
import type { RefusalReason } from '@turnwright/testing/checks/model/model-server.ts';
import { chunk, exception } from './aws-frames.ts';
import { type AwsAccount, wrongSignature } from './aws-signature.ts';
import { messagesDialect, readRequest } from './messages-server.ts';
import {
  type Dialect,
  type Frame,
  type RawRequest,
  startWireServer,
  type WireServer,
} from './wire-server.ts';

export interface BedrockAccount {
  /** Keys may be rotated. */
  keys: AwsAccount;
  readonly region: string;
  /** A Bedrock API key, which is accepted as well. */
  readonly apiKey?: string;
  /** Session tokens that were valid once. */
  readonly expiredTokens?: readonly string[];
}

export function startBedrockServer(account: BedrockAccount): Promise<WireServer> {
  return startWireServer(bedrockDialect(account));
}

const PATH = /^\/model\/([^/]+)\/invoke(-with-response-stream)?$/;

/** Fields of the body in the documentation of Anthropic's models on Bedrock. */
const KNOWN_FIELDS = [
  'anthropic_version',
  'anthropic_beta',
  'max_tokens',
  'system',
  'messages',
  'temperature',
  'top_p',
  'top_k',
  'tools',
  'tool_choice',
  'stop_sequences',
  'thinking',
  'output_config',
];

/** Exception and status; what the model itself refuses is a `ValidationException` in its own words. */
const EXCEPTIONS: Readonly<Record<RefusalReason, readonly [name: string, status: number, message?: string]>> =
  {
    overloaded: ['ServiceUnavailableException', 503, 'Bedrock is unable to process your request.'],
    rate_limited: ['ThrottlingException', 429, 'Too many requests, please wait before trying again.'],
    server_error: [
      'InternalServerException',
      500,
      'The system encountered an unexpected error during processing.',
    ],
    timeout: ['ModelTimeoutException', 408, 'Model has timed out in processing the request.'],
    unauthorized: [
      'UnrecognizedClientException',
      403,
      'The security token included in the request is invalid.',
    ],
    forbidden: [
      'AccessDeniedException',
      403,
      "You don't have access to the model with the specified model ID.",
    ],
    billing: [
      'AccessDeniedException',
      403,
      'Model access is denied due to INVALID_PAYMENT_INSTRUMENT: a valid payment instrument must be provided.',
    ],
    not_found: [
      'ResourceNotFoundException',
      404,
      'Could not resolve the foundation model from the model identifier.',
    ],
    too_long: ['ValidationException', 400, 'Input is too long for requested model.'],
    too_large: ['ValidationException', 413],
    media_too_large: ['ValidationException', 400],
    bad_signature: ['ValidationException', 400],
    bad_schema: ['ValidationException', 400],
    invalid: ['ValidationException', 400],
  };

const REQUEST_ID = { 'x-amzn-requestid': 'req_test' };

export function bedrockDialect(account: BedrockAccount): Dialect {
  const messages = messagesDialect({});
  return {
    lookUp: (request) => unauthorised(request, account) ?? malformed(request),
    read: (request) => ({ ...readRequest(asMessages(request)), body: request.body.toString('utf8') }),
    message(answer, request) {
      const { frames, headers, status } = messages.message(answer, asMessages(request));
      if (headers['content-type'] === 'application/json')
        return { status, headers: { ...headers, ...REQUEST_ID }, frames };
      return {
        status,
        headers: { 'content-type': 'application/vnd.amazon.eventstream', ...REQUEST_ID },
        frames: frames.map(asChunk),
      };
    },
    refusal(answer, request) {
      const [name, status, said] = EXCEPTIONS[answer.reason];
      const { frames } = messages.refusal(answer, request);
      const worded = JSON.parse(String(frames[0]?.bytes)) as { error: { message: string } };
      return {
        status,
        headers: {
          'content-type': 'application/json',
          'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/`,
          ...REQUEST_ID,
          ...answer.headers,
        },
        frames: [
          { at: 'end', bytes: JSON.stringify({ message: answer.message ?? said ?? worded.error.message }) },
        ],
      };
    },
    errorFrame: (how) =>
      how === 'overloaded'
        ? exception('serviceUnavailableException', "The service isn't available. Try again later.")
        : exception('modelStreamErrorException', 'An error occurred while streaming the response.'),
  };
}

/** The path holds what the Messages API has in the body. */
function asMessages(request: RawRequest): RawRequest {
  const [, model = '', streams] = PATH.exec(request.url) ?? [];
  const json = { ...request.json, model: decodeURIComponent(model), stream: streams !== undefined };
  return { ...request, json };
}

/** From a server-sent event. */
function asChunk({ bytes, ...frame }: Frame): Frame {
  const [, data = ''] = /^data: ([^\n]*)/m.exec(String(bytes)) ?? [];
  return { ...frame, bytes: chunk(JSON.parse(data)) };
}

type Refused = { readonly status: number; readonly json: unknown };

function unauthorised(
  { body, headers, method, url }: RawRequest,
  { apiKey, expiredTokens = [], keys, region }: BedrockAccount,
): Refused | undefined {
  if (headers.authorization?.startsWith('Bearer ') === true) {
    if (headers.authorization === `Bearer ${apiKey}`) return undefined;
    return denied('AccessDeniedException', 'Authentication failed: Please make sure your API Key is valid.');
  }
  if (expiredTokens.includes(String(headers['x-amz-security-token'])))
    return denied('ExpiredTokenException', 'The security token included in the request is expired');
  switch (wrongSignature({ headers, method, url }, body.toString('utf8'), keys, region)) {
    case undefined:
      return undefined;
    case 'missing':
      return denied('MissingAuthenticationTokenException', 'Missing Authentication Token');
    case 'unknown key':
    case 'wrong token':
      return denied('UnrecognizedClientException', 'The security token included in the request is invalid.');
    default:
      return denied(
        'InvalidSignatureException',
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.',
      );
  }
}

function denied(type: string, message: string): Refused {
  return { status: 403, json: { __type: `com.amazon.coral.service#${type}`, message } };
}

function malformed({ method, url, json }: RawRequest): Refused | undefined {
  if (method !== 'POST' || !PATH.test(url))
    return { status: 404, json: { __type: 'UnknownOperationException', message: url } };
  const unknown = Object.keys(json).find((field) => !KNOWN_FIELDS.includes(field));
  const problem =
    json['anthropic_version'] !== 'bedrock-2023-05-31'
      ? 'anthropic_version: Field required'
      : unknown !== undefined && `${unknown}: Extra inputs are not permitted`;
  return problem ? { status: 400, json: { __type: 'ValidationException', message: problem } } : undefined;
}
