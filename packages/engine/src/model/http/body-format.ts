/** The format of the body of a 200 response, by its headers. */

import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead, ResponseHeaders } from '../../protocol/model/provider-wire.ts';
import { protocolFailure } from '../retry/classify-error.ts';

type BodyFormat =
  /** Server-sent events. */
  | { readonly kind: 'events' }
  /** Events in the framing of the API. */
  | { readonly kind: 'framed' }
  | { readonly kind: 'json' }
  | { readonly kind: 'wrong'; readonly what: string };

/**
 * A response in the other format than requested is accepted; any third format is not the API's. `framing`:
 * the content type of a framing of its own.
 */
export function bodyFormat(headers: ResponseHeaders, framing?: string): BodyFormat {
  const encoding = headers['content-encoding']?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    return { kind: 'wrong', what: `encoded as ${encoding}, which was not asked for` };
  }
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'text/event-stream') return { kind: 'events' };
  if (type !== undefined && type === framing) return { kind: 'framed' };
  if (type === 'application/json' || type?.endsWith('+json')) return { kind: 'json' };
  return { kind: 'wrong', what: type === undefined ? 'without a content type' : `of type ${type}` };
}

/** `api`: the name of the expected one. */
export function wrongFormat(what: string, api: string, head: HttpHead): ModelFailure {
  const guess = what.includes('html')
    ? 'a login page, a proxy, or a wrong base URL'
    : 'a proxy that rewrites answers, or a wrong base URL';
  return protocolFailure(`The answer is ${what}, not ${api}: perhaps ${guess}.`, head);
}
