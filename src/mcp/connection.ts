/** One live connection to a server: from the handshake until either side ends it. Loads the protocol library. */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { MAX_TIMER_MS } from '../util/clock.ts';
import type { ElicitPort } from './elicitation.ts';
import type { RemotePorts } from './remote-ports.ts';
import { createRemoteTransport } from './remote-transport.ts';
import { type ExternalServerConfig, isRecord, isRemote } from './server-config.ts';
import { CLIENT_CAPABILITIES, serverQuestions } from './server-questions.ts';
import { createStdioTransport, type StdioTransport } from './stdio-transport.ts';

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

export class ConnectionLostError extends Error {}

export interface ConnectionPorts extends RemotePorts {
  readonly name: string;
  readonly cwd: string;
  /** Of child processes. */
  readonly env: Readonly<Record<string, string>>;
  readonly version: string;
  readonly elicit: ElicitPort | undefined;
  onListChanged(kind: ListKind): void;
  /** What a person was sent to a web page for is done. */
  onElicitationComplete(server: string, elicitationId: string): void;
}

const MAX_PAGES = 100;

/** Rejects when there is no handshake; leaves nothing open then. */
export async function openConnection(
  config: ExternalServerConfig,
  ports: ConnectionPorts,
  signal: AbortSignal,
): Promise<Connection> {
  const [{ Client }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
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
    // The library tries to take up its streams itself and says so when it gives up; its SSE client goes on
    // with a session that the server does not know.
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
    // What is still on its way to be told ends with the transport, whether or not a handshake was made.
    await Promise.allSettled([client.close(), transport.close()]);
  };
  try {
    await unlessAborted(client.connect(transport, { signal, timeout: MAX_TIMER_MS }), signal);
    ready = true;
  } catch (error) {
    const said = epitaph();
    await close();
    throw said === undefined || signal.aborted ? error : new Error(`It ${said}.`, { cause: error });
  }

  const capabilities: Record<string, unknown> = { ...client.getServerCapabilities() };
  const ask: Connection['ask'] = async (method, params, { signal: until, onProgress }) => {
    if (ended !== undefined) throw new ConnectionLostError(ended);
    try {
      return await client.request({ method, params } as never, types.ResultSchema, {
        signal: until,
        // Deadlines are the caller's; the library's own would cut what it allows (F78).
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
  });
  return { transport, epitaph: () => transport.epitaph };
}

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
