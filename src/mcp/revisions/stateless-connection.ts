/**
 * A connection to a server that keeps no session: each request says what it needs to be understood, what
 * the server wants to know is the result of a request that is made again, and changes of lists are listened
 * for.
 */

import { isRecord } from '../../util/is-record.ts';
import {
  type Answer,
  allPages,
  type Connection,
  type ConnectionPorts,
  introductionOf,
  type ListKind,
} from '../connect/connection.ts';
import { ResultError } from '../connect/failure.ts';
import type { Peer } from '../connect/peer.ts';
import type { ServerQuestions } from '../servers/server-questions.ts';
import { listenForChanges } from './listen.ts';
import { type MirroredParam, mirroredParams, paramHeaders } from './param-headers.ts';
import { RESERVED, requestMeta, STATELESS_REVISION } from './revisions.ts';

interface StatelessParts {
  readonly peer: Peer;
  readonly questions: ServerQuestions;
  readonly ports: Pick<ConnectionPorts, 'clock' | 'fresh' | 'version' | 'onListChanged'>;
  readonly isRemote: boolean;
}

/** Requests until the server has to have what it wants to know. */
const MAX_ROUNDS = 16;
/** Before a request of which the server wants nothing but time; doubled up to a limit, ms. */
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 10_000;

const HEADER_MISMATCH = -32_020;

export interface StatelessConnection extends Connection {
  /** The server sends a notification. */
  hear(method: string, params: Answer): void;
}

/** `introduction`: what the server said when it was met. */
export function createStatelessConnection(introduction: Answer, parts: StatelessParts): StatelessConnection {
  const { peer, questions, ports, isRemote } = parts;
  const introduced = introductionOf(introduction);
  const meta = requestMeta(ports.version);
  /** Arguments that are headers too, by tool. */
  let mirrored: ReadonlyMap<unknown, readonly MirroredParam[]> = new Map();

  const askOnce: Connection['ask'] = (method, params, options) => {
    const { _meta: own } = params;
    const inHeaders = method === 'tools/call' ? mirrored.get(params['name']) : undefined;
    return peer.ask(
      method,
      { ...params, _meta: { ...meta, ...(isRecord(own) ? own : {}) } },
      {
        ...options,
        isOnItsOwn: isRemote,
        headers: inHeaders && paramHeaders(inHeaders, params['arguments']),
      },
    );
  };

  const ask: Connection['ask'] = async (method, params, options) => {
    const { signal } = options;
    let asked = params;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { resultType = 'complete', ...result } = await askOnce(method, asked, options);
      // What depends on answers holds for this request alone.
      if (resultType === 'complete') return withoutReserved(round === 0 ? result : { ...result, ttlMs: 0 });
      if (resultType !== 'input_required')
        throw new ResultError(
          `The result is of the kind ${JSON.stringify(resultType)}, which is not supported.`,
        );
      const { inputRequests, requestState } = result;
      const wanted = isRecord(inputRequests) ? Object.entries(inputRequests) : [];
      if (wanted.length === 0)
        await ports.clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** round, MAX_PAUSE_MS), signal);
      asked = {
        ...params,
        ...(wanted.length > 0 && { inputResponses: await answersTo(wanted, signal) }),
        ...(requestState !== undefined && { requestState }),
      };
    }
    throw new ResultError(`The server was asked ${MAX_ROUNDS} times, and wanted to know more each time.`);
  };

  const answersTo = async (
    wanted: readonly (readonly [string, unknown])[],
    signal: AbortSignal,
  ): Promise<Record<string, Answer>> => {
    const answers: Record<string, Answer> = {};
    // One after the other: a person is asked one thing at a time.
    for (const [key, request] of wanted) {
      const { method, params } = isRecord(request) ? request : {};
      const answer = await questions.answer(String(method), isRecord(params) ? params : {}, signal);
      signal.throwIfAborted();
      if (answer === undefined)
        throw new ResultError(`The server wants ${JSON.stringify(method)}, which is not supported.`);
      answers[key] = answer;
    }
    return answers;
  };

  const list = async (kind: ListKind, signal: AbortSignal): Promise<readonly Answer[]> => {
    const { clock, fresh } = ports;
    const sinceMs = clock.monotonicMs();
    const pages: Answer[] = [];
    const kept = fresh.get(kind);
    const listed = kept ?? (await allPages(ask, kind, signal, (page) => pages.push(page)));
    if (kept === undefined) fresh.keep(kind, listed, pages, sinceMs);
    if (kind !== 'tools' || !isRemote) return listed;
    mirrored = new Map(
      listed.flatMap(({ name, inputSchema }) => {
        const params = mirroredParams(inputSchema);
        return 'problem' in params || params.length === 0 ? [] : [[name, params] as const];
      }),
    );
    return listed;
  };

  const listening = listenForChanges(introduced.capabilities, { ask: askOnce, ...ports });
  return {
    ...introduced,
    revision: STATELESS_REVISION,
    async ask(method, params, options) {
      try {
        return await ask(method, params, options);
      } catch (error) {
        const { code } = error as { readonly code?: unknown };
        if (code !== HEADER_MISMATCH || method !== 'tools/call') throw error;
        // The schema changed since it was listed, and the server did nothing.
        ports.fresh.drop('tools');
        await list('tools', options.signal);
        return ask(method, params, options);
      }
    },
    list,
    check: async (signal) => void (await askOnce('server/discover', {}, { signal })),
    get held() {
      return questions.open;
    },
    lost: peer.lost,
    hear: listening.hear,
    abandon(why) {
      listening.end();
      peer.abandon(why);
    },
    close() {
      listening.end();
      return peer.close();
    },
  };
}

/** Fields of `_meta` that belong to the protocol are no content. */
function withoutReserved({ _meta: meta, ...rest }: Answer): Answer {
  if (!isRecord(meta)) return rest;
  const own = Object.entries(meta).filter(([key]) => !key.startsWith(RESERVED));
  return own.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(own) };
}
