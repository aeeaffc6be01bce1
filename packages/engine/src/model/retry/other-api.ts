/** A 200 with JSON of another API: a retry would bring the same. */

import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead } from '../../protocol/model/provider-wire.ts';
import { protocolFailure } from './classify-error.ts';

/** The failure; undefined for what may be a message, an event or an error of the Messages API. */
export function otherApiFailure(value: unknown, head: HttpHead): ModelFailure | undefined {
  const isObject = typeof value === 'object' && value !== null;
  if (isObject && ('error' in value || 'type' in value)) return undefined;
  const looksLike =
    isObject && ('choices' in value || 'object' in value)
      ? " (it looks like OpenAI's chat completions: --provider openai-compatible)"
      : '';
  return protocolFailure(
    `The server answers, but not as the Messages API does${looksLike}. Check the base URL: its server has to know POST /v1/messages of that API.`,
    head,
  );
}

/** The path is unknown to the server. One that has it names the model that it does not have. */
export function isMissingPath({ status }: HttpHead, text: string): boolean {
  return (status === 404 || status === 405) && !/model/i.test(text);
}
