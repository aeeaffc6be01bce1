import { systemClock } from '@turnwright/base/clock.ts';
import type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from '../../protocol/session/session-store.ts';
import { foldSessionSummary } from '../session-summary.ts';

/** Transcripts in memory, for tests and trials. An entry with a known uuid is ignored. */
export class InMemorySessionStore implements SessionStore {
  readonly #transcripts = new Map<
    string,
    { readonly key: SessionKey; readonly entries: SessionStoreEntry[] }
  >();
  readonly #summaries = new Map<string, SessionSummaryEntry>();
  #lastMtime = 0;

  async append(key: SessionKey, entries: readonly SessionStoreEntry[]): Promise<void> {
    const name = serialiseKey(key);
    const transcript = this.#transcripts.get(name) ?? { key, entries: [] };
    this.#transcripts.set(name, transcript);
    const known = new Set(transcript.entries.map(identifyEntry));
    const fresh = structuredClone(
      entries.filter((entry) => {
        const identity = identifyEntry(entry);
        const isNew = identity === undefined || !known.has(identity);
        known.add(identity);
        return isNew;
      }),
    );
    transcript.entries.push(...fresh);
    if (key.subpath !== undefined) return;
    // Writes within one millisecond get distinct times.
    this.#lastMtime = Math.max(systemClock.nowMs(), this.#lastMtime + 1);
    const mtime = this.#lastMtime;
    this.#summaries.set(name, foldSessionSummary(this.#summaries.get(name), key, fresh, { mtime }));
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const transcript = this.#transcripts.get(serialiseKey(key));
    return transcript === undefined ? null : structuredClone(transcript.entries);
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const summaries = await this.listSessionSummaries(projectKey);
    return summaries.map(({ sessionId, mtime }) => ({ sessionId, mtime }));
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    const own = [...this.#transcripts].filter(([, { key }]) => key.projectKey === projectKey);
    return structuredClone(own.flatMap(([name]) => this.#summaries.get(name) ?? []));
  }

  /** Includes the subagents of a session. */
  async delete(key: SessionKey): Promise<void> {
    for (const [name, { key: other }] of this.#transcripts) {
      const same = other.projectKey === key.projectKey && other.sessionId === key.sessionId;
      if (!same || (key.subpath !== undefined && other.subpath !== key.subpath)) continue;
      this.#transcripts.delete(name);
      this.#summaries.delete(name);
    }
  }

  async listSubkeys({ projectKey, sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    return [...this.#transcripts.values()].flatMap(({ key }) =>
      key.projectKey === projectKey && key.sessionId === sessionId && key.subpath !== undefined
        ? [key.subpath]
        : [],
    );
  }

  /** The entries of a key, as they were appended. */
  getEntries(key: SessionKey): SessionStoreEntry[] {
    return this.#transcripts.get(serialiseKey(key))?.entries ?? [];
  }

  /** Sessions, without their subagents. */
  get size(): number {
    return this.#summaries.size;
  }

  clear(): void {
    this.#transcripts.clear();
    this.#summaries.clear();
  }
}

const serialiseKey = ({ projectKey, sessionId, subpath }: SessionKey): string =>
  JSON.stringify([projectKey, sessionId, subpath ?? null]);

/** A block that is recorded again with its usage is not a repetition. */
const identifyEntry = ({ uuid, settled }: SessionStoreEntry): string | undefined =>
  uuid === undefined || settled !== true ? uuid : `${uuid}/settled`;
