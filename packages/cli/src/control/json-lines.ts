/** The lines of the control protocol, as they come from the host. */

import { StringDecoder } from 'node:string_decoder';
import { parseJson } from '@turnwright/base/bounded-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { SDKUserMessage } from '@turnwright/engine';

export type WireFields = Readonly<Record<string, unknown>>;

type HostLine =
  | { readonly kind: 'prompt'; readonly message: SDKUserMessage }
  | { readonly kind: 'request'; readonly id: string; readonly subtype: string; readonly fields: WireFields }
  /** The host's answer to one of our requests. */
  | { readonly kind: 'response'; readonly id: string; readonly answer: HostAnswer; readonly raw: WireFields }
  /** The host withdraws a request. */
  | { readonly kind: 'cancel'; readonly id: string }
  /** Keep-alive messages, and types of later versions. */
  | { readonly kind: 'other' }
  | { readonly kind: 'unreadable' };

export type HostAnswer =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly error: string };

/** Maximum length of a line in characters; a longer one ends the reading with an error. */
const MAX_LINE_CHARS = 256 * 1024 * 1024;

/**
 * The lines of a stream, separated by newline only: JSON may contain U+2028 and other characters that Node's
 * line reader treats as line ends. Characters across chunks are joined; a last line without newline counts.
 * Blank lines are skipped.
 */
export async function* readStreamLines(stream: AsyncIterable<Buffer | string>): AsyncGenerator<string, void> {
  const decoder = new StringDecoder('utf8');
  // Parts of the current line: joining them once keeps a long line linear.
  let pieces: string[] = [];
  let length = 0;
  const line = (): string => {
    const text = pieces.join('').replace(/\r$/, '');
    pieces = [];
    length = 0;
    return text;
  };
  for await (const chunk of stream) {
    let text = typeof chunk === 'string' ? chunk : decoder.write(chunk);
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n')) {
      pieces.push(text.slice(0, at));
      text = text.slice(at + 1);
      const whole = line();
      if (whole.trim() !== '') yield whole;
    }
    pieces.push(text);
    length += text.length;
    if (length > MAX_LINE_CHARS)
      throw new Error(`A line of the input is longer than ${MAX_LINE_CHARS >> 20} MB.`);
  }
  pieces.push(decoder.end());
  const rest = line();
  if (rest.trim() !== '') yield rest;
}

export function parseHostLine(line: string): HostLine {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    return { kind: 'unreadable' };
  }
  if (!isRecord(value) || typeof value['type'] !== 'string') return { kind: 'unreadable' };
  switch (value['type']) {
    case 'user':
      return isPrompt(value) ? { kind: 'prompt', message: value } : { kind: 'unreadable' };
    case 'control_request':
      return readRequest(value);
    case 'control_response':
      return readResponse(value);
    case 'control_cancel_request':
      return { kind: 'cancel', id: String(value['request_id']) };
    default:
      return { kind: 'other' };
  }
}

function readRequest(value: WireFields): HostLine {
  const { request_id: id, request } = value;
  if (typeof id !== 'string' || !isRecord(request)) return { kind: 'unreadable' };
  const { subtype, ...fields } = request;
  return { kind: 'request', id, subtype: String(subtype), fields };
}

function readResponse(value: WireFields): HostLine {
  const { response } = value;
  if (!isRecord(response)) return { kind: 'unreadable' };
  const answer: HostAnswer =
    response['subtype'] === 'error'
      ? { ok: false, error: String(response['error']) }
      : { ok: true, payload: response['response'] };
  return { kind: 'response', id: String(response['request_id']), answer, raw: value };
}

function isPrompt(value: WireFields): value is WireFields & SDKUserMessage {
  const { message } = value;
  return isRecord(message) && (typeof message['content'] === 'string' || Array.isArray(message['content']));
}
