/**
 * The one writer of a session: gives records their order and their parents, and remembers what the disk refused.
 */
import { TurnwrightError } from '../protocol/errors.ts';
import type { JournalBody, Recorder } from '../protocol/journal.ts';
import type { JournalStore } from '../protocol/ports.ts';
import { batchQueue } from './batch-queue.ts';
import { isSettled } from './record-identity.ts';

export interface JournalWriterOptions {
  readonly store: JournalStore;
  readonly sessionId: string;
  /** `power`: `commit` waits for the disk. Default `process`: it waits for the write calls only. */
  readonly durability?: 'process' | 'power';
  /** uuid of the last message on record; absent: looked up in the journal. */
  readonly lastUuid?: string | null;
}

export interface JournalWriter extends Recorder {
  readonly sessionId: string;
  readonly epoch: number;
  /** `seq` of the last record that is written. */
  readonly head: number;
  /** Aborted with reason `fenced` once another owner took the session over. */
  readonly fenced: AbortSignal;
  /** Writes what is still waiting and lets go of the session. Throws `storage_error` when records are lost. */
  close(): Promise<void>;
}

/** Takes the session over. Throws `storage_error` when it cannot be written. */
export async function createJournalWriter(options: JournalWriterOptions): Promise<JournalWriter> {
  const { store, sessionId } = options;
  const { epoch, head: start } = await store.takeOver(sessionId);
  const fence = new AbortController();
  let head = start;
  let lastUuid =
    options.lastUuid === undefined ? await lastMessage(store, sessionId, head) : options.lastUuid;
  let lastBlock: { readonly uuid: string; readonly parentUuid: string | null } | undefined;
  /** Refused by the disk, batch by batch: they go first when it takes records again, so the journal has no gap (F71). */
  let refused: readonly (readonly JournalBody[])[] = [];
  let closing: Promise<void> | undefined;

  const queue = batchQueue<readonly JournalBody[], void>(async (appends) => {
    // A refused batch goes again as it was: a store that had taken it after all recognises it.
    const batches = [...refused, appends.flat()].filter((batch) => batch.length > 0);
    refused = [];
    for (const [index, batch] of batches.entries()) {
      if (fence.signal.aborted) throw fencedError(sessionId);
      try {
        const outcome = await store.append(sessionId, epoch, head, batch);
        if ('fenced' in outcome) fence.abort('fenced');
        else head = outcome.seq;
      } catch (error) {
        if (isRefusal(error)) refused = batches.slice(index);
        throw error;
      }
    }
    if (fence.signal.aborted) throw fencedError(sessionId);
    return appends.map(() => ({ ok: true, value: undefined }));
  });

  function withParent(body: JournalBody): JournalBody {
    if (body.type === 'rewind') lastUuid = body.to;
    if (!('uuid' in body)) return body;
    // Told again, it stays where it stands.
    if (isSettled(body) && body.uuid === lastBlock?.uuid)
      return { ...body, parentUuid: lastBlock.parentUuid };
    const parentUuid = body.parentUuid === undefined ? lastUuid : body.parentUuid;
    lastUuid = body.uuid;
    if (body.type === 'assistant') lastBlock = { uuid: lastUuid, parentUuid };
    return { ...body, parentUuid };
  }

  return {
    sessionId,
    epoch,
    get head() {
      return head;
    },
    fenced: fence.signal,
    append(entries) {
      if (closing !== undefined) return Promise.reject(closedError(sessionId));
      return queue.put(entries.map(withParent));
    },
    async commit() {
      await queue.idle();
      if (fence.signal.aborted) throw fencedError(sessionId);
      if (options.durability === 'power') await store.sync?.(sessionId);
    },
    close() {
      closing ??= (async () => {
        await queue.idle();
        const lost = refused.flat().length;
        try {
          if (lost > 0 && !fence.signal.aborted) await queue.put([]);
        } catch (cause) {
          if (!fence.signal.aborted) {
            throw new TurnwrightError(
              'storage_error',
              `${lost === 1 ? 'The last record' : `The last ${lost} records`} of session ${sessionId} could not be written: ${cause instanceof Error ? cause.message : String(cause)}`,
              { cause },
            );
          }
        } finally {
          await store.close(sessionId);
        }
      })();
      return closing;
    },
  };
}

/** The disk said no, and may say yes later. A record that can never be written is not kept. */
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

/** Most journals end with a message within the last records; only the others are read from the start. */
const TAIL_RECORDS = 200;

async function lastMessage(store: JournalStore, sessionId: string, head: number): Promise<string | null> {
  if (head === 0) return null;
  for (const fromSeq of head > TAIL_RECORDS ? [head - TAIL_RECORDS, 1] : [1]) {
    let last: string | null = null;
    for await (const entry of store.read(sessionId, fromSeq)) {
      const sidechain = 'isSidechain' in entry && entry.isSidechain === true;
      if (entry.type === 'rewind') last = entry.to;
      else if ('uuid' in entry && typeof entry.uuid === 'string' && !sidechain) last = entry.uuid;
    }
    if (last !== null) return last;
  }
  return null;
}
