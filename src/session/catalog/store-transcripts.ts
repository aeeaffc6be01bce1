/** Transcripts in a store of the host, under one project key. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { SessionKey, SessionStore, SessionStoreEntry } from '../../protocol/session/session-store.ts';
import { decodeStored, resealed } from '../journal/envelope.ts';
import { entriesOf } from '../journal/read-journal.ts';
import { checkedSessionId } from '../session-files.ts';
import { foldSessionSummary, infoOf, isProgrammatic } from '../session-info.ts';
import type { Transcripts } from './transcripts.ts';

export function createStoreTranscripts(store: SessionStore, projectKey: string): Transcripts {
  const keyOf = (sessionId: string, subpath?: string): SessionKey => ({
    projectKey,
    sessionId: checkedSessionId(sessionId),
    ...(subpath !== undefined && { subpath }),
  });

  async function known(sessionId: string): Promise<SessionStoreEntry[]> {
    const entries = await store.load(keyOf(sessionId));
    if (entries !== null && entries.length > 0) return entries;
    throw new TurnwrightError(
      'session_not_found',
      `There is no session ${sessionId} under the key "${projectKey}" of the session store.`,
    );
  }

  async function summaries() {
    if (store.listSessionSummaries !== undefined) return store.listSessionSummaries(projectKey);
    if (store.listSessions === undefined)
      throw new TurnwrightError(
        'invalid_option',
        'This session store cannot list: it has no listSessions().',
      );
    return Promise.all(
      (await store.listSessions(projectKey)).map(async ({ sessionId, mtime }) => {
        const entries = (await store.load(keyOf(sessionId))) ?? [];
        return foldSessionSummary(undefined, keyOf(sessionId), entries, { mtime });
      }),
    );
  }

  return {
    async list({ limit = Number.POSITIVE_INFINITY, offset = 0, includeProgrammatic = true }) {
      const found = (await summaries()).filter((each) => includeProgrammatic || !isProgrammatic(each));
      const infos = found.flatMap((each) => infoOf(each) ?? []);
      return infos.sort((a, b) => b.lastModified - a.lastModified).slice(offset, offset + limit);
    },

    async info(sessionId) {
      const entries = await store.load(keyOf(sessionId));
      if (entries === null) return undefined;
      const times = await store.listSessions?.(projectKey);
      const mtime = times?.find((each) => each.sessionId === sessionId)?.mtime ?? lastTime(entries);
      return infoOf(foldSessionSummary(undefined, keyOf(sessionId), entries, { mtime }));
    },

    async entries(sessionId, subpath) {
      const entries = await store.load(keyOf(sessionId, subpath));
      return entries === null ? undefined : entriesOf(entries.map(decodeStored));
    },

    lines: async (sessionId, subpath) => (await store.load(keyOf(sessionId, subpath))) ?? undefined,
    subpaths: async (sessionId) => (await store.listSubkeys?.({ projectKey, sessionId })) ?? [],
    meta: async () => ({}),

    async append(sessionId, entries) {
      await known(sessionId);
      await store.append(keyOf(sessionId), [...entries]);
    },

    async create(sessionId, lines) {
      await store.append(
        keyOf(sessionId),
        lines.map((line) => JSON.parse(line) as SessionStoreEntry),
      );
    },

    async rewrite(sessionId, { record }) {
      await known(sessionId);
      if (store.delete === undefined)
        throw new TurnwrightError('invalid_option', 'This session store cannot erase: it has no delete().');
      let changed = 0;
      const subkeys = (await store.listSubkeys?.({ projectKey, sessionId })) ?? [];
      const written: [SessionKey, SessionStoreEntry[]][] = [];
      for (const subpath of [undefined, ...subkeys]) {
        const key = keyOf(sessionId, subpath);
        const before = (await store.load(key)) ?? [];
        const after = before.map((entry) => {
          const now = record(entry);
          return now === entry ? entry : (JSON.parse(resealed(now)) as SessionStoreEntry);
        });
        changed += after.filter((entry, at) => entry !== before[at]).length;
        written.push([key, after]);
      }
      if (changed === 0) return 0;
      await store.delete(keyOf(sessionId));
      for (const [key, entries] of written) if (entries.length > 0) await store.append(key, entries);
      return changed;
    },

    async remove(sessionId) {
      await store.delete?.(keyOf(sessionId));
    },

    async setArchived() {
      throw new TurnwrightError(
        'invalid_option',
        'A session store keeps no archive mark: archive the local session, without sessionStore.',
      );
    },
  };
}

function lastTime(entries: readonly SessionStoreEntry[]): number {
  const times = entries.map(({ timestamp }) => Date.parse(String(timestamp)));
  return Math.max(0, ...times.filter((time) => !Number.isNaN(time)));
}
