/** Status and headers of a response. */

/** Names in lower case; repeated headers joined by comma. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>;

export interface HttpHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/** The server's request id, in whichever header it is. */
export function requestIdOf({ headers }: HttpHead): string | undefined {
  return headers['request-id'] ?? headers['x-request-id'];
}
