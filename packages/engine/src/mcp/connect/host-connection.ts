/**
 * A connection to a server of the host: an object of the MCP SDK, or one behind a function. Such servers
 * are met with `initialize`, which they all know.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import { initializeParams } from '../revisions/revisions.ts';
import type { HostServerConfig } from '../servers/server-config.ts';
import { serverQuestions } from '../servers/server-questions.ts';
import {
  allPages,
  type Connection,
  type ConnectionPorts,
  hearServer,
  type RpcResult,
  readIntroduction,
} from './connection.ts';
import { linkToFunction, linkToInstance } from './json-line.ts';
import { createPeer } from './peer.ts';

/** Rejects when the handshake fails, leaving nothing open. */
export async function openHostConnection(
  config: HostServerConfig,
  ports: ConnectionPorts,
  signal: AbortSignal,
): Promise<Connection> {
  const questions = serverQuestions(ports);
  const manifest = 'exchange' in config ? config.manifest : undefined;
  const params = initializeParams(ports.version);
  let introduced = false;
  const peer = createPeer({
    link: (events) =>
      'exchange' in config ? linkToFunction(config, events) : linkToInstance(config.instance, events),
    // A text, so that it cannot be confused with ids of the server's own requests.
    nextId: (count) => `turnwright-${count}`,
    answer: questions.answer,
    hear: (method, told) => hearServer(ports, method, told),
    epitaph: () => 'the connection was closed',
  });
  const ask: Connection['ask'] = (method, asked, options) => {
    // A server that the host has initialised does not know that questions are supported: it is notified with
    // the first request.
    if (!introduced && peer.ended === undefined && !options.signal.aborted) {
      introduced = true;
      void peer.say({ id: peer.nextId(), method: 'initialize', params });
      void peer.say({ method: 'notifications/initialized' });
    }
    return peer.ask(method, asked, options);
  };

  let initialized = manifest?.initializeResult;
  try {
    await peer.open(signal);
    if (!isRecord(initialized)) {
      introduced = true;
      initialized = await peer.ask('initialize', params, { signal });
      void peer.say({ method: 'notifications/initialized' });
    }
  } catch (error) {
    await peer.close();
    throw error;
  }
  let listedTools = isRecord(manifest?.toolsListResult) ? manifest.toolsListResult['tools'] : undefined;
  return {
    ...readIntroduction(initialized as RpcResult, (kind) => kind === 'tools'),
    revision: undefined,
    ask,
    async list(kind, until) {
      const known = kind === 'tools' ? listedTools : undefined;
      if (!Array.isArray(known)) return allPages(ask, kind, until);
      // The host's copy is outdated: the list is requested again.
      listedTools = undefined;
      return known.filter(isRecord);
    },
    check: async (until) => void (await ask('ping', {}, { signal: until })),
    get held() {
      return questions.open;
    },
    lost: peer.lost,
    abandon: peer.abandon,
    close: peer.close,
  };
}
