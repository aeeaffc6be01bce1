/** Which servers a policy lets a session use. */
import { isSameList } from '@turnwright/base/collections/made-once.ts';

interface ServerMatch {
  readonly serverName?: string | undefined;
  readonly serverCommand?: readonly string[] | undefined;
  readonly serverUrl?: string | undefined;
}

export interface ServerPolicy {
  /** A server must be on each of these lists. */
  readonly allowed: readonly (readonly ServerMatch[])[];
  readonly denied: readonly ServerMatch[];
}

/** Why this server may not be used, in one sentence; undefined if it may. */
export function refusedServer(
  name: string,
  config: unknown,
  policy: ServerPolicy | undefined,
): string | undefined {
  if (policy === undefined) return undefined;
  const isMeant = (match: ServerMatch) => matches(match, name, config);
  if (policy.denied.some(isMeant)) return `The MCP server ${name} is not used: the settings deny it.`;
  if (policy.allowed.some((list) => !list.some(isMeant)))
    return `The MCP server ${name} is not used: it is not among those the settings allow.`;
  return undefined;
}

/** All fields of the entry must match; an empty entry matches no server. */
function matches(
  { serverName, serverCommand, serverUrl }: ServerMatch,
  name: string,
  config: unknown,
): boolean {
  const { command, args, url } = (typeof config === 'object' && config !== null ? config : {}) as Record<
    string,
    unknown
  >;
  const line = [command, ...(Array.isArray(args) ? args : [])];
  const said = [
    serverName === undefined ? undefined : serverName === name,
    serverCommand === undefined ? undefined : isSameList(serverCommand, line),
    serverUrl === undefined ? undefined : typeof url === 'string' && fits(serverUrl, url),
  ].filter((each) => each !== undefined);
  return said.length > 0 && said.every(Boolean);
}

/** `*` matches any characters. Compared part by part, so that no pattern is slow. */
function fits(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (!text.startsWith(first)) return false;
  const last = rest.pop();
  if (last === undefined) return text === first;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
