/** One live connection to a server, from the handshake until either side ends it. */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { Isolate } from '../../protocol/tools/isolation.ts';
import type { MemoryPlace } from '../revisions/opening-memory.ts';
import type { ElicitPort } from '../tools/elicitation.ts';
import type { RemotePorts } from './http-fetch.ts';

export type ListKind = 'tools' | 'resources' | 'prompts';
export type RpcResult = Readonly<Record<string, unknown>>;

export interface RpcOptions {
  readonly signal: AbortSignal;
  onProgress?(progress: RpcResult): void;
}

export interface KeptLists {
  /** undefined: it has to be asked for. */
  get(kind: ListKind): readonly RpcResult[] | undefined;
  /** `pages`: the answers that the items are from. `sinceMs`: when they were asked for. */
  keep(kind: ListKind, items: readonly RpcResult[], pages: readonly RpcResult[], sinceMs: number): void;
  /** What is known of this list is no longer so; absent: of any. */
  drop(kind?: ListKind): void;
}

export interface Connection {
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  /** Instructions of the server. */
  readonly instructions: string | undefined;
  /** Revision of the protocol that is spoken; undefined if a host has agreed on one. */
  readonly revision: string | undefined;
  readonly lists: ReadonlySet<ListKind>;
  /** Sends a request of the protocol. Rejects with the server's error, or as `classifyFailure` says. */
  ask(method: string, params: RpcResult, options: RpcOptions): Promise<RpcResult>;
  /** All pages of a list. */
  list(kind: ListKind, signal: AbortSignal): Promise<readonly RpcResult[]>;
  /** What is known of the server by now makes another attempt worth it, should it end at once. */
  readonly isWorthAnother?: boolean | undefined;
  /** Rejects when the server does not answer. */
  check(signal: AbortSignal): Promise<void>;
  /** The server has an open question to the user. */
  readonly held: boolean;
  /** Resolves with the reason when the other side ends it. */
  readonly lost: Promise<string>;
  /** Ends it as lost: it was found to be unusable. */
  abandon(why: string): void;
  close(): Promise<void>;
}

export interface ConnectionPorts extends RemotePorts {
  readonly name: string;
  readonly cwd: string;
  /** Environment of child processes. */
  readonly env: Readonly<Record<string, string>>;
  readonly version: string;
  readonly clock: Clock;
  /** Lists that need not be asked for. */
  readonly fresh: KeptLists;
  /** Where what is learned about servers is kept; undefined: in memory. */
  readonly openings?: MemoryPlace | undefined;
  /** Isolation of a server that is a program; undefined: it runs as any program does. */
  isolateFor(server: string): Isolate | undefined;
  readonly elicit: ElicitPort | undefined;
  onListChanged(kind: ListKind): void;
  /** The user has finished what the server had sent them to a web page for. */
  onElicitationComplete(server: string, elicitationId: string): void;
}

const LISTS: readonly ListKind[] = ['tools', 'resources', 'prompts'];
const MAX_PAGES = 100;

/** What a server says of itself when it is met. */
interface Introduction {
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  readonly instructions: string | undefined;
  readonly capabilities: RpcResult;
  readonly lists: ReadonlySet<ListKind>;
}

/** `isSilent`: a server that names no capabilities has this list. */
export function readIntroduction(
  { serverInfo, capabilities, instructions }: RpcResult,
  isSilent: (kind: ListKind) => boolean = () => false,
): Introduction {
  const named = isRecord(capabilities) ? capabilities : undefined;
  return {
    serverInfo: isServerInfo(serverInfo) ? { name: serverInfo.name, version: serverInfo.version } : undefined,
    instructions: typeof instructions === 'string' ? instructions : undefined,
    capabilities: named ?? {},
    lists: new Set(LISTS.filter((kind) => (named === undefined ? isSilent(kind) : named[kind]))),
  };
}

function isServerInfo(value: unknown): value is { readonly name: string; readonly version: string } {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}

/** The list that a notification says has changed; undefined if it says something else. */
export function changedList(method: string): ListKind | undefined {
  return LISTS.find((kind) => method === `notifications/${kind}/list_changed`);
}

/** What a server with a session says of its own accord. */
export function hearServer(
  { name, onElicitationComplete, onListChanged }: ConnectionPorts,
  method: string,
  params: RpcResult,
): void {
  if (method === 'notifications/elicitation/complete')
    onElicitationComplete(name, String(params['elicitationId']));
  const changed = changedList(method);
  if (changed !== undefined) onListChanged(changed);
}

/** Reads all pages of a list. `onPage` sees each of them. */
export async function allPages(
  ask: Connection['ask'],
  kind: ListKind,
  signal: AbortSignal,
  onPage?: (page: RpcResult) => void,
): Promise<readonly RpcResult[]> {
  const all: RpcResult[] = [];
  const cursors = new Set<unknown>();
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await ask(`${kind}/list`, cursor === undefined ? {} : { cursor }, { signal });
    onPage?.(answer);
    const items = answer[kind];
    if (Array.isArray(items)) all.push(...items.filter(isRecord));
    cursor = answer['nextCursor'];
    if (cursor === undefined || cursor === null || cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  return all;
}
