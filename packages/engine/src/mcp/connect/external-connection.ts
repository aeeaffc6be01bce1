/** A connection to a server that is started, or reached over the network. Loaded on first use. */

import { type Met, meetServer } from '../revisions/meet.ts';
import { createOpeningMemory, type OpeningMemory } from '../revisions/opening-memory.ts';
import type { Opening } from '../revisions/revisions.ts';
import { createStatelessConnection, type StatelessConnection } from '../revisions/stateless-connection.ts';
import { isRemote } from '../servers/parse-server.ts';
import type { ExternalServerConfig } from '../servers/server-config.ts';
import { serverQuestions } from '../servers/server-questions.ts';
import {
  allPages,
  type Connection,
  type ConnectionPorts,
  hearServer,
  readIntroduction,
} from './connection.ts';
import { linkToTransport, type MessageTransport } from './json-line.ts';
import { createPeer } from './peer.ts';
import { createRemoteTransport } from './remote-transport.ts';
import { createStdioTransport, type StdioTransport } from './stdio-transport.ts';

/** Rejects when the server cannot be met, leaving nothing open. */
export async function openConnection(
  config: ExternalServerConfig,
  ports: ConnectionPorts,
  signal: AbortSignal,
): Promise<Connection> {
  signal.throwIfAborted();
  const { clock } = ports;
  const openings = createOpeningMemory(ports.openings);
  // Servers over SSE are older than any other opening.
  const only = config.type === 'sse' ? 'initialize' : undefined;
  const learned = only ?? (await openings.recall(config, clock.nowMs()));
  const known = learned === 'none' ? 'initialize' : learned;
  try {
    return await open(config, ports, { openings, known, only }, signal);
  } catch (error) {
    // One that is broken is not started twice each time.
    if (!(error instanceof DiedWhenMetError) || signal.aborted || learned === 'none') throw error;
    // Some programs end at a request that they do not know.
    const other = known === 'initialize' ? 'discover' : 'initialize';
    return open(config, ports, { openings, known, only: other }, signal).catch((second: unknown) => {
      if (second instanceof DiedWhenMetError) openings.learn(config, 'none', clock.nowMs());
      throw second;
    });
  }
}

/** The program ended while it was met. */
class DiedWhenMetError extends Error {}

interface Way {
  readonly openings: OpeningMemory;
  readonly known: Opening | undefined;
  readonly only: Opening | undefined;
}

async function open(
  config: ExternalServerConfig,
  ports: ConnectionPorts,
  way: Way,
  signal: AbortSignal,
): Promise<Connection> {
  const { name, version, clock } = ports;
  const questions = serverQuestions(ports);
  const isProgram = !isRemote(config);
  const transport: MessageTransport | StdioTransport = isRemote(config)
    ? await createRemoteTransport(config, ports)
    : createStdioTransport({
        command: config.command,
        args: config.args ?? [],
        cwd: ports.cwd,
        env: { ...ports.env, ...config.env },
        isolate: ports.isolateFor(name),
      });
  let stateless: StatelessConnection | undefined;
  const peer = createPeer({
    link: (events) => linkToTransport(transport, events),
    answer: questions.answer,
    hear(method, params) {
      if (stateless === undefined) hearServer(ports, method, params);
      else stateless.hear(method, params);
    },
    epitaph() {
      const said = 'epitaph' in transport ? transport.epitaph : undefined;
      return said === undefined ? 'the connection was closed' : `it ${said}`;
    },
  });
  let met: Met | undefined;
  transport.onerror = (error) => {
    // The library tries to resume its streams and reports when it gives up; its SSE client continues with a
    // session that the server does not know.
    if (met !== undefined && (/Maximum reconnection attempts/.test(error.message) || config.type === 'sse'))
      peer.abandon('the event stream broke off');
  };
  let isOpen = false;
  try {
    await peer.open(signal);
    isOpen = true;
    const onRevision = (revision: string) => transport.setProtocolVersion?.(revision);
    met = await meetServer(peer, { ...way, version, clock, isProgram, onRevision }, signal);
  } catch (error) {
    const { ended } = peer;
    await peer.close();
    if (!isProgram || !isOpen || ended === undefined || signal.aborted) throw error;
    const why = `${ended.replace(/^it/, 'It')}.`;
    throw 'wasStopped' in transport && transport.wasStopped
      ? new Error(why, { cause: error })
      : new DiedWhenMetError(why, { cause: error });
  }
  way.openings.learn(config, met.better ?? met.opening, clock.nowMs());
  if (met.opening === 'discover') {
    stateless = createStatelessConnection(met.introduction, { peer, questions, ports, isRemote: !isProgram });
    return stateless;
  }
  return {
    ...readIntroduction(met.introduction),
    revision: met.revision,
    isWorthAnother: met.leavesUnanswered,
    ask: peer.ask,
    list: (kind, until) => allPages(peer.ask, kind, until),
    check: async (until) => void (await peer.ask('ping', {}, { signal: until })),
    get held() {
      return questions.open;
    },
    lost: peer.lost,
    abandon: peer.abandon,
    close: peer.close,
  };
}
