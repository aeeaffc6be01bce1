/** The id of a request, as its response states it. */
import type { HttpHead } from '../../protocol/model/provider-wire.ts';

/** Of the Messages API and gateways, AWS, and Azure. */
const REQUEST_ID_HEADERS = ['request-id', 'x-request-id', 'x-amzn-requestid', 'apim-request-id'];

/** The server's request id, in whichever header it is. */
export function requestIdOf({ headers }: Pick<HttpHead, 'headers'>): string | undefined {
  for (const name of REQUEST_ID_HEADERS) if (headers[name] !== undefined) return headers[name];
  return undefined;
}
