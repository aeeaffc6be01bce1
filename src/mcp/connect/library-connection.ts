/** A connection to an external server, by the protocol library. Loaded on first use. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { MAX_TIMER_MS } from '../../util/clock.ts';
import { isRecord } from '../../util/is-record.ts';
import { errorText } from '../../util/text/error-text.ts';
import { isRemote } from '../servers/parse-server.ts';
import type { ExternalServerConfig } from '../servers/server-config.ts';
import { CLIENT_CAPABILITIES, serverQuestions } from '../servers/server-questions.ts';
import { allPages, type Connection, type ConnectionPorts, unlessAborted } from './connection.ts';
import { ConnectionLostError } from './failure.ts';
import { createRemoteTransport } from './remote-transport.ts';
import { createStdioTransport, type StdioTransport } from './stdio-transport.ts';

/** Rejects when the handshake fails, leaving nothing open. */
export async function openConnection(
  config: ExternalServerConfig,
  ports: ConnectionPorts,
  signal: AbortSignal,
): Promise<Connection> {
  signal.throwIfAborted();
  const { transport, epitaph } = await openTransport(config, ports);
  const client = new Client(
    { name: 'turnwright', version: ports.version },
    { capabilities: CLIENT_CAPABILITIES },
  );
  const questions = serverQuestions(ports);

  let ended: string | undefined;
  let closing = false;
  let tellLost: (why: string) => void = () => {};
  const lost = new Promise<string>((resolve) => {
    tellLost = resolve;
  });
  const end = (why: string) => {
    if (ended !== undefined) return;
    ended = why;
    if (!closing) tellLost(why);
    void client.close().catch(() => {});
  };
  client.onclose = () => {
    const said = epitaph();
    end(said === undefined ? 'the connection was closed' : `it ${said}`);
  };
  client.onerror = (error) => {
    // The library tries to resume its streams and reports when it gives up; its SSE client continues with a
    // session that the server does not know.
    if (ready && (/Maximum reconnection attempts/.test(error.message) || config.type === 'sse'))
      end('the event stream broke off');
  };

  client.setRequestHandler(types.ListRootsRequestSchema, questions.roots);
  client.setRequestHandler(types.ElicitRequestSchema, async ({ params }, extra) => {
    const { action, content } = await questions.elicit(params, extra.signal);
    return { action, ...(content !== undefined && { content: content as never }) };
  });
  client.setNotificationHandler(types.ElicitationCompleteNotificationSchema, ({ params }) =>
    ports.onElicitationComplete(ports.name, params.elicitationId),
  );
  client.setNotificationHandler(types.ToolListChangedNotificationSchema, () => ports.onListChanged('tools'));
  client.setNotificationHandler(types.PromptListChangedNotificationSchema, () =>
    ports.onListChanged('prompts'),
  );
  client.setNotificationHandler(types.ResourceListChangedNotificationSchema, () =>
    ports.onListChanged('resources'),
  );

  let ready = false;
  const close = async () => {
    closing = true;
    ended ??= 'it was closed';
    // Pending messages end with the transport, with or without a handshake.
    await Promise.allSettled([client.close(), transport.close()]);
  };
  try {
    await unlessAborted(client.connect(transport, { signal, timeout: MAX_TIMER_MS }), signal);
    ready = true;
  } catch (error) {
    const said = epitaph();
    await close();
    if (said === undefined || signal.aborted) throw withVersions(error);
    throw new Error(`It ${said}.`, { cause: error });
  }

  const capabilities: Record<string, unknown> = { ...client.getServerCapabilities() };
  const ask: Connection['ask'] = async (method, params, { signal: until, onProgress }) => {
    if (ended !== undefined) throw new ConnectionLostError(ended);
    try {
      return await client.request({ method, params } as never, types.ResultSchema, {
        signal: until,
        // The caller sets deadlines; the library's own would be shorter (F78).
        timeout: MAX_TIMER_MS,
        ...(onProgress !== undefined && { onprogress: onProgress as never }),
      });
    } catch (error) {
      if (ended !== undefined) throw new ConnectionLostError(ended, { cause: error });
      throw error;
    }
  };
  return {
    serverInfo: client.getServerVersion(),
    instructions: client.getInstructions(),
    lists: new Set(
      (['tools', 'resources', 'prompts'] as const).filter((kind) => isRecord(capabilities[kind])),
    ),
    ask,
    list: (kind, until) => allPages(ask, kind, until),
    get held() {
      return questions.open;
    },
    lost,
    abandon: end,
    close,
  };
}

/** The library names the version of the server alone. */
function withVersions(error: unknown): unknown {
  const spoken = /protocol version is not supported: (.+)$/.exec(errorText(error))?.[1];
  return spoken === undefined
    ? error
    : new Error(
        `It speaks version ${spoken} of the protocol; supported are ${types.SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`,
        { cause: error },
      );
}

async function openTransport(
  config: ExternalServerConfig,
  ports: ConnectionPorts,
): Promise<{ readonly transport: Transport; epitaph(): string | undefined }> {
  if (isRemote(config))
    return { transport: await createRemoteTransport(config, ports), epitaph: () => undefined };
  const { cwd, env } = ports;
  const transport: StdioTransport = createStdioTransport({
    command: config.command,
    args: config.args ?? [],
    cwd,
    env: { ...env, ...config.env },
    isolate: ports.isolateFor(ports.name),
  });
  return { transport, epitaph: () => transport.epitaph };
}
