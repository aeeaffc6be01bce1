/** The messages that the loop itself writes, and their texts. */

import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { Attachment } from '../protocol/model/attachment.ts';
import type { AssistantErrorKind, ModelFailure } from '../protocol/model/failure.ts';
import type {
  AssistantMessage,
  AttachmentMessage,
  SystemBody,
  SystemMessage,
  UserMessage,
} from '../protocol/model/messages.ts';
import { EMPTY_USAGE, type UserBlock } from '../protocol/model/wire.ts';
import type { Clock, Ids } from '../protocol/ports.ts';

interface Stamps {
  readonly ids: Ids;
  readonly clock: Clock;
}

const stamp = ({ ids, clock }: Stamps) => ({
  uuid: ids.uuid(),
  timestamp: isoTime(clock.nowMs()),
});

export const INTERRUPTED = '[Request interrupted by user]';
export const INTERRUPTED_FOR_TOOL_USE = '[Request interrupted by user for tool use]';
export const RESUME_AFTER_CUT =
  'Your answer was cut off at the output limit. Continue exactly where it stopped: no recap, no apology. If what is left is long, hand it over in smaller pieces.';
export const RESUME_AFTER_PAUSE =
  'Your answer was paused before it was finished. Continue exactly where it stopped, without a recap.';
export const NUDGE_EMPTY =
  'Your last answer was empty. Please continue: call a tool, or say what the result is.';
export const NUDGE_TOOL_USE_WITHOUT_BLOCK =
  'Your last answer announced a tool call but held none. Please make the call again, complete, or answer in text.';
export const NUDGE_TOKEN_BUDGET =
  'There is budget left for this task. Keep working on it; do not summarise or stop early.';

export function loopUserMessage(
  stamps: Stamps,
  text: string,
  kind: NonNullable<UserMessage['kind']>,
): UserMessage {
  return Object.freeze({
    ...stamp(stamps),
    type: 'user' as const,
    message: { role: 'user' as const, content: [{ type: 'text' as const, text }] },
    ...(kind === 'interruption' ? {} : { isSynthetic: true }),
    kind,
  });
}

/** An error shown as an assistant message. Never sent to the API. */
export function errorMessage(
  stamps: Stamps,
  text: string,
  error: AssistantErrorKind,
  failure?: ModelFailure,
): AssistantMessage {
  const stamped = stamp(stamps);
  return Object.freeze({
    ...stamped,
    type: 'assistant' as const,
    message: {
      id: stamped.uuid,
      type: 'message' as const,
      role: 'assistant' as const,
      model: '<synthetic>',
      content: [{ type: 'text' as const, text }],
      stop_reason: 'stop_sequence',
      stop_sequence: '',
      usage: EMPTY_USAGE,
    },
    ...(failure?.requestId === undefined ? {} : { requestId: failure.requestId }),
    synthetic: {
      error,
      ...(failure?.status === undefined ? {} : { status: failure.status }),
      ...(failure?.errorType === undefined ? {} : { errorType: failure.errorType }),
    },
  });
}

export function attachmentMessage(
  stamps: Stamps,
  attachment: Attachment,
  rendered: readonly UserBlock[] = [],
): AttachmentMessage {
  return Object.freeze({ type: 'attachment' as const, ...stamp(stamps), attachment, rendered });
}

export function systemMessage(stamps: Stamps, body: SystemBody): SystemMessage {
  return { type: 'system', ...stamp(stamps), ...body } as SystemMessage;
}

/**
 * The text of the message when an API failure ends the run. Clients recognise an invalid key by the first
 * words.
 */
export function failureText(failure: ModelFailure, model: string): string {
  const { kind, status, errorType, message } = failure;
  if (status === undefined) return `API Error: ${message}`;
  const numbered = `API Error: ${status} ${message}`;
  if (errorType === 'billing_error')
    return status === 400 ? `Credit balance is too low \u00b7 ${message}` : numbered;
  switch (kind) {
    case 'authentication':
      return `Invalid API key \u00b7 ${message}`;
    case 'token_revoked':
    case 'permission':
      return `Failed to authenticate. ${numbered}`;
    case 'rate_limited':
      return `API Error: Request rejected (${status}) \u00b7 ${message}`;
    case 'not_found':
      return `There's an issue with the selected model (${model}). It may not exist or you may not have access to it. ${numbered}`;
    default:
      return numbered;
  }
}

const ERROR_OF: Record<ModelFailure['kind'], AssistantErrorKind> = {
  prompt_too_long: 'invalid_request',
  media_too_large: 'invalid_request',
  output_over_window: 'invalid_request',
  invalid_signature: 'invalid_request',
  overloaded: 'server_error',
  rate_limited: 'rate_limit',
  authentication: 'authentication_failed',
  token_revoked: 'authentication_failed',
  cloud_credentials: 'cloud_credential_error',
  permission: 'authentication_failed',
  not_found: 'model_not_found',
  invalid_request: 'unknown',
  server_error: 'server_error',
  timeout: 'server_error',
  connection: 'server_error',
  cut: 'server_error',
  stalled: 'server_error',
  stream_error: 'server_error',
  protocol: 'server_error',
  budget: 'billing_error',
  unknown: 'unknown',
};

export function toErrorKind({ kind, status, errorType }: ModelFailure): AssistantErrorKind {
  if (errorType === 'billing_error') return 'billing_error';
  // Neither status tells whether the client or the server was at fault.
  return status === 408 || status === 409 ? 'unknown' : ERROR_OF[kind];
}

/** The last text that the messages of a response hold; '' if there is none. */
export function lastText(messages: readonly AssistantMessage[]): string {
  for (const { message } of [...messages].reverse())
    for (const block of message.content) if (block.type === 'text') return block.text;
  return '';
}
