/** Errors of AI SDK providers: of the API, of the network, of their own checks. */

import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead } from '../../protocol/model/provider-wire.ts';
import { classifyOpenAi, classifyStreamed } from '../openai/classify-openai-error.ts';
import { type Fields, fieldsIn, numberIn, textIn } from '../openai/fields.ts';
import { otherWire } from '../openai/other-wire.ts';
import { classifyConnectionError, protocolFailure } from '../retry/classify-error.ts';
import { isSchemaWording } from '../retry/error-wordings.ts';
import { errorCauses, networkError } from '../retry/network-error.ts';

const NO_HEAD: HttpHead = { status: 0, headers: {} };

/** `head`: of the answer, once it has begun. */
export function classifyAiSdk(error: unknown, head: HttpHead | undefined, nowMs = 0): ModelFailure {
  const fields = fieldsIn(error);
  const message = textIn(fields, 'message') || String(error);
  const status = numberIn(fields, 'statusCode');
  // What the API sent inside of its stream.
  if (fields !== undefined && head !== undefined && !(error instanceof Error))
    return classifyStreamed(fields, head.headers);
  if (fields !== undefined && status !== undefined && status >= 400) {
    const headers = (fieldsIn(fields['responseHeaders']) ?? {}) as HttpHead['headers'];
    const body = textIn(fields, 'responseBody') || JSON.stringify({ error: { message } });
    const failure = classifyOpenAi({ status, headers }, body, nowMs);
    const inStream = head !== undefined && failure.kind === 'server_error';
    return { ...failure, ...(inStream && { kind: 'stream_error' }), cause: error };
  }
  const foreign = foreignAnswer(fields, head ?? NO_HEAD);
  if (foreign !== undefined) return foreign;
  switch (textIn(fields, 'name').replace(/^AI_/, '')) {
    case 'LoadAPIKeyError':
    case 'LoadSettingError':
      return { kind: 'authentication', message, shouldRetry: false, cause: error };
    case 'NoSuchModelError':
      return { kind: 'not_found', message, cause: error };
    case 'UnsupportedFunctionalityError':
    case 'InvalidPromptError':
    case 'InvalidArgumentError':
      return {
        kind: 'invalid_request',
        message,
        shouldRetry: false,
        ...(isSchemaWording(message) && { outputSchema: true }),
        cause: error,
      };
    case 'TypeValidationError':
    case 'JSONParseError':
    case 'InvalidResponseDataError':
    case 'EmptyResponseBodyError':
    case 'NoContentGeneratedError':
      return protocolFailure(
        `The answer is not what the provider's package expects: ${message}`,
        head ?? NO_HEAD,
        true,
      );
  }
  const network = networkError(error);
  if (network !== undefined) return classifyConnectionError(network);
  return { kind: 'unknown', message, cause: error };
}

/** A validation error contains what the server sent: perhaps another API's answer. */
function foreignAnswer(error: Fields | undefined, head: HttpHead): ModelFailure | undefined {
  for (const cause of errorCauses(error)) {
    const value = fieldsIn(fieldsIn(cause)?.['value']);
    if (value === undefined) continue;
    if (textIn(value, 'type').startsWith('message')) return otherWire(value, 'chat', head);
  }
  return undefined;
}
