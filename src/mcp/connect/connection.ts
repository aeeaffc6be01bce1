/** One live connection to a server, from the handshake until either side ends it. */

import type { Isolate } from '../../protocol/tools/sandbox.ts';
import { isRecord } from '../../util/is-record.ts';
import type { ElicitPort } from '../tools/elicitation.ts';
import type { RemotePorts } from './remote-ports.ts';

export type ListKind = 'tools' | 'resources' | 'prompts';
type Answer = Readonly<Record<string, unknown>>;

interface AskOptions {
  readonly signal: AbortSignal;
  onProgress?(progress: Answer): void;
}

export interface Connection {
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  /** Instructions of the server. */
  readonly instructions: string | undefined;
  readonly lists: ReadonlySet<ListKind>;
  /** Sends a request of the protocol. Rejects with the library's errors, or with ConnectionLostError. */
  ask(method: string, params: Answer, options: AskOptions): Promise<Answer>;
  /** All pages of a list. */
  list(kind: ListKind, signal: AbortSignal): Promise<readonly Answer[]>;
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
  /** Isolation of a server that is a program; undefined: it runs as any program does. */
  isolateFor(server: string): Isolate | undefined;
  readonly elicit: ElicitPort | undefined;
  onListChanged(kind: ListKind): void;
  /** The user has finished what the server had sent them to a web page for. */
  onElicitationComplete(server: string, elicitationId: string): void;
}

const MAX_PAGES = 100;

/** Reads all pages of a list. */
export async function allPages(
  ask: Connection['ask'],
  kind: ListKind,
  signal: AbortSignal,
): Promise<readonly Answer[]> {
  const all: Answer[] = [];
  const cursors = new Set<unknown>();
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await ask(`${kind}/list`, cursor === undefined ? {} : { cursor }, { signal });
    const items = answer[kind];
    if (Array.isArray(items)) all.push(...items.filter(isRecord));
    cursor = answer['nextCursor'];
    if (cursor === undefined || cursor === null || cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  return all;
}

export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
