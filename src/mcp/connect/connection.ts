/** One live connection to a server: from the handshake until either side ends it. */

import type { Isolate } from '../../protocol/sandbox.ts';
import { isRecord } from '../servers/server-config.ts';
import type { ElicitPort } from '../tools/elicitation.ts';
import type { RemotePorts } from './remote-ports.ts';

export type ListKind = 'tools' | 'resources' | 'prompts';
type Answer = Readonly<Record<string, unknown>>;

export interface AskOptions {
  readonly signal: AbortSignal;
  onProgress?(progress: Answer): void;
}

export interface Connection {
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  /** What the server says about its use. */
  readonly instructions: string | undefined;
  readonly lists: ReadonlySet<ListKind>;
  /** A request of the protocol. Rejects with the library's errors; with ConnectionLostError when it ended. */
  ask(method: string, params: Answer, options: AskOptions): Promise<Answer>;
  /** All pages of a list. */
  list(kind: ListKind, signal: AbortSignal): Promise<readonly Answer[]>;
  /** A person is being asked something on the server's behalf. */
  readonly held: boolean;
  /** Why it ended, when the other side ended it. */
  readonly lost: Promise<string>;
  /** Ends it for good as lost: something showed that it is of no use any more. */
  abandon(why: string): void;
  close(): Promise<void>;
}

export interface ConnectionPorts extends RemotePorts {
  readonly name: string;
  readonly cwd: string;
  /** Of child processes. */
  readonly env: Readonly<Record<string, string>>;
  readonly version: string;
  /** Isolation of a server that is a program; undefined: it runs as any program does. */
  isolateFor(server: string): Isolate | undefined;
  readonly elicit: ElicitPort | undefined;
  onListChanged(kind: ListKind): void;
  /** What a person was sent to a web page for is done. */
  onElicitationComplete(server: string, elicitationId: string): void;
}

const MAX_PAGES = 100;

/** All there is of a kind. */
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
