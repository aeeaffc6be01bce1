/**
 * The one writer of a session: orders records, links them to their parents, and keeps those that the disk
 * refused.
 */

import { openScope } from '@turnwright/base/async/scope.ts';
import { extended } from '@turnwright/base/collections/extended.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Life } from '../../protocol/life.ts';
import type { JournalStore, TakenOver } from '../../protocol/ports.ts';
import type { JournalBody, JournalEntry, Recorder } from '../../protocol/session/journal.ts';
import { isSettled } from './message-record.ts';

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
  const { store, sessionId, toResume = false } = options;
  const taken = await store.takeOver(sessionId, { toResume });
  const { head, toResume: earlier } = taken;
  const lastUuid =
    options.lastUuid !== undefined
      ? options.lastUuid
      : earlier !== undefined
        ? findLastMessage(earlier)
        : await lastMessage(store, sessionId, head);
  return new Writer(options, taken, lastUuid);
}

class Writer implements JournalWriter {
  readonly sessionId: string;
  readonly epoch: number;
  head: number;
  readonly fenced = openScope();
  readonly #store: JournalStore;
  readonly #waitsForDisk: boolean;
  #earlier: TakenOver['toResume'];
  #lastUuid: string | null;
  #lastBlock: { readonly uuid: string; readonly parentUuid: string | null } | undefined;
  /**
   * Batches that the disk refused: they are written first when it accepts records again, so the journal has
   * no gap (F71).
   */
  #refused: readonly (readonly JournalBody[])[] = [];
  /**
   * Records of `later`: written in front of the next append, or at the end of this turn of the event loop.
   */
  #held: readonly JournalBody[] = [];
  #isScheduled = false;
  #closing: Promise<void> | undefined;
  /** Never rejects; undefined while no batch is being written. */
  #writing: Promise<void> | undefined;
  /** What was appended while a batch is being written: the next batch. */
  #next: { readonly bodies: JournalBody[]; readonly written: Promise<void> } | undefined;

  constructor(options: JournalWriterOptions, taken: TakenOver, lastUuid: string | null) {
    this.sessionId = options.sessionId;
    this.epoch = taken.epoch;
    this.head = taken.head;
    this.#store = options.store;
    this.#waitsForDisk = options.durability === 'power';
    this.#earlier = taken.toResume;
    this.#lastUuid = lastUuid;
  }

  takeEarlier(): TakenOver['toResume'] {
    const taken = this.#earlier;
    this.#earlier = undefined;
    return taken;
  }

  append(entries: readonly JournalBody[]): Promise<void> | undefined {
    if (this.#closing !== undefined) return Promise.reject(closedError(this.sessionId));
    return this.#put(entries.map(this.#withParent, this));
  }

  later(entries: readonly JournalBody[]): void {
    if (this.#closing !== undefined) return;
    this.#held = [...this.#held, ...entries.map(this.#withParent, this)];
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      // A failure here is retried and reported by the next append.
      void this.#put([])?.catch(() => undefined);
    });
  }

  commit(): Promise<void> | undefined {
    const written = this.#put([]);
    if (written === undefined && !this.#waitsForDisk) return undefined;
    return this.#commit(written);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #commit(written: Promise<void> | undefined): Promise<void> {
    await written;
    if (this.#waitsForDisk) await this.#store.sync?.(this.sessionId);
  }

  async #end(): Promise<void> {
    await this.#idle();
    try {
      await this.#put([]);
    } catch (cause) {
      const lost = this.#refused.flat().length;
      if (lost > 0 && !this.fenced.aborted) {
        throw new TurnwrightError(
          'storage_error',
          `${lost === 1 ? 'The last record' : `The last ${lost} records`} of session ${this.sessionId} could not be written: ${errorText(cause)}`,
          { cause },
        );
      }
    } finally {
      await this.#store.close(this.sessionId);
    }
  }

  #withParent(body: JournalBody): JournalBody {
    if (body.type === 'rewind') this.#lastUuid = body.to;
    if (!('uuid' in body)) return body;
    // A block that is recorded again keeps its original parent.
    if (isSettled(body) && body.uuid === this.#lastBlock?.uuid)
      return { ...body, parentUuid: this.#lastBlock.parentUuid };
    const parentUuid = body.parentUuid === undefined ? this.#lastUuid : body.parentUuid;
    this.#lastUuid = body.uuid;
    if (body.type === 'assistant') this.#lastBlock = { uuid: body.uuid, parentUuid };
    return extended(body, { parentUuid });
  }

  #put(bodies: readonly JournalBody[]): Promise<void> | undefined {
    const all = this.#held.length === 0 ? bodies : [...this.#held, ...bodies];
    this.#held = [];
    if (this.fenced.aborted) return Promise.reject(fencedError(this.sessionId));
    return all.length === 0 && this.#refused.length === 0 ? this.#idle() : this.#writeInTurn(all);
  }

  /** Settles once everything appended so far is written or refused; undefined if it is. */
  #idle(): Promise<void> | undefined {
    return this.#next?.written.catch(() => undefined) ?? this.#writing;
  }

  #writeInTurn(bodies: readonly JournalBody[]): Promise<void> | undefined {
    if (this.#writing !== undefined) {
      this.#next ??= { bodies: [], written: this.#writing.then(() => this.#writeNext()) };
      this.#next.bodies.push(...bodies);
      return this.#next.written;
    }
    try {
      return this.#write(bodies);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #writeNext(): Promise<void> | undefined {
    const bodies = this.#next?.bodies ?? [];
    this.#next = undefined;
    this.#writing = undefined;
    return this.#write(bodies);
  }

  /** Synchronous where the store is. */
  #write(bodies: readonly JournalBody[]): Promise<void> | undefined {
    // A refused batch is repeated unchanged: a store that had accepted it recognises it.
    const batches = bodies.length === 0 ? this.#refused : [...this.#refused, bodies];
    this.#refused = [];
    const written = this.#writeFrom(0, batches);
    if (written === undefined) return undefined;
    const over = () => {
      if (this.#next === undefined) this.#writing = undefined;
    };
    this.#writing = written.then(over, over);
    return written;
  }

  /** One after the other; synchronous where the store is. */
  #writeFrom(start: number, batches: readonly (readonly JournalBody[])[]): Promise<void> | undefined {
    for (let at = start; at < batches.length; at++) {
      const refuse = (error: unknown): never => {
        if (isRefusal(error)) this.#refused = batches.slice(at);
        throw error;
      };
      let answer: ReturnType<JournalStore['append']>;
      try {
        const batch = batches[at] as readonly JournalBody[];
        answer = this.#store.append(this.sessionId, this.epoch, this.head, batch);
      } catch (error) {
        return refuse(error);
      }
      if ('then' in answer)
        return answer
          .then((outcome) => this.#taken(outcome), refuse)
          .then(() => this.#writeFrom(at + 1, batches));
      this.#taken(answer);
    }
    return undefined;
  }

  #taken(outcome: Awaited<ReturnType<JournalStore['append']>>): void {
    if ('fenced' in outcome) this.fenced.abort('fenced');
    else this.head = outcome.seq;
    if (this.fenced.aborted) throw fencedError(this.sessionId);
  }
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
    const last = findLastMessage(entries);
    if (last !== null) return last;
  }
  return null;
}

function findLastMessage(entries: readonly JournalEntry[]): string | null {
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at] as JournalEntry;
    const sidechain = 'isSidechain' in entry && entry.isSidechain === true;
    if (entry.type === 'rewind') return entry.to;
    if ('uuid' in entry && typeof entry.uuid === 'string' && !sidechain) return entry.uuid;
  }
  return null;
}
