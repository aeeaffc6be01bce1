/** The lines of the control protocol, as they come from the host. */
import type { SDKUserMessage } from '../../index.ts';

export type Fields = Readonly<Record<string, unknown>>;

type HostLine =
  | { readonly kind: 'prompt'; readonly message: SDKUserMessage }
  | { readonly kind: 'request'; readonly id: string; readonly subtype: string; readonly fields: Fields }
  /** The host's answer to one of our requests. */
  | { readonly kind: 'response'; readonly id: string; readonly answer: HostAnswer; readonly raw: Fields }
  /** The host withdraws a request. */
  | { readonly kind: 'cancel'; readonly id: string }
  /** Keep-alive messages, and types of later versions. */
  | { readonly kind: 'other' }
  | { readonly kind: 'unreadable' };

export type HostAnswer =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly error: string };

export function parseHostLine(line: string): HostLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: 'unreadable' };
  }
  if (!isFields(value) || typeof value['type'] !== 'string') return { kind: 'unreadable' };
  switch (value['type']) {
    case 'user':
      return isPrompt(value) ? { kind: 'prompt', message: value } : { kind: 'unreadable' };
    case 'control_request':
      return requestOf(value);
    case 'control_response':
      return responseOf(value);
    case 'control_cancel_request':
      return { kind: 'cancel', id: String(value['request_id']) };
    default:
      return { kind: 'other' };
  }
}

function requestOf(value: Fields): HostLine {
  const { request_id: id, request } = value;
  if (typeof id !== 'string' || !isFields(request)) return { kind: 'unreadable' };
  const { subtype, ...fields } = request;
  return { kind: 'request', id, subtype: String(subtype), fields };
}

function responseOf(value: Fields): HostLine {
  const { response } = value;
  if (!isFields(response)) return { kind: 'unreadable' };
  const answer: HostAnswer =
    response['subtype'] === 'error'
      ? { ok: false, error: String(response['error']) }
      : { ok: true, payload: response['response'] };
  return { kind: 'response', id: String(response['request_id']), answer, raw: value };
}

function isPrompt(value: Fields): value is Fields & SDKUserMessage {
  const { message } = value;
  return isFields(message) && (typeof message['content'] === 'string' || Array.isArray(message['content']));
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
