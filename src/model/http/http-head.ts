/** Status and headers of a response. */

/** Names in lower case; repeated headers joined by comma. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>;

export interface HttpHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/** Of the Messages API and gateways, AWS, and Azure. */
const REQUEST_ID_HEADERS = ['request-id', 'x-request-id', 'x-amzn-requestid', 'apim-request-id'];

/** The server's request id, in whichever header it is. */
export function requestIdOf({ headers }: Pick<HttpHead, 'headers'>): string | undefined {
  for (const name of REQUEST_ID_HEADERS) if (headers[name] !== undefined) return headers[name];
  return undefined;
}
