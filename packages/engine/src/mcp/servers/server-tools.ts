/**
 * The tools of one server and calls of them: as listed, apart from those that changed since they were
 * allowed.
 */

import { cleanText } from '@turnwright/base/text/clean-text.ts';
import type { McpServerStatus } from '../../protocol/tools/mcp.ts';
import type { ToolOutput } from '../../protocol/tools/tool.ts';
import type { ServerLink } from '../connect/server-link.ts';
import { callServerTool } from '../tools/call-tool.ts';
import { type ListedTools, listedTools, type ToolCallRequest } from '../tools/listed-tool.ts';
import type { PinStore } from '../tools/pin-store.ts';
import { createToolPins, type ToolChange } from '../tools/tool-pins.ts';
import { configuredPolicy } from '../tools/tool-policy.ts';
import { isHosts } from './parse-server.ts';
import type { ServerConfig } from './server-config.ts';
import type { ListedEntry, McpServerPorts } from './server-ports.ts';

export interface OfferedTools {
  readonly tools: ListedTools;
  /** One sentence for each tool that must be allowed again. */
  readonly held: readonly string[];
}

interface ServerToolsOptions {
  readonly server: string;
  readonly slug: string;
  readonly scope: string;
  readonly config: ServerConfig;
  readonly link: ServerLink;
  /** Absent: pins last as long as the session. */
  readonly pinStore: PinStore | undefined;
  readonly ports: Pick<
    McpServerPorts,
    'clock' | 'callIdleMs' | 'duringCall' | 'taken' | 'onHeld' | 'parserOf'
  >;
  status(): McpServerStatus;
  /** Settles when a list that is being read again is there; undefined if none is. */
  reading(): Promise<void> | undefined;
  /** The offers changed because a changed tool was allowed. */
  onAccepted(offered: OfferedTools): void;
}

export interface ServerTools {
  load(): Promise<void>;
  /** The offers after this listing. `serverName`: the name that the server reports; default: unchanged. */
  list(listing: readonly ListedEntry[], serverName?: string): OfferedTools;
}

/** How long a call waits for a list that is being read again, ms. */
const READING_MS = 5_000;
const MAX_NAME_CHARS = 200;

export function createServerTools(options: ServerToolsOptions): ServerTools {
  const { server, slug, config, link, ports } = options;
  const pins = createToolPins(options.pinStore);
  const source = isHosts(config) ? 'sdk' : options.scope;
  const { onHeld, clock, taken, parserOf } = ports;
  // The host decides about the time of its own tools.
  const callIdleMs = isHosts(config) ? Number.POSITIVE_INFINITY : ports.callIdleMs;
  let listing: readonly ListedEntry[] = [];
  let ownName: string | undefined;
  let heldNow: ReadonlyMap<string, ToolChange> = new Map();
  let offered: ListedTools | undefined;

  const list = (now: readonly ListedEntry[], serverName = ownName): OfferedTools => {
    listing = now;
    ownName = serverName;
    const { shown, held } =
      onHeld === undefined ? { shown: now, held: new Map<string, ToolChange>() } : pins.settle(now);
    heldNow = held;
    const listed = listedTools(slug, shown, {
      origin: {
        server,
        source,
        ...(ownName !== undefined && { serverName: cleanText(ownName, MAX_NAME_CHARS) }),
      },
      taken,
      ...(isHosts(config)
        ? { parserOf }
        : { alwaysLoad: config.alwaysLoad, isOverHttp: config.type === 'http' }),
      call: (request) => call(request, held.get(request.tool)),
      policyOf(tool) {
        const policy = configuredPolicy(server, tool, config.tools);
        const change = held.get(tool);
        if (change === undefined || policy?.behavior === 'deny') return policy;
        const reason = `The tool ${cleanText(tool, 100)} of the MCP server "${server}" needs approval: ${change.what}.`;
        return { behavior: 'ask', reason };
      },
    });
    // An equal list keeps the same tool objects.
    if (listed.fingerprint !== offered?.fingerprint) offered = listed;
    const waiting = [...held].map(
      ([tool, change]) => `The tool "${cleanText(tool, 100)}" waits to be allowed again: ${change.what}.`,
    );
    return { tools: offered, held: waiting };
  };

  /** `agreed`: this change was confirmed. */
  const call = async (request: ToolCallRequest, agreed: ToolChange | undefined): Promise<ToolOutput> => {
    await settled(request.context.signal);
    const change = heldNow.get(request.tool);
    if (change !== undefined) {
      if (change.definition !== agreed?.definition) return changedMeanwhile(server);
      pins.accept(request.tool);
      options.onAccepted(list(listing));
    }
    return ports.duringCall === undefined ? make(request) : ports.duringCall(server, request, make);
  };

  const make = (request: ToolCallRequest): Promise<ToolOutput> =>
    callServerTool(request, {
      server,
      idleMs: config.timeout ?? callIdleMs,
      clock,
      connection: (signal) => link.ready(signal),
      status: options.status,
      heed: (error, connection) => link.heed(error, connection),
    });

  const settled = async (signal: AbortSignal): Promise<void> => {
    const reading = options.reading();
    if (reading === undefined) return;
    const over = new AbortController();
    const onAbort = () => over.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      signal.throwIfAborted();
      await Promise.race([reading, clock.sleep(READING_MS, over.signal)]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      over.abort('over');
    }
  };

  return { load: pins.load, list };
}

function changedMeanwhile(server: string): ToolOutput {
  const message = `The MCP server "${server}" changed this tool just now, so the call was not made: a person has to allow the tool again. Calling it once more asks for that.`;
  return { data: message, content: message, isError: true };
}
