/** An answer of another API than the one that was asked for: named, and not asked for again. */

import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead } from '../../protocol/model/provider-wire.ts';
import { protocolFailure } from '../retry/classify-error.ts';
import type { Fields } from './fields.ts';

export type Api = 'messages' | 'chat' | 'responses';

/** By the form of an answer or event; undefined: unknown. */
function detectApi(value: Fields): Api | undefined {
  const type = String(value['type'] ?? '');
  const object = String(value['object'] ?? '');
  if (type === 'message' || type === 'message_start' || type.startsWith('content_block')) return 'messages';
  if (object === 'response' || type.startsWith('response.')) return 'responses';
  if (object.startsWith('chat.completion') || Array.isArray(value['choices'])) return 'chat';
  return undefined;
}

const NAMES: Readonly<Record<Api, string>> = {
  messages: 'the Messages API (POST /v1/messages)',
  chat: "OpenAI's chat completions (POST /v1/chat/completions)",
  responses: "OpenAI's responses (POST /v1/responses)",
};

const ADVICE: Readonly<Record<Api, string>> = {
  messages: 'Use the provider `anthropic` with this address (ANTHROPIC_BASE_URL).',
  chat: 'Use --provider openai-compatible with this address.',
  responses: "Use --provider openai-compatible with this address and `api: 'responses'`.",
};

/** The failure of an answer of another API than `asked`; undefined: it may be of this one. */
export function otherWire(value: Fields, asked: Api, head: HttpHead): ModelFailure | undefined {
  const api = detectApi(value);
  if (api === undefined || api === asked) return undefined;
  return protocolFailure(otherWireSentence(asked, api), head);
}

/** The endpoint was asked for one API and knows another. */
export function otherWireSentence(asked: Api, api: Api): string {
  return `The server does not speak ${NAMES[asked]}, but ${NAMES[api]}. ${ADVICE[api]}`;
}
