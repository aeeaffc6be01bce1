/**
 * Reads the body of an error, in any form: the Messages API, an OpenAI-like server, a gateway, a proxy's
 * page.
 */

import { readJsonObject } from '@turnwright/base/bounded-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { TokenNumbers } from './error-wordings.ts';

export interface ErrorBody {
  readonly type?: string;
  readonly message: string;
  readonly requestId?: string;
  readonly tokens?: TokenNumbers;
}

const MAX_MESSAGE_CHARS = 2000;

export function parseErrorBody(text: string, contentType: string | undefined): ErrorBody {
  const value = readJsonObject(text);
  if (value !== undefined) return fromJson(value, text);
  const trimmed = text.trim();
  if (trimmed === '') return { message: 'no further explanation' };
  if (contentType?.includes('html') || /^<(?:!doctype|html)/i.test(trimmed)) {
    const title = /<title[^>]*>([^<]*)<\/title>/i.exec(trimmed)?.[1]?.trim();
    return { message: `an HTML page${title ? ` titled "${clip(title)}"` : ''}, probably from a proxy` };
  }
  return { message: clip(trimmed) };
}

function fromJson(value: Record<string, unknown>, text: string): ErrorBody {
  const inner = record(value['error']) ?? value;
  const message =
    str(inner['message']) ??
    str(value['error']) ??
    str(value['message']) ??
    detail(value['detail']) ??
    clip(text);
  const type = str(inner['type']) ?? str(inner['code']);
  const requestId = str(value['request_id']);
  const input = num(inner['n_prompt_tokens']);
  const limit = num(inner['n_ctx']);
  return {
    message: clip(message),
    // The type of the envelope carries no information.
    ...(type !== undefined && type !== 'error' && { type }),
    ...(requestId !== undefined && { requestId }),
    ...((input ?? limit) !== undefined && {
      tokens: { ...(input !== undefined && { input }), ...(limit !== undefined && { limit }) },
    }),
  };
}

function detail(value: unknown): string | undefined {
  return str(value) ?? (value === undefined ? undefined : JSON.stringify(value));
}

function record(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}

function str(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function num(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function clip(text: string): string {
  return text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS)}…` : text;
}
