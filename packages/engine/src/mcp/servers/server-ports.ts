/** What the connection to one server needs of its session. */

import type { Clock, RandomPort } from '../../protocol/ports.ts';
import type { Isolate } from '../../protocol/tools/isolation.ts';
import type { ToolOutput } from '../../protocol/tools/tool.ts';
import type { RemotePorts } from '../connect/http-fetch.ts';
import type { MemoryPlace } from '../revisions/opening-memory.ts';
import type { ElicitPort } from '../tools/elicitation.ts';
import type { ParserPort, ToolCallRequest } from '../tools/listed-tool.ts';
import type { TakenNames } from './names.ts';

export interface McpServerPorts extends RemotePorts {
  readonly clock: Clock;
  readonly random: RandomPort;
  readonly cwd: string;
  /** Environment of child processes. */
  readonly env: Readonly<Record<string, string>>;
  /** Version that is sent to servers. */
  readonly version: string;
  /** Where what is learned about servers is kept; undefined: in memory. */
  readonly openings?: MemoryPlace | undefined;
  /** Isolation of a server that is a program; undefined: it runs as any program does. */
  isolateFor(server: string): Isolate | undefined;
  readonly elicit: ElicitPort | undefined;
  /** Makes a call of a tool. Absent: it is made as it is. */
  readonly duringCall?: DuringCall | undefined;
  /** Validates input for the host's own servers. */
  readonly parserOf: ParserPort;
  /** Time limit of connecting, ms. */
  readonly startMs: number;
  /** Default idle limit of a call, ms. */
  readonly callIdleMs: number;
  /** Tool names of other servers. */
  readonly taken: TakenNames;
  /** The user has finished what the server had sent them to a web page for. */
  onElicitationComplete(server: string, elicitationId: string): void;
  /** The server's offers, or its state, changed. */
  onChange(): void;
  warn(line: string): void;
  /** A tool changed and must be allowed again. Absent: changed tools are used. */
  readonly onHeld: ((line: string) => void) | undefined;
}

type DuringCall = (
  server: string,
  request: ToolCallRequest,
  make: (request: ToolCallRequest) => Promise<ToolOutput>,
) => Promise<ToolOutput>;

/** An entry of a server's list of tools, prompts or resources, as the server sent it. */
export type ListedEntry = Readonly<Record<string, unknown>>;
