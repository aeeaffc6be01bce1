/** Errors of AI SDK providers: of the API, of the network, of their own checks. */
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead } from '../http/http-head.ts';
import { classifyOpenAi, classifyStreamed } from '../openai/classify.ts';
import { type Fields, fieldsIn, numberIn, textIn } from '../openai/fields.ts';
import { otherWire } from '../openai/other-wire.ts';
import { classifyConnectionError, protocolFailure } from '../retry/classify-error.ts';
import { isSchemaWording } from '../retry/error-wordings.ts';

/** Deep enough for a failed fetch inside of an API error. */
const MAX_CAUSES = 5;
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
  for (const cause of causes(error)) {
    const value = fieldsIn(fieldsIn(cause)?.['value']);
    if (value === undefined) continue;
    if (textIn(value, 'type').startsWith('message')) return otherWire(value, 'chat', head);
  }
  return undefined;
}

/** The innermost error with the code of a socket or of name resolution. */
function networkError(error: unknown): Error | undefined {
  const chain = causes(error);
  const coded = chain.findLast(
    (cause) => cause instanceof Error && typeof fieldsIn(cause)?.['code'] === 'string',
  );
  if (coded instanceof Error) return coded;
  const aggregated = chain.find((cause) => cause instanceof AggregateError);
  if (aggregated instanceof Error) return aggregated;
  const broken = chain.find(
    (cause) => cause instanceof TypeError && /fetch failed|terminated/.test(cause.message),
  );
  return broken instanceof Error
    ? Object.assign(new Error(broken.message), { code: 'ECONNRESET' })
    : undefined;
}

function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (
    let at = error;
    at !== undefined && at !== null && chain.length < MAX_CAUSES;
    at = fieldsIn(at)?.['cause']
  )
    chain.push(at);
  return chain;
}
