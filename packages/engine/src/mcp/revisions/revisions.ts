/** Revisions of the protocol, and the two ways to begin with a server. */

/**
 * Without sessions: every request says what it needs to be understood, and `server/discover` is the first.
 */
export const STATELESS_REVISION = '2026-07-28';

/** With a session that `initialize` opens; the newest is offered. */
export const SESSION_REVISIONS: readonly [string, ...string[]] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** The request that a server is met with. */
export type Opening = 'discover' | 'initialize';

/** For the reader of an error. */
export const SUPPORTED_REVISIONS = `${SESSION_REVISIONS.join(', ')} and, with server/discover, ${STATELESS_REVISION}`;

const CAPABILITIES = { roots: {}, elicitation: { form: {}, url: {} } } as const;

/** Params of `initialize`. */
export function initializeParams(version: string): Readonly<Record<string, unknown>> {
  return {
    protocolVersion: SESSION_REVISIONS[0],
    capabilities: CAPABILITIES,
    clientInfo: clientInfo(version),
  };
}

/** What every request without a session says of the client. */
export function requestMeta(version: string): Readonly<Record<string, unknown>> {
  return {
    [`${RESERVED}protocolVersion`]: STATELESS_REVISION,
    [`${RESERVED}clientInfo`]: clientInfo(version),
    [`${RESERVED}clientCapabilities`]: CAPABILITIES,
  };
}

/** Keys of `_meta` that belong to the protocol begin with this. */
export const RESERVED = 'io.modelcontextprotocol/';

function clientInfo(version: string) {
  return { name: 'turnwright', version };
}
