/**
 * Finds out which revision a server speaks, and begins with it: `server/discover` is asked first, and
 * `initialize` when the server does not know it, or is silent. A server that was met before is met in the
 * same way.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { RpcResult } from '../connect/connection.ts';
import { classifyFailure } from '../connect/connection-failure.ts';
import type { Peer } from '../connect/peer.ts';
import {
  initializeParams,
  type Opening,
  RESERVED,
  requestMeta,
  SESSION_REVISIONS,
  STATELESS_REVISION,
  SUPPORTED_REVISIONS,
} from './revisions.ts';

export interface Met {
  readonly opening: Opening;
  /** How it is better met the next time, if that is another way. */
  readonly better?: Opening;
  readonly revision: string;
  /** Name, instructions and capabilities, with the names of `initialize`. */
  readonly introduction: RpcResult;
  /** `server/discover` is not answered yet, and a program may still end because of it. */
  readonly leavesUnanswered?: boolean;
}

interface MeetOptions {
  readonly version: string;
  readonly clock: Pick<Clock, 'timer'>;
  /** How it was met before; undefined: it was not. */
  readonly known: Opening | undefined;
  /** One way alone, if there is no other. */
  readonly only?: Opening | undefined;
  /** A program, which `initialize` binds to a revision; other servers see each request by itself. */
  readonly isProgram: boolean;
  /** `initialize` found this revision; the server is notified afterwards. */
  onRevision(revision: string): void;
}

/**
 * ms for which the answer to `server/discover` is waited for alone. A program that starts more slowly finds
 * both requests, and answers both; it gets as long as other servers once it is known to answer this one.
 */
const SILENT_PROGRAM_MS = 500;
const SILENT_SERVER_MS = 5_000;

const UNSUPPORTED_REVISION = -32_022;

/** Rejects with what the server said to both. */
export async function meetServer(peer: Peer, options: MeetOptions, signal: AbortSignal): Promise<Met> {
  const { only, known = 'discover' } = options;
  if (only === 'initialize') return initialize(peer, options, signal);
  if (only === 'discover') return discover(peer, options, signal);
  if (known === 'initialize') {
    const first = await settle(initialize(peer, options, signal));
    if (first.ok) return first.met;
    if (isFinal(first.error, signal)) throw first.error;
    const second = await settle(discover(peer, options, signal));
    if (second.ok) return second.met;
    throw neither(second.error, first.error);
  }
  return discoverFirst(peer, options, signal);
}

async function discoverFirst(peer: Peer, options: MeetOptions, signal: AbortSignal): Promise<Met> {
  const { clock, isProgram } = options;
  const within = (outcome: Promise<Outcome>) =>
    isProgram
      ? settledWithin(
          outcome,
          options.known === undefined ? SILENT_PROGRAM_MS : SILENT_SERVER_MS,
          processTimer,
        )
      : settledWithin(outcome, SILENT_SERVER_MS, clock.timer);
  const giveUp = new AbortController();
  const over = AbortSignal.any([signal, giveUp.signal]);
  const discovering = settle(discover(peer, options, over));
  try {
    const answered = await within(discovering);
    if (answered?.ok === true) return answered.met;
    if (answered !== undefined && isFinal(answered.error, signal)) throw answered.error;
    const initializing = settle(initialize(peer, options, over));
    const first =
      answered === undefined ? await Promise.race([initializing, discovering]) : await initializing;
    if (first.ok && first.met.opening === 'initialize')
      return { ...first.met, leavesUnanswered: isProgram && answered === undefined };
    if (first.ok && !isProgram) return first.met;
    // A program that takes both is bound to what `initialize` opened.
    const [initialized, discovered] = await Promise.all([within(initializing), within(discovering)]);
    if (initialized?.ok === true)
      return discovered?.ok === true ? { ...initialized.met, better: 'discover' } : initialized.met;
    if (discovered?.ok === true) return discovered.met;
    const last = initialized ?? (await initializing);
    if (last.ok) return last.met;
    throw isFinal(last.error, signal) || discovered === undefined
      ? last.error
      : neither(discovered.error, last.error);
  } finally {
    giveUp.abort('It was met otherwise.');
  }
}

async function discover(peer: Peer, options: MeetOptions, signal: AbortSignal): Promise<Met> {
  const params = { _meta: requestMeta(options.version) };
  const isOnItsOwn = !options.isProgram;
  const ask = () => peer.ask('server/discover', params, { signal, isOnItsOwn });
  const found = await ask().catch((error: unknown) => {
    const { code, data } = error as { readonly code?: unknown; readonly data?: unknown };
    const named = code === UNSUPPORTED_REVISION && isRecord(data) ? data['supported'] : undefined;
    // A server that names the revision after all has it when it is asked again.
    if (Array.isArray(named) && named.includes(STATELESS_REVISION)) return ask();
    mayInitialize(named);
    throw error;
  });
  const { supportedVersions, capabilities, instructions, _meta: meta } = found;
  if (
    Array.isArray(supportedVersions)
      ? !supportedVersions.includes(STATELESS_REVISION)
      : !isRecord(capabilities)
  ) {
    mayInitialize(supportedVersions);
    throw new Error('The answer to server/discover cannot be read.');
  }
  const serverInfo = (isRecord(meta) ? meta[`${RESERVED}serverInfo`] : undefined) ?? found['serverInfo'];
  return {
    opening: 'discover',
    revision: STATELESS_REVISION,
    introduction: { serverInfo, capabilities: capabilities ?? {}, instructions },
  };
}

/** Throws if none of the revisions that a server names is one that `initialize` may find. */
function mayInitialize(named: unknown): void {
  const revisions = Array.isArray(named) ? named.map(String) : [];
  const isForeign = (revision: string) => ![STATELESS_REVISION, ...SESSION_REVISIONS].includes(revision);
  if (revisions.length > 0 && revisions.every(isForeign)) throw new ForeignRevisionError(revisions);
}

/** It is not worth asking such a server in another way. */
class ForeignRevisionError extends Error {
  constructor(revisions: readonly string[]) {
    const named = revisions.length === 1 ? `version ${revisions}` : `versions ${revisions.join(', ')}`;
    super(`It speaks ${named} of the protocol; supported are ${SUPPORTED_REVISIONS}.`);
  }
}

async function initialize(peer: Peer, options: MeetOptions, signal: AbortSignal): Promise<Met> {
  const introduction = await peer.ask('initialize', initializeParams(options.version), { signal });
  const revision = String(introduction['protocolVersion']);
  if (!SESSION_REVISIONS.includes(revision)) throw new ForeignRevisionError([revision]);
  options.onRevision(revision);
  await peer.say({ method: 'notifications/initialized' });
  return { opening: 'initialize', revision, introduction };
}

/** What a process does takes real time, whatever the session's clock says. */
const processTimer: Clock['timer'] = (ms, due) => {
  const timer = setTimeout(due, ms);
  return () => clearTimeout(timer);
};

type Outcome = { readonly ok: true; readonly met: Met } | { readonly ok: false; readonly error: unknown };

function settle(work: Promise<Met>): Promise<Outcome> {
  return work.then(
    (met) => ({ ok: true, met }),
    (error: unknown) => ({ ok: false, error }),
  );
}

/** undefined if it takes longer. */
function settledWithin<T>(work: Promise<T>, ms: number, timer: Clock['timer']): Promise<T | undefined> {
  return new Promise((resolve) => {
    const cancel = timer(ms, () => resolve(undefined));
    void work.then((value) => {
      cancel();
      resolve(value);
    });
  });
}

/** Says nothing about the revision: another request would meet the same. */
function isFinal(error: unknown, signal: AbortSignal): boolean {
  if (signal.aborted || error instanceof ForeignRevisionError) return true;
  switch (classifyFailure(error).kind) {
    case 'not_delivered':
    case 'unauthorized':
    case 'not_renewed':
    case 'needs_scope':
      return true;
    default:
      return false;
  }
}

/**
 * The error of `initialize`, which most servers explain better, and that of the other request; one that names
 * the revisions of the server is enough alone.
 */
function neither(discovered: unknown, initialized: unknown): unknown {
  const foreign = [initialized, discovered].find((error) => error instanceof ForeignRevisionError);
  if (foreign !== undefined) return foreign;
  const [one, other] = [describeError(initialized), describeError(discovered)];
  const requests = [`initialize (${SESSION_REVISIONS[0]})`, `server/discover (${STATELESS_REVISION})`];
  const said =
    one === other
      ? `It says so to ${requests.join(' and to ')}.`
      : `It says so to ${requests[0]}, and to ${requests[1]}: ${other}`;
  return new Error(`${one} ${said}`, { cause: initialized });
}

function describeError(error: unknown): string {
  const failure = classifyFailure(error);
  return failure.kind === 'deadline' ? failure.error.message : failure.message;
}
