/** Transcripts as files: `<home>/projects/<folder>/<id>.jsonl`, with further files in `<id>/` beside. */
import { basename, dirname, join } from 'node:path';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type { SessionStoreEntry } from '../../protocol/session/session-store.ts';
import { parseJson } from '../../util/bounded-json.ts';
import { isoTime } from '../../util/text/iso-time.ts';
import { readJournal } from '../journal/read-journal.ts';
import { readLines } from '../journal/read-lines.ts';
import { createFileLeaseStore } from '../lease/lease.ts';
import { findSession, projectSlug, sessionIdsIn, sessionsDirectory } from '../paths.ts';
import { checkedSessionId, journalPath } from '../session-files.ts';
import { readSessionHead } from '../session-head.ts';
import { infoOf, isProgrammatic, type SessionInfo } from '../session-info.ts';
import { entryOfLine, type FileSummary, summaryOfFile } from './file-summary.ts';
import { rewriteSessionFiles } from './rewrite-files.ts';
import type { Transcripts } from './transcripts.ts';

/** Shown instead of a first prompt that cannot be read. */
const DAMAGED_PROMPT = '(its first prompt cannot be read)';

interface FileTranscriptsOptions {
  readonly files: PersistentFiles;
  readonly home: string;
  /** Working directories of the sessions; undefined: all of the home. */
  readonly cwds: readonly string[] | undefined;
  readonly clock: Pick<Clock, 'nowMs' | 'timer'>;
}

export function createFileTranscripts({ files, home, cwds, clock }: FileTranscriptsOptions): Transcripts {
  const folders = async (): Promise<readonly string[]> => {
    if (cwds !== undefined) return [...new Set(cwds.map((cwd) => sessionsDirectory(home, cwd)))];
    const projects = join(home, 'projects');
    const names = (await isFolder(projects)) ? await files.readDir(projects) : [];
    return names.map((name) => join(projects, name));
  };
  const isFolder = async (path: string) => (await files.stat(path))?.kind === 'directory';

  /** The file of a session, in any of the folders. */
  async function fileOf(sessionId: string): Promise<string | undefined> {
    if (cwds === undefined) return (await findSession({ files, home, sessionId }))?.file;
    for (const folder of await folders()) {
      const file = journalPath(folder, sessionId);
      if ((await files.stat(file))?.kind === 'file') return file;
    }
    return undefined;
  }

  async function knownFile(sessionId: string): Promise<string> {
    const file = await fileOf(checkedSessionId(sessionId));
    if (file !== undefined) return file;
    const where = cwds === undefined ? home : `the sessions of ${cwds.join(', ')} in ${home}`;
    throw new TurnwrightError('session_not_found', `There is no session ${sessionId} in ${where}.`);
  }

  const besideOf = (file: string) => file.slice(0, -'.jsonl'.length);

  async function transcriptOf(sessionId: string, subpath: string | undefined): Promise<string | undefined> {
    const file = await fileOf(checkedSessionId(sessionId));
    if (file === undefined || subpath === undefined) return file;
    const path = `${join(besideOf(file), checkedSubpath(subpath))}.jsonl`;
    return (await files.stat(path))?.kind === 'file' ? path : undefined;
  }

  async function leased<T>(file: string, sessionId: string, work: () => Promise<T>): Promise<T> {
    const lease = await createFileLeaseStore({ files, directory: dirname(file), clock }).acquire(sessionId);
    try {
      return await work();
    } finally {
      await lease.release();
    }
  }

  /** Removes parts that were cut off a damaged journal and kept. */
  async function removeTorn(file: string): Promise<void> {
    const directory = dirname(file);
    for (const name of await files.readDir(directory))
      if (name.startsWith(`${basename(file)}.torn-`)) await files.remove(join(directory, name));
  }

  async function describe(file: string, { summary, outcome }: FileSummary): Promise<SessionInfo | undefined> {
    const archived = (await readJson(join(besideOf(file), ARCHIVED)))?.['archived'];
    const fileSize = (await files.stat(file))?.size;
    const more = { fileSize, outcome, ...(typeof archived === 'boolean' && { archived }) };
    const info = infoOf(summary, more);
    if (info !== undefined || !(await readSessionHead(files, file)).isAsked) return info;
    return infoOf({ ...summary, data: { ...summary.data, summaryHint: DAMAGED_PROMPT } }, more);
  }

  async function readJson(path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    if ((await files.stat(path))?.kind !== 'file') return undefined;
    try {
      const value: unknown = parseJson(Buffer.from(await files.readFile(path)).toString('utf8'));
      return typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string, unknown>>)
        : undefined;
    } catch {
      return undefined;
    }
  }

  return {
    async list({ limit = Number.POSITIVE_INFINITY, offset = 0, includeProgrammatic = true, withOutcome }) {
      const candidates: { readonly file: string; readonly sessionId: string; readonly mtimeMs: number }[] =
        [];
      for (const folder of await folders()) {
        for (const sessionId of await sessionIdsIn(files, folder)) {
          const file = journalPath(folder, sessionId);
          const stat = await files.stat(file);
          if (stat?.kind === 'file') candidates.push({ file, sessionId, mtimeMs: stat.mtimeMs });
        }
      }
      candidates.sort((a, b) => b.mtimeMs - a.mtimeMs);
      const listed: SessionInfo[] = [];
      for (const { file, sessionId } of candidates) {
        if (listed.length >= offset + limit) break;
        const found = await summaryOfFile(files, file, sessionId, { withOutcome });
        if (found === undefined || (!includeProgrammatic && isProgrammatic(found.summary))) continue;
        if (cwds !== undefined && isOfAnother(found.summary.data['cwd'], cwds)) continue;
        const info = await describe(file, found);
        if (info !== undefined) listed.push(info);
      }
      return listed.slice(offset);
    },

    async info(sessionId) {
      const file = await fileOf(checkedSessionId(sessionId));
      const found = file && (await summaryOfFile(files, file, sessionId));
      return file && found ? describe(file, found) : undefined;
    },

    async entries(sessionId, subpath) {
      const path = await transcriptOf(sessionId, subpath);
      if (path === undefined) return undefined;
      const entries: JournalEntry[] = [];
      for await (const entry of readJournal(files, path, {})) entries.push(entry);
      return entries;
    },

    async lines(sessionId, subpath) {
      const path = await transcriptOf(sessionId, subpath);
      if (path === undefined) return undefined;
      const lines: SessionStoreEntry[] = [];
      for await (const { bytes } of readLines(files, path)) {
        const entry = entryOfLine(bytes);
        if (entry !== undefined) lines.push(entry);
      }
      return lines;
    },

    async subpaths(sessionId) {
      const file = await fileOf(checkedSessionId(sessionId));
      const folder = file && join(besideOf(file), 'subagents');
      if (folder === undefined || !(await isFolder(folder))) return [];
      const names = await files.readDir(folder);
      return names
        .filter((name) => name.startsWith('agent-') && name.endsWith('.jsonl'))
        .map((name) => `subagents/${name.slice(0, -'.jsonl'.length)}`)
        .sort();
    },

    async meta(sessionId, subpath) {
      const file = await fileOf(checkedSessionId(sessionId));
      if (file === undefined) return {};
      return (await readJson(`${join(besideOf(file), checkedSubpath(subpath))}.meta.json`)) ?? {};
    },

    async append(sessionId, entries) {
      const handle = await files.openAppend(await knownFile(sessionId), 0o600);
      try {
        const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
        // A new line must not be joined to one that a crash has truncated.
        const size = await handle.size();
        const last = size === 0 ? '\n' : await lastByte(files, await knownFile(sessionId), size);
        await handle.append(Buffer.from(last === '\n' ? lines : `\n${lines}`));
      } finally {
        await handle.close();
      }
    },

    async create(sessionId, lines, besideId) {
      const file = journalPath(dirname(await knownFile(besideId)), sessionId);
      await files.createExclusive(file, `${lines.join('\n')}\n`, 0o600);
    },

    async rewrite(sessionId, erasure) {
      const file = await knownFile(sessionId);
      return leased(file, sessionId, async () => {
        await removeTorn(file);
        return rewriteSessionFiles(files, file, besideOf(file), erasure);
      });
    },

    async remove(sessionId) {
      const file = await knownFile(sessionId);
      await leased(file, sessionId, async () => {
        await files.removeTree(besideOf(file));
        await removeTorn(file);
        await files.remove(file);
      });
    },

    async setArchived(sessionId, archived, nowMs) {
      const folder = besideOf(await knownFile(sessionId));
      await files.makeDir(folder, 0o700);
      const mark = { archived, at: isoTime(nowMs), by: 'turnwright' };
      await files.writeAtomic(join(folder, ARCHIVED), JSON.stringify(mark), { mode: 0o600 });
    },
  };
}

/** Folders whose names differ only in letters that a folder of sessions does not have share one. */
function isOfAnother(cwd: unknown, cwds: readonly string[]): boolean {
  if (typeof cwd !== 'string' || cwds.includes(cwd)) return false;
  return cwds.some((own) => projectSlug(own) === projectSlug(cwd));
}

const ARCHIVED = 'archived.json';

async function lastByte(files: PersistentFiles, path: string, size: number): Promise<string> {
  return Buffer.from(await files.readRange(path, size - 1, 1)).toString('latin1');
}

/** Throws `invalid_option` for a path that could leave the session's folder. */
function checkedSubpath(subpath: string): string {
  if (/^[\w.-]+(?:\/[\w.-]+)*$/.test(subpath) && !subpath.split('/').includes('..')) return subpath;
  throw new TurnwrightError('invalid_option', `"${subpath}" does not name a transcript of a subagent.`);
}
