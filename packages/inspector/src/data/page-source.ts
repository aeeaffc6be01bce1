/** Where the page has its data from: the server that serves it, or the file that it is. */
import type { InspectionHit, IterationDetail, SessionInspection } from '@turnwright/engine';

export interface ListedSession {
  readonly sessionId: string;
  readonly summary: string;
  readonly lastModified: number;
  readonly cwd?: string;
}

export interface PageSource {
  /** Nothing more comes. */
  readonly isFile: boolean;
  /** `onData` is called with each state of the session, `onLink` when the connection is lost or back. */
  follow(
    session: string,
    onData: (data: SessionInspection) => void,
    onLink: (isConnected: boolean, why?: string) => void,
  ): () => void;
  detail(session: string, key: string): Promise<IterationDetail | undefined>;
  /** The whole text of a message, up to a megabyte. */
  text(session: string, uuid: string): Promise<string | undefined>;
  search(
    session: string,
    text: string,
    onHit: (hit: InspectionHit) => void,
    signal: AbortSignal,
  ): Promise<void>;
  sessions(): Promise<readonly ListedSession[]>;
  /** undefined: it is an export already. */
  exported?(session: string, kind: string, redact: boolean): Promise<Blob>;
}
