/** What the connection to one server needs of its session. */

import type { Clock, RandomPort } from '../../protocol/ports.ts';
import type { Isolate } from '../../protocol/sandbox.ts';
import type { RemotePorts } from '../connect/remote-ports.ts';
import type { ElicitPort } from '../tools/elicitation.ts';
import type { ParserPort } from '../tools/listed-tool.ts';
import type { TakenNames } from './names.ts';

export interface McpServerPorts extends RemotePorts {
  readonly clock: Clock;
  readonly random: RandomPort;
  readonly cwd: string;
  /** Of child processes. */
  readonly env: Readonly<Record<string, string>>;
  /** Our own version, told to servers. */
  readonly version: string;
  /** Isolation of a server that is a program; undefined: it runs as any program does. */
  isolateFor(server: string): Isolate | undefined;
  readonly elicit: ElicitPort | undefined;
  /** Checks what goes to the host's own servers. */
  readonly parserOf: ParserPort;
  /** ms that connecting may take. */
  readonly startMs: number;
  /** ms that a call may be silent, where the server's configuration does not say. */
  readonly callIdleMs: number;
  /** Names that tools of others have. */
  readonly taken: TakenNames;
  /** What a person was sent to a web page for is done. */
  onElicitationComplete(server: string, elicitationId: string): void;
  /** What the server offers, or its state, changed. */
  onChange(): void;
  warn(line: string): void;
  /** A tool changed and waits to be allowed again. Absent: changed tools are used as they come. */
  readonly onHeld: ((line: string) => void) | undefined;
}

/** An entry of a server's list of tools, prompts or resources, as the server sent it. */
export type Listed = Readonly<Record<string, unknown>>;
