/**
 * A connection to a server that keeps no session: each request says what it needs to be understood, what
 * the server wants to know is the result of a request that is made again, and changes of lists are listened
 * for.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import {
  allPages,
  type Connection,
  type ConnectionPorts,
  type ListKind,
  type RpcOptions,
  type RpcResult,
  readIntroduction,
} from '../connect/connection.ts';
import { ResultError } from '../connect/connection-failure.ts';
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
  hear(method: string, params: RpcResult): void;
}

/** `introduction`: what the server said when it was met. */
export function createStatelessConnection(
  introduction: RpcResult,
  parts: StatelessParts,
): StatelessConnection {
  return new SessionlessConnection(introduction, parts);
}

class SessionlessConnection implements StatelessConnection {
  readonly serverInfo: Connection['serverInfo'];
  readonly instructions: string | undefined;
  readonly lists: ReadonlySet<ListKind>;
  readonly revision = STATELESS_REVISION;
  readonly lost: Promise<string>;
  readonly #parts: StatelessParts;
  readonly #meta: RpcResult;
  readonly #listening: ReturnType<typeof listenForChanges>;
  /** Arguments that are headers too, by tool. */
  #mirrored: ReadonlyMap<unknown, readonly MirroredParam[]> = new Map();

  constructor(introduction: RpcResult, parts: StatelessParts) {
    const { serverInfo, instructions, lists, capabilities } = readIntroduction(introduction);
    this.serverInfo = serverInfo;
    this.instructions = instructions;
    this.lists = lists;
    this.lost = parts.peer.lost;
    this.#parts = parts;
    this.#meta = requestMeta(parts.ports.version);
    const ask: Connection['ask'] = (method, params, options) => this.#askOnce(method, params, options);
    this.#listening = listenForChanges(capabilities, { ask, ...parts.ports });
  }

  get held(): boolean {
    return this.#parts.questions.open;
  }

  async ask(method: string, params: RpcResult, options: RpcOptions): Promise<RpcResult> {
    try {
      return await this.#ask(method, params, options);
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code !== HEADER_MISMATCH || method !== 'tools/call') throw error;
      // The schema changed since it was listed, and the server did nothing.
      this.#parts.ports.fresh.drop('tools');
      await this.list('tools', options.signal);
      return this.#ask(method, params, options);
    }
  }

  async list(kind: ListKind, signal: AbortSignal): Promise<readonly RpcResult[]> {
    const { isRemote, ports } = this.#parts;
    const sinceMs = ports.clock.monotonicMs();
    const pages: RpcResult[] = [];
    const kept = ports.fresh.get(kind);
    const ask: Connection['ask'] = (method, params, options) => this.#ask(method, params, options);
    const listed = kept ?? (await allPages(ask, kind, signal, (page) => pages.push(page)));
    if (kept === undefined) ports.fresh.keep(kind, listed, pages, sinceMs);
    if (kind === 'tools' && isRemote) this.#mirrored = collectMirroredParams(listed);
    return listed;
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#askOnce('server/discover', {}, { signal });
  }

  hear(method: string, params: RpcResult): void {
    this.#listening.hear(method, params);
  }

  abandon(why: string): void {
    this.#listening.end();
    this.#parts.peer.abandon(why);
  }

  close(): Promise<void> {
    this.#listening.end();
    return this.#parts.peer.close();
  }

  async #ask(method: string, params: RpcResult, options: RpcOptions): Promise<RpcResult> {
    const { signal } = options;
    let asked = params;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { resultType = 'complete', ...result } = await this.#askOnce(method, asked, options);
      // What depends on answers holds for this request alone.
      if (resultType === 'complete') return withoutReserved(round === 0 ? result : { ...result, ttlMs: 0 });
      if (resultType !== 'input_required')
        throw new ResultError(
          `The result is of the kind ${JSON.stringify(resultType)}, which is not supported.`,
        );
      const { inputRequests, requestState } = result;
      const wanted = isRecord(inputRequests) ? Object.entries(inputRequests) : [];
      if (wanted.length === 0)
        await this.#parts.ports.clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** round, MAX_PAUSE_MS), signal);
      asked = {
        ...params,
        ...(wanted.length > 0 && { inputResponses: await this.#answer(wanted, signal) }),
        ...(requestState !== undefined && { requestState }),
      };
    }
    throw new ResultError(`The server was asked ${MAX_ROUNDS} times, and wanted to know more each time.`);
  }

  #askOnce(method: string, params: RpcResult, options: RpcOptions): Promise<RpcResult> {
    const { peer, isRemote } = this.#parts;
    const { _meta: own } = params;
    const inHeaders = method === 'tools/call' ? this.#mirrored.get(params['name']) : undefined;
    return peer.ask(
      method,
      { ...params, _meta: { ...this.#meta, ...(isRecord(own) ? own : {}) } },
      {
        ...options,
        isOnItsOwn: isRemote,
        headers: inHeaders && paramHeaders(inHeaders, params['arguments']),
      },
    );
  }

  async #answer(
    wanted: readonly (readonly [string, unknown])[],
    signal: AbortSignal,
  ): Promise<Record<string, RpcResult>> {
    const answers: Record<string, RpcResult> = {};
    // One after the other: a person is asked one thing at a time.
    for (const [key, request] of wanted) {
      const { method, params } = isRecord(request) ? request : {};
      const asked = isRecord(params) ? params : {};
      const answer = await this.#parts.questions.answer(String(method), asked, signal);
      signal.throwIfAborted();
      if (answer === undefined)
        throw new ResultError(`The server wants ${JSON.stringify(method)}, which is not supported.`);
      answers[key] = answer;
    }
    return answers;
  }
}

function collectMirroredParams(tools: readonly RpcResult[]): ReadonlyMap<unknown, readonly MirroredParam[]> {
  return new Map(
    tools.flatMap(({ name, inputSchema }) => {
      const params = mirroredParams(inputSchema);
      return 'problem' in params || params.length === 0 ? [] : [[name, params] as const];
    }),
  );
}

/** Fields of `_meta` that belong to the protocol are no content. */
function withoutReserved({ _meta: meta, ...rest }: RpcResult): RpcResult {
  if (!isRecord(meta)) return rest;
  const own = Object.entries(meta).filter(([key]) => !key.startsWith(RESERVED));
  return own.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(own) };
}
