/** What a response says before its body. */

/** Names in lower case; repeated headers joined by comma. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>;

export interface HttpHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/** The server's name for the request, in whichever header it is. */
export function requestIdOf({ headers }: HttpHead): string | undefined {
  return headers['request-id'] ?? headers['x-request-id'];
}
