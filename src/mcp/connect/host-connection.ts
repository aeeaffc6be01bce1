/**
 * A connection to a server of the host: an object of the MCP SDK, or one behind a function. Messages are
 * passed unchanged, without loading the protocol library.
 */

import { isRecord } from '../../util/is-record.ts';
import type { HostServerConfig } from '../servers/server-config.ts';
import { CLIENT_CAPABILITIES, serverQuestions } from '../servers/server-questions.ts';
import {
  allPages,
  type Connection,
  type ConnectionPorts,
  type ListKind,
  unlessAborted,
} from './connection.ts';
import { ConnectionLostError } from './failure.ts';
import { type HostLineEvents, linkToFunction, linkToInstance } from './json-line.ts';
import { type JsonRpcMessage, resultOf } from './json-rpc.ts';

type Fields = Readonly<Record<string, unknown>>;

const MCP_PROTOCOL = '2025-11-25';
const LISTS: readonly ListKind[] = ['tools', 'resources', 'prompts'];
const METHOD_NOT_FOUND = -32_601;
const NEVER = new AbortController().signal;

/** Rejects when the handshake fails, leaving nothing open. */
export async function openHostConnection(
  config: HostServerConfig,
  ports: ConnectionPorts,
  signal: AbortSignal,
): Promise<Connection> {
  const questions = serverQuestions(ports);
  /** Listeners for progress of requests, and controllers of answers to the server's requests. */
  const progress = new Map<unknown, (told: Fields) => void>();
  const answering = new Map<unknown, AbortController>();
  const lifetime = new AbortController();
  let ended: string | undefined;
  let tellLost: (why: string) => void = () => {};
  const lost = new Promise<string>((resolve) => {
    tellLost = resolve;
  });

  const answer = async (id: string | number, method: string, params: Fields): Promise<void> => {
    const controller = new AbortController();
    answering.set(id, controller);
    const result =
      method === 'elicitation/create'
        ? await questions.elicit(params, controller.signal)
        : method === 'roots/list'
          ? questions.roots()
          : method === 'ping'
            ? {}
            : undefined;
    answering.delete(id);
    if (controller.signal.aborted || ended !== undefined) return;
    const error = { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` };
    await say({ id, ...(result === undefined ? { error } : { result }) });
  };
  const hear = (method: string, params: Fields): void => {
    if (method === 'notifications/progress') progress.get(params['progressToken'])?.(params);
    if (method === 'notifications/cancelled') answering.get(params['requestId'])?.abort();
    if (method === 'notifications/elicitation/complete')
      ports.onElicitationComplete(ports.name, String(params['elicitationId']));
    for (const kind of LISTS) if (method === `notifications/${kind}/list_changed`) ports.onListChanged(kind);
  };
  const events: HostLineEvents = {
    onMessage({ id, method, params = {} }) {
      if (ended !== undefined || method === undefined) return;
      if (id === undefined || id === null) hear(method, params);
      else void answer(id, method, params);
    },
    onClose: () => end('the connection was closed'),
  };

  const line =
    'exchange' in config ? linkToFunction(config, events) : linkToInstance(config.instance, events);

  const close = async (why: string): Promise<void> => {
    ended ??= why;
    lifetime.abort(new ConnectionLostError(ended));
    for (const each of answering.values()) each.abort();
    await line.close();
  };
  const end = (why: string): void => {
    if (ended !== undefined) return;
    tellLost(why);
    void close(why).catch(() => {});
  };
  /** Sends a notification. */
  const say = async (message: Omit<JsonRpcMessage, 'jsonrpc'>): Promise<void> => {
    try {
      await line.exchange({ jsonrpc: '2.0', ...message }, { signal: NEVER });
    } catch {
      // A server that did not receive it shows that with the next request.
    }
  };

  const manifest = 'exchange' in config ? config.manifest : undefined;
  const introduction = {
    protocolVersion: MCP_PROTOCOL,
    capabilities: CLIENT_CAPABILITIES,
    clientInfo: { name: 'turnwright', version: ports.version },
  };
  let introduced = false;
  let count = 0;
  // A string, so that it cannot be confused with ids of the server's own requests.
  const nextId = () => {
    count += 1;
    return `turnwright-${count}`;
  };
  /**
   * A server that the host has initialised does not know that questions are supported: it is notified with
   * the first request.
   */
  const introduce = () => {
    introduced = true;
    void say({ id: nextId(), method: 'initialize', params: introduction });
    void say({ method: 'notifications/initialized' });
  };
  const ask: Connection['ask'] = async (method, params, { signal: until, onProgress }) => {
    if (ended !== undefined) throw new ConnectionLostError(ended);
    until.throwIfAborted();
    if (!introduced) introduce();
    const id = nextId();
    if (onProgress !== undefined) progress.set(id, onProgress);
    const { _meta: meta } = params;
    const asked =
      onProgress === undefined
        ? params
        : { ...params, _meta: { ...(isRecord(meta) ? meta : {}), progressToken: id } };
    const over = AbortSignal.any([until, lifetime.signal]);
    try {
      const message = { jsonrpc: '2.0' as const, id, method, params: asked };
      const result = resultOf(await unlessAborted(line.exchange(message, { signal: over }), over));
      return isRecord(result) ? result : {};
    } catch (error) {
      if (ended !== undefined) throw new ConnectionLostError(ended, { cause: error });
      if (until.aborted) {
        const cancelled = { requestId: id, reason: 'The turn was interrupted.' };
        void say({ method: 'notifications/cancelled', params: cancelled });
      }
      throw error;
    } finally {
      progress.delete(id);
    }
  };

  let initialized = manifest?.initializeResult;
  try {
    await unlessAborted(line.open(), signal);
    if (!isRecord(initialized)) {
      introduced = true;
      initialized = await ask('initialize', introduction, { signal });
      void say({ method: 'notifications/initialized' });
    }
  } catch (error) {
    await close('it was closed');
    throw error;
  }
  const { serverInfo, capabilities, instructions } = initialized as Fields;
  let listedTools = isRecord(manifest?.toolsListResult) ? manifest.toolsListResult['tools'] : undefined;
  return {
    serverInfo: isServerInfo(serverInfo) ? { name: serverInfo.name, version: serverInfo.version } : undefined,
    instructions: typeof instructions === 'string' ? instructions : undefined,
    lists: new Set(LISTS.filter((kind) => (isRecord(capabilities) ? capabilities[kind] : kind === 'tools'))),
    ask,
    async list(kind, until) {
      const known = kind === 'tools' ? listedTools : undefined;
      if (!Array.isArray(known)) return allPages(ask, kind, until);
      // The host's copy is outdated: the list is requested again.
      listedTools = undefined;
      return known.filter(isRecord);
    },
    get held() {
      return questions.open;
    },
    lost,
    abandon: end,
    close: () => close('it was closed'),
  };
}

function isServerInfo(value: unknown): value is { readonly name: string; readonly version: string } {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}
