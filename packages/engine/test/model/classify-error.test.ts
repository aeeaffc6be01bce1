import { describe, expect, it } from 'vitest';
import {
  assistantErrorKind,
  classifyAnswer,
  classifyConnectionError,
  classifyStreamError,
} from '../../src/model/retry/classify-error.ts';

const json = { 'content-type': 'application/json' };
const api = (status: number, message: string, type = 'invalid_request_error') =>
  classifyAnswer(
    { status, headers: json },
    JSON.stringify({ type: 'error', error: { type, message }, request_id: 'r1' }),
    0,
  );
const other = (status: number, body: unknown) =>
  classifyAnswer({ status, headers: json }, JSON.stringify(body), 0);

describe('answers of the Messages API', () => {
  it.each([
    [
      400,
      'prompt is too long: 210000 tokens > 200000 maximum',
      'prompt_too_long',
      { input: 210_000, limit: 200_000 },
    ],
    [413, 'Request exceeds the maximum size', 'prompt_too_long', {}],
    [
      400,
      'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000',
      'output_over_window',
      { input: 190_000, maxTokens: 32_000, limit: 200_000 },
    ],
    [
      400,
      'messages.3.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes',
      'media_too_large',
      undefined,
    ],
    [
      400,
      'messages.0: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
      'media_too_large',
      undefined,
    ],
    [400, 'too many images and documents: 101 > 100', 'media_too_large', undefined],
    [400, 'A maximum of 100 PDF pages may be provided.', 'media_too_large', undefined],
    [400, 'Could not process image', 'media_too_large', undefined],
    [400, 'messages.1.content.0: Invalid `signature` in `thinking` block', 'invalid_signature', undefined],
    [
      400,
      '`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified',
      'invalid_signature',
      undefined,
    ],
    [400, 'max_tokens: must be positive', 'invalid_request', undefined],
    [401, 'invalid x-api-key', 'authentication', undefined],
    [403, 'OAuth token has been revoked', 'token_revoked', undefined],
    [403, 'no access to this model', 'permission', undefined],
    [404, 'model: claude-nope', 'not_found', undefined],
    [408, 'slow', 'timeout', undefined],
    [429, 'prompt is too long for your rate limit', 'rate_limited', undefined],
    [500, 'Internal server error', 'server_error', undefined],
    [529, 'Overloaded', 'overloaded', undefined],
    [403, 'The security token included in the request is expired', 'cloud_credentials', undefined],
  ])('%i %s', (status, message, kind, tokens) => {
    const failure = api(status, message);
    expect(failure).toMatchObject({ kind, status, requestId: 'r1' });
    if (tokens !== undefined) expect(failure.tokens).toEqual(tokens);
    expect(failure.message).toContain(message);
  });

  it('503 with overloaded_error is an overload; a lack of credit is billing', () => {
    expect(api(503, 'Overloaded', 'overloaded_error').kind).toBe('overloaded');
    expect(assistantErrorKind(api(400, 'Your credit balance is too low'))).toBe('billing_error');
    expect(assistantErrorKind(api(402, 'Payment required'))).toBe('billing_error');
  });

  it('reads retry-after and x-should-retry', () => {
    const headers = { ...json, 'retry-after': '7', 'x-should-retry': 'false', 'request-id': 'req_7' };
    expect(classifyAnswer({ status: 429, headers }, '', 0)).toMatchObject({
      kind: 'rate_limited',
      retryAfterMs: 7000,
      shouldRetry: false,
      requestId: 'req_7',
    });
  });

  it('a proxy’s page is recognised', () => {
    const failure = classifyAnswer(
      { status: 502, headers: { 'content-type': 'text/html' } },
      '<html><title>Bad Gateway</title></html>',
      0,
    );
    expect(failure).toMatchObject({
      kind: 'server_error',
      message: expect.stringContaining('HTML page titled "Bad Gateway"'),
    });
  });
});

describe('F28: overflow in a local server’s own words', () => {
  it.each([
    [
      'llama.cpp',
      400,
      {
        error: {
          code: 400,
          message:
            'the request exceeds the available context size. try increasing the context size or enable context shift',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 9000,
          n_ctx: 4096,
        },
      },
      { input: 9000, limit: 4096 },
    ],
    [
      'llama.cpp with numbers',
      400,
      {
        error: {
          message:
            'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it',
        },
      },
      { input: 5000, limit: 4096 },
    ],
    [
      'vLLM',
      400,
      {
        object: 'error',
        message:
          "This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens.",
        type: 'BadRequestError',
      },
      undefined,
    ],
    [
      'OpenAI',
      400,
      {
        error: {
          message:
            "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens.",
          code: 'context_length_exceeded',
        },
      },
      { limit: 4096, input: 5000 },
    ],
    ['Ollama', 500, { error: 'input length exceeds the context length' }, undefined],
    [
      'LM Studio',
      400,
      {
        error:
          'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
      },
      undefined,
    ],
    [
      'Gemini',
      400,
      {
        error: {
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
      { input: 1_200_000, limit: 1_048_576 },
    ],
    ['Bedrock', 400, { message: 'Input is too long for requested model.' }, undefined],
    ['FastAPI', 422, { detail: 'prompt has too many tokens' }, undefined],
  ])('%s', (_, status, body, tokens) => {
    const failure = other(status, body);
    expect(failure.kind).toBe('prompt_too_long');
    if (tokens !== undefined) expect(failure.tokens).toEqual(tokens);
  });

  it.each([
    [
      "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens (1000 in the messages, 4000 in the completion).",
      { limit: 4097, input: 1000, maxTokens: 4000 },
    ],
    [
      "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 4096 tokens and your request has 1000 input tokens (8000 > 4096 - 1000).",
      { maxTokens: 8000, limit: 4096, input: 1000 },
    ],
    [
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 1000 `inputs` tokens and 4000 `max_new_tokens`',
      { limit: 4096, input: 1000, maxTokens: 4000 },
    ],
  ])('%s asks for less output', (message, tokens) => {
    expect(other(400, { error: { message } })).toMatchObject({ kind: 'output_over_window', tokens });
  });

  it('an ordinary bad request stays one', () => {
    expect(other(400, { error: { message: 'unknown field: context_window' } }).kind).toBe('invalid_request');
  });
});

describe('a refused schema of the answer', () => {
  it.each([
    [
      'OpenAI',
      "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    ],
    [
      'OpenAI, a schema',
      "Invalid schema for response_format 'answer': In context=(), 'required' is missing.",
    ],
    ['Groq', 'json mode cannot be combined with tool/function calling'],
    ['DeepSeek', 'This response_format type is unavailable now'],
    ['Gemini', "Function calling with a response mime type: 'application/json' is unsupported"],
    ['Anthropic', 'output_config.format.schema: Schema is too complex for compilation.'],
    ['Vertex AI', 'Structured outputs are disabled by an organization policy'],
  ])('%s', (_who, message) => {
    expect(api(400, message)).toMatchObject({ kind: 'invalid_request', outputSchema: true });
  });

  it('is not that of a tool, and no error of the server', () => {
    expect(api(400, 'tools.0.custom.input_schema: JSON schema is invalid').outputSchema).toBeUndefined();
    expect(api(500, 'response_format: internal error').outputSchema).toBeUndefined();
  });
});

describe('streams and sockets', () => {
  it.each([
    ['overloaded_error', 'overloaded'],
    ['api_error', 'stream_error'],
    ['timeout_error', 'stream_error'],
    ['rate_limit_error', 'rate_limited'],
    ['authentication_error', 'authentication'],
    ['what_is_this', 'stream_error'],
  ])('an SSE %s is %s', (type, kind) => {
    expect(classifyStreamError({ type: 'error', error: { type, message: 'x' } }, {}).kind).toBe(kind);
  });

  it.each([
    ['ECONNREFUSED', 'connection', undefined],
    ['ENOTFOUND', 'connection', undefined],
    ['CERT_HAS_EXPIRED', 'connection', false],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'connection', false],
    ['ERR_INVALID_CHAR', 'invalid_request', false],
  ])('%s is %s, worth asking again: %s', (code, kind, shouldRetry) => {
    const failure = classifyConnectionError(Object.assign(new Error('x'), { code }));
    expect(failure.kind).toBe(kind);
    expect(failure.shouldRetry).toBe(shouldRetry);
  });
});
