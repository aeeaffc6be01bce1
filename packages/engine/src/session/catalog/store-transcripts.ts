/** Transcripts in a store of the host, under one project key. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from '../../protocol/session/session-store.ts';
import { decodeStored, resealed } from '../journal/envelope.ts';
import { toJournalEntries } from '../journal/read-journal.ts';
import { checkedSessionId } from '../session-files.ts';
import { foldSessionSummary, isProgrammatic, type SessionInfo, toSessionInfo } from '../session-summary.ts';
import type { Erasure, ListPage, Transcripts } from './transcripts.ts';

export function createStoreTranscripts(store: SessionStore, projectKey: string): Transcripts {
  return new StoreTranscripts(store, projectKey);
}

class StoreTranscripts implements Transcripts {
  readonly #store: SessionStore;
  readonly #projectKey: string;

  constructor(store: SessionStore, projectKey: string) {
    this.#store = store;
    this.#projectKey = projectKey;
  }

  async list(page: ListPage): Promise<readonly SessionInfo[]> {
    const { limit = Number.POSITIVE_INFINITY, offset = 0, includeProgrammatic = true } = page;
    const found = (await this.#summaries()).filter((each) => includeProgrammatic || !isProgrammatic(each));
    const infos = found.flatMap((each) => toSessionInfo(each) ?? []);
    return infos.sort((a, b) => b.lastModified - a.lastModified).slice(offset, offset + limit);
  }

  async info(sessionId: string): Promise<SessionInfo | undefined> {
    const key = this.#key(sessionId);
    const entries = await this.#store.load(key);
    if (entries === null) return undefined;
    const times = await this.#store.listSessions?.(this.#projectKey);
    const mtime = times?.find((each) => each.sessionId === sessionId)?.mtime ?? lastTime(entries);
    return toSessionInfo(foldSessionSummary(undefined, key, entries, { mtime }));
  }

  async entries(sessionId: string, subpath?: string): Promise<readonly JournalEntry[] | undefined> {
    const entries = await this.#store.load(this.#key(sessionId, subpath));
    return entries === null ? undefined : toJournalEntries(entries.map(decodeStored));
  }

  async lines(sessionId: string, subpath?: string): Promise<SessionStoreEntry[] | undefined> {
    return (await this.#store.load(this.#key(sessionId, subpath))) ?? undefined;
  }

  async subpaths(sessionId: string): Promise<readonly string[]> {
    return (await this.#store.listSubkeys?.({ projectKey: this.#projectKey, sessionId })) ?? [];
  }

  async meta(): Promise<Readonly<Record<string, unknown>>> {
    return {};
  }

  async append(sessionId: string, entries: readonly SessionStoreEntry[]): Promise<void> {
    await this.#refuseUnknown(sessionId);
    await this.#store.append(this.#key(sessionId), [...entries]);
  }

  async create(sessionId: string, lines: readonly string[]): Promise<void> {
    await this.#store.append(
      this.#key(sessionId),
      lines.map((line) => JSON.parse(line) as SessionStoreEntry),
    );
  }

  async rewrite(sessionId: string, { record }: Erasure): Promise<number> {
    await this.#refuseUnknown(sessionId);
    if (this.#store.delete === undefined)
      throw new TurnwrightError('invalid_option', 'This session store cannot erase: it has no delete().');
    let changed = 0;
    const written: [SessionKey, SessionStoreEntry[]][] = [];
    for (const subpath of [undefined, ...(await this.subpaths(sessionId))]) {
      const key = this.#key(sessionId, subpath);
      const before = (await this.#store.load(key)) ?? [];
      const after = before.map((entry) => {
        const now = record(entry);
        return now === entry ? entry : (JSON.parse(resealed(now)) as SessionStoreEntry);
      });
      changed += after.filter((entry, at) => entry !== before[at]).length;
      written.push([key, after]);
    }
    if (changed === 0) return 0;
    await this.#store.delete(this.#key(sessionId));
    for (const [key, entries] of written) if (entries.length > 0) await this.#store.append(key, entries);
    return changed;
  }

  async remove(sessionId: string): Promise<void> {
    await this.#store.delete?.(this.#key(sessionId));
  }

  async setArchived(): Promise<void> {
    throw new TurnwrightError(
      'invalid_option',
      'A session store keeps no archive mark: archive the local session, without sessionStore.',
    );
  }

  #key(sessionId: string, subpath?: string): SessionKey {
    return {
      projectKey: this.#projectKey,
      sessionId: checkedSessionId(sessionId),
      ...(subpath !== undefined && { subpath }),
    };
  }

  async #refuseUnknown(sessionId: string): Promise<void> {
    const entries = await this.#store.load(this.#key(sessionId));
    if (entries !== null && entries.length > 0) return;
    throw new TurnwrightError(
      'session_not_found',
      `There is no session ${sessionId} under the key "${this.#projectKey}" of the session store.`,
    );
  }

  async #summaries(): Promise<readonly SessionSummaryEntry[]> {
    const store = this.#store;
    if (store.listSessionSummaries !== undefined) return store.listSessionSummaries(this.#projectKey);
    if (store.listSessions === undefined)
      throw new TurnwrightError(
        'invalid_option',
        'This session store cannot list: it has no listSessions().',
      );
    return Promise.all(
      (await store.listSessions(this.#projectKey)).map(async ({ sessionId, mtime }) => {
        const key = this.#key(sessionId);
        return foldSessionSummary(undefined, key, (await store.load(key)) ?? [], { mtime });
      }),
    );
  }
}

function lastTime(entries: readonly SessionStoreEntry[]): number {
  const times = entries.map(({ timestamp }) => Date.parse(String(timestamp)));
  return Math.max(0, ...times.filter((time) => !Number.isNaN(time)));
}
