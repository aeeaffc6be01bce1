/** One call of a server's tool: deadlines, cancellation, and the answer when its outcome is unknown. */

import type { Clock } from '../../protocol/ports.ts';
import type { McpServerStatus } from '../../protocol/tools/mcp.ts';
import type { ToolOutput } from '../../protocol/tools/tool.ts';
import type { Connection } from '../connect/connection.ts';
import { classifyFailure } from '../connect/connection-failure.ts';
import { withDeadlines } from '../connect/deadlines.ts';
import { howToLogIn, notConnected } from '../connect/not-connected.ts';
import { createFileKeeper, toToolOutput } from './call-result.ts';
import type { ToolCallRequest } from './listed-tool.ts';

interface CallPorts {
  readonly server: string;
  /** ms without progress. */
  readonly idleMs: number;
  readonly clock: Clock;
  /** Waits for a connection, within limits. */
  connection(signal: AbortSignal): Promise<Connection | undefined>;
  status(): Pick<McpServerStatus, 'name' | 'status' | 'error'>;
  /** Called with every failure, to update the state of the connection. */
  heed(error: unknown, connection: Connection): void;
}

/** Absolute limit, regardless of progress, ms (F79). */
const MIN_TOTAL_MS = 60 * 60_000;

/**
 * Rejects only with the reason of the caller's signal. A call is repeated only when the first one did not
 * arrive.
 */
export async function callServerTool(request: ToolCallRequest, ports: CallPorts): Promise<ToolOutput> {
  const first = await attempt(request, ports);
  if ('output' in first) return first.output;
  const second = await attempt(request, ports);
  return 'output' in second ? second.output : failed(second.untaken);
}

type Attempt = { readonly output: ToolOutput } | { readonly untaken: string };

async function attempt(request: ToolCallRequest, ports: CallPorts): Promise<Attempt> {
  const { context } = request;
  const { server, clock, idleMs } = ports;
  const connection = await ports.connection(context.signal);
  if (connection === undefined) return { output: failed(notConnected(ports.status())) };
  try {
    const result = await withDeadlines(
      { idleMs, totalMs: Math.max(idleMs, MIN_TOTAL_MS) },
      clock,
      context.signal,
      () => connection.held,
      (signal, alive) =>
        connection.ask('tools/call', callParams(request), {
          signal,
          onProgress(progress) {
            alive();
            request.onProgress(progress);
          },
        }),
    );
    return {
      output: await toToolOutput(result, { server, tool: request.name, keep: createFileKeeper(context) }),
    };
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    const failure = classifyFailure(error);
    ports.heed(error, connection);
    switch (failure.kind) {
      case 'not_delivered':
      case 'session_gone':
        return {
          untaken: `The MCP server "${server}" could not take the call (${failure.message}). It was not made.`,
        };
      case 'unauthorized':
      case 'not_renewed':
        return { output: failed(`${failure.message} The call was not made.`) };
      case 'needs_scope':
        return { output: failed(`${failure.message} The call was not made. ${howToLogIn(server)}`) };
      case 'lost':
        return {
          output: failed(
            `The connection to the MCP server "${server}" was lost while this call was running: ${failure.message}. The outcome is unknown: it may or may not have taken effect, and it was not repeated. Check before you call it again.`,
          ),
        };
      case 'deadline': {
        const { kind, ms } = failure.error;
        const how =
          kind === 'idle' ? `gave no sign of life for ${ms / 1000} s` : `did not end within ${ms / 1000} s`;
        return {
          output: failed(
            `The call was cancelled because the MCP server "${server}" ${how}. The outcome is unknown: it may or may not have taken effect. Check before you call it again.`,
          ),
        };
      }
      case 'answered':
        return { output: failed(failure.message) };
    }
  }
}

function callParams({ tool, input, context }: ToolCallRequest): Readonly<Record<string, unknown>> {
  return {
    name: tool,
    arguments: input,
    _meta: {
      'claudecode/toolUseId': context.toolUseId,
      'turnwright/effectKey': context.effectKey,
      ...traceFields(context.traceparent?.()),
    },
  };
}

/** Under the names that the protocol has for them. */
const traceFields = (traceparent: string | undefined) => (traceparent === undefined ? {} : { traceparent });

function failed(message: string): ToolOutput {
  return { data: message, content: message, isError: true };
}
