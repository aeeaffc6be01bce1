/**
 * The one writer of a session: orders records, links them to their parents, and keeps those that the disk
 * refused.
 */

import { TurnwrightError } from '../../protocol/errors.ts';
import type { Life } from '../../protocol/life.ts';
import type { JournalStore, TakenOver } from '../../protocol/ports.ts';
import type { JournalBody, JournalEntry, Recorder } from '../../protocol/session/journal.ts';
import { openScope } from '../../util/async/scope.ts';
import { extended } from '../../util/collections/extended.ts';
import type { Writable } from '../../util/collections/writable.ts';
import { errorText } from '../../util/text/error-text.ts';
import { isSettled } from './record-identity.ts';

interface JournalWriterOptions {
  readonly store: JournalStore;
  readonly sessionId: string;
  /** `power`: `commit` waits for the disk. Default `process`: it waits for the write calls only. */
  readonly durability?: 'process' | 'power' | undefined;
  /** uuid of the last recorded message; absent: looked up in the journal. */
  readonly lastUuid?: string | null;
  /** Requests the records that a resume needs from the store. Default false. */
  readonly toResume?: boolean;
}

export interface JournalWriter extends Recorder {
  readonly sessionId: string;
  readonly epoch: number;
  /** Records of previous processes, if requested and available. Returned once. */
  takeEarlier(): TakenOver['toResume'];
  /** `seq` of the last written record. */
  readonly head: number;
  /** Aborted once another owner took the session over. */
  readonly fenced: Pick<Life, 'aborted' | 'onAbort'>;
  /** Writes what is pending and releases the session. Throws `storage_error` when records are lost. */
  close(): Promise<void>;
}

/** Takes the session over. Throws `storage_error` when it cannot be written. */
export async function createJournalWriter(options: JournalWriterOptions): Promise<JournalWriter> {
  const { store, sessionId } = options;
  const { toResume = false } = options;
  const { epoch, head: start, toResume: found } = await store.takeOver(sessionId, { toResume });
  let earlier = found;
  const fence = openScope();
  let lastUuid =
    options.lastUuid !== undefined
      ? options.lastUuid
      : earlier !== undefined
        ? lastMessageOf(earlier)
        : await lastMessage(store, sessionId, start);
  let lastBlock: { readonly uuid: string; readonly parentUuid: string | null } | undefined;
  /**
   * Batches that the disk refused: they are written first when it accepts records again, so the journal has
   * no gap (F71).
   */
  let refused: readonly (readonly JournalBody[])[] = [];
  /**
   * Records of `later`: written in front of the next append, or at the end of this turn of the event loop.
   */
  let held: readonly JournalBody[] = [];
  let isScheduled = false;
  let closing: Promise<void> | undefined;

  /** Never rejects; undefined while no batch is being written. */
  let writing: Promise<void> | undefined;
  /** What was appended while a batch is being written: the next batch. */
  let next: { readonly bodies: JournalBody[]; readonly written: Promise<void> } | undefined;

  /** Synchronous where the store is. */
  function write(bodies: readonly JournalBody[]): Promise<void> | undefined {
    // A refused batch is repeated unchanged: a store that had accepted it recognises it.
    const batches = bodies.length === 0 ? refused : [...refused, bodies];
    refused = [];
    const written = writeFrom(0, batches);
    if (written === undefined) return undefined;
    const over = () => {
      if (next === undefined) writing = undefined;
    };
    writing = written.then(over, over);
    return written;
  }

  function writeNext(): Promise<void> | undefined {
    const bodies = next?.bodies ?? [];
    next = undefined;
    writing = undefined;
    return write(bodies);
  }

  function writeInTurn(bodies: readonly JournalBody[]): Promise<void> | undefined {
    if (writing !== undefined) {
      next ??= { bodies: [], written: writing.then(writeNext) };
      next.bodies.push(...bodies);
      return next.written;
    }
    try {
      return write(bodies);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Settles once everything appended so far is written or refused; undefined if it is. */
  const idle = (): Promise<void> | undefined => next?.written.catch(() => undefined) ?? writing;

  /** One after the other; synchronous where the store is. */
  function writeFrom(start: number, batches: readonly (readonly JournalBody[])[]): Promise<void> | undefined {
    for (let at = start; at < batches.length; at++) {
      const refuse = (error: unknown): never => {
        if (isRefusal(error)) refused = batches.slice(at);
        throw error;
      };
      let answer: ReturnType<JournalStore['append']>;
      try {
        answer = store.append(sessionId, epoch, writer.head, batches[at] as readonly JournalBody[]);
      } catch (error) {
        return refuse(error);
      }
      if ('then' in answer) return answer.then(taken, refuse).then(() => writeFrom(at + 1, batches));
      taken(answer);
    }
    return undefined;
  }

  function taken(outcome: Awaited<ReturnType<JournalStore['append']>>): void {
    if ('fenced' in outcome) {
      fence.abort('fenced');
    } else writer.head = outcome.seq;
    if (fence.aborted) throw fencedError(sessionId);
  }

  function put(bodies: readonly JournalBody[]): Promise<void> | undefined {
    const all = held.length === 0 ? bodies : [...held, ...bodies];
    held = [];
    if (fence.aborted) return Promise.reject(fencedError(sessionId));
    return all.length === 0 && refused.length === 0 ? idle() : writeInTurn(all);
  }

  function withParent(body: JournalBody): JournalBody {
    if (body.type === 'rewind') lastUuid = body.to;
    if (!('uuid' in body)) return body;
    // A block that is recorded again keeps its original parent.
    if (isSettled(body) && body.uuid === lastBlock?.uuid)
      return { ...body, parentUuid: lastBlock.parentUuid };
    const parentUuid = body.parentUuid === undefined ? lastUuid : body.parentUuid;
    lastUuid = body.uuid;
    if (body.type === 'assistant') lastBlock = { uuid: lastUuid, parentUuid };
    return extended(body, { parentUuid });
  }

  const writer: Writable<JournalWriter> = {
    sessionId,
    epoch,
    takeEarlier() {
      const taken = earlier;
      earlier = undefined;
      return taken;
    },
    head: start,
    fenced: fence,
    append(entries) {
      if (closing !== undefined) return Promise.reject(closedError(sessionId));
      return put(entries.map(withParent));
    },
    later(entries) {
      if (closing !== undefined) return;
      held = [...held, ...entries.map(withParent)];
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(() => {
        isScheduled = false;
        // A failure here is retried and reported by the next append.
        void put([])?.catch(() => undefined);
      });
    },
    commit() {
      const written = put([]);
      if (written === undefined && options.durability !== 'power') return undefined;
      return (async () => {
        await written;
        if (options.durability === 'power') await store.sync?.(sessionId);
      })();
    },
    close() {
      closing ??= end();
      return closing;
    },
  };

  async function end(): Promise<void> {
    await idle();
    try {
      await put([]);
    } catch (cause) {
      const lost = refused.flat().length;
      if (lost > 0 && !fence.signal.aborted) {
        throw new TurnwrightError(
          'storage_error',
          `${lost === 1 ? 'The last record' : `The last ${lost} records`} of session ${sessionId} could not be written: ${errorText(cause)}`,
          { cause },
        );
      }
    } finally {
      await store.close(sessionId);
    }
  }
  return writer;
}

/** The disk may accept it later. A record that can never be written is not kept. */
function isRefusal(error: unknown): boolean {
  return error instanceof TurnwrightError && error.code === 'storage_error' && isSystemError(error.cause);
}

const isSystemError = (cause: unknown): boolean => cause instanceof Error && 'code' in cause;

function fencedError(sessionId: string): TurnwrightError {
  return new TurnwrightError('fenced', `Session ${sessionId} was taken over by another owner.`);
}

function closedError(sessionId: string): TurnwrightError {
  return new TurnwrightError(
    'engine_closed',
    `Session ${sessionId} is closed; nothing more can be recorded.`,
  );
}

/** Most journals have a message within the last records; only others are read from the start. */
const TAIL_RECORDS = 200;

async function lastMessage(store: JournalStore, sessionId: string, head: number): Promise<string | null> {
  if (head === 0) return null;
  for (const fromSeq of head > TAIL_RECORDS ? [head - TAIL_RECORDS, 1] : [1]) {
    const entries: JournalEntry[] = [];
    for await (const entry of store.read(sessionId, fromSeq)) entries.push(entry);
    const last = lastMessageOf(entries);
    if (last !== null) return last;
  }
  return null;
}

function lastMessageOf(entries: readonly JournalEntry[]): string | null {
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at] as JournalEntry;
    const sidechain = 'isSidechain' in entry && entry.isSidechain === true;
    if (entry.type === 'rewind') return entry.to;
    if ('uuid' in entry && typeof entry.uuid === 'string' && !sidechain) return entry.uuid;
  }
  return null;
}
