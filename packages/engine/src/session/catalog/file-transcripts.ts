/** Transcripts as files: `<home>/projects/<folder>/<id>.jsonl`, with further files in `<id>/` beside. */

import { basename, dirname, join } from 'node:path';
import { parseJson } from '@turnwright/base/bounded-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type { SessionStoreEntry } from '../../protocol/session/session-store.ts';
import { readJournal } from '../journal/read-journal.ts';
import { readLines } from '../journal/read-lines.ts';
import { createFileLeaseStore } from '../lease/lease.ts';
import { findSession, projectSlug, sessionIdsIn, sessionsDirectory } from '../paths.ts';
import { checkedSessionId, journalPath } from '../session-files.ts';
import { readSessionHead } from '../session-head.ts';
import { isProgrammatic, type SessionInfo, toSessionInfo } from '../session-summary.ts';
import { entryOfLine, type FileSummary, summaryOfFile } from './file-summary.ts';
import { rewriteSessionFiles } from './rewrite-files.ts';
import type { Erasure, ListPage, Transcripts } from './transcripts.ts';

/** Shown instead of a first prompt that cannot be read. */
const DAMAGED_PROMPT = '(its first prompt cannot be read)';

interface FileTranscriptsOptions {
  readonly files: PersistentFiles;
  readonly home: string;
  /** Working directories of the sessions; undefined: all of the home. */
  readonly cwds: readonly string[] | undefined;
  readonly clock: Pick<Clock, 'nowMs' | 'timer'>;
}

export function createFileTranscripts(options: FileTranscriptsOptions): Transcripts {
  return new FileTranscripts(options);
}

interface Candidate {
  readonly file: string;
  readonly sessionId: string;
  readonly mtimeMs: number;
}

class FileTranscripts implements Transcripts {
  readonly #files: PersistentFiles;
  readonly #home: string;
  readonly #cwds: readonly string[] | undefined;
  readonly #clock: FileTranscriptsOptions['clock'];

  constructor({ files, home, cwds, clock }: FileTranscriptsOptions) {
    this.#files = files;
    this.#home = home;
    this.#cwds = cwds;
    this.#clock = clock;
  }

  async list(page: ListPage): Promise<readonly SessionInfo[]> {
    const { limit = Number.POSITIVE_INFINITY, offset = 0, includeProgrammatic = true, withOutcome } = page;
    const listed: SessionInfo[] = [];
    for (const { file, sessionId } of await this.#newestFirst()) {
      if (listed.length >= offset + limit) break;
      const found = await summaryOfFile(this.#files, file, sessionId, { withOutcome });
      if (found === undefined || (!includeProgrammatic && isProgrammatic(found.summary))) continue;
      if (this.#cwds !== undefined && isOfAnother(found.summary.data['cwd'], this.#cwds)) continue;
      const info = await this.#describe(file, found);
      if (info !== undefined) listed.push(info);
    }
    return listed.slice(offset);
  }

  async info(sessionId: string): Promise<SessionInfo | undefined> {
    const file = await this.#findFile(sessionId);
    const found = file && (await summaryOfFile(this.#files, file, sessionId));
    return file && found ? this.#describe(file, found) : undefined;
  }

  async entries(sessionId: string, subpath?: string): Promise<readonly JournalEntry[] | undefined> {
    const path = await this.#findTranscript(sessionId, subpath);
    if (path === undefined) return undefined;
    const entries: JournalEntry[] = [];
    for await (const entry of readJournal(this.#files, path, {})) entries.push(entry);
    return entries;
  }

  async lines(sessionId: string, subpath?: string): Promise<SessionStoreEntry[] | undefined> {
    const path = await this.#findTranscript(sessionId, subpath);
    if (path === undefined) return undefined;
    const lines: SessionStoreEntry[] = [];
    for await (const { bytes } of readLines(this.#files, path)) {
      const entry = entryOfLine(bytes);
      if (entry !== undefined) lines.push(entry);
    }
    return lines;
  }

  async subpaths(sessionId: string): Promise<readonly string[]> {
    const file = await this.#findFile(sessionId);
    const folder = file && join(folderBeside(file), 'subagents');
    if (folder === undefined || !(await this.#isFolder(folder))) return [];
    const names = await this.#files.readDir(folder);
    return names
      .filter((name) => name.startsWith('agent-') && name.endsWith('.jsonl'))
      .map((name) => `subagents/${name.slice(0, -'.jsonl'.length)}`)
      .sort();
  }

  async meta(sessionId: string, subpath: string): Promise<Readonly<Record<string, unknown>>> {
    const file = await this.#findFile(sessionId);
    if (file === undefined) return {};
    return (await this.#readJson(`${join(folderBeside(file), checkedSubpath(subpath))}.meta.json`)) ?? {};
  }

  async append(sessionId: string, entries: readonly SessionStoreEntry[]): Promise<void> {
    const handle = await this.#files.openAppend(await this.#knownFile(sessionId), 0o600);
    try {
      const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      // A new line must not be joined to one that a crash has truncated.
      const size = await handle.size();
      const last = size === 0 ? '\n' : await lastByte(this.#files, await this.#knownFile(sessionId), size);
      await handle.append(Buffer.from(last === '\n' ? lines : `\n${lines}`));
    } finally {
      await handle.close();
    }
  }

  async create(sessionId: string, lines: readonly string[], besideId: string): Promise<void> {
    const file = journalPath(dirname(await this.#knownFile(besideId)), sessionId);
    await this.#files.createExclusive(file, `${lines.join('\n')}\n`, 0o600);
  }

  async rewrite(sessionId: string, erasure: Erasure): Promise<number> {
    const file = await this.#knownFile(sessionId);
    return this.#withLease(file, sessionId, async () => {
      await this.#removeTorn(file);
      return rewriteSessionFiles(this.#files, file, folderBeside(file), erasure);
    });
  }

  async remove(sessionId: string): Promise<void> {
    const file = await this.#knownFile(sessionId);
    await this.#withLease(file, sessionId, async () => {
      await this.#files.removeTree(folderBeside(file));
      await this.#removeTorn(file);
      await this.#files.remove(file);
    });
  }

  async setArchived(sessionId: string, archived: boolean, nowMs: number): Promise<void> {
    const folder = folderBeside(await this.#knownFile(sessionId));
    await this.#files.makeDir(folder, 0o700);
    const mark = { archived, at: isoTime(nowMs), by: 'turnwright' };
    await this.#files.writeAtomic(join(folder, ARCHIVED), JSON.stringify(mark), { mode: 0o600 });
  }

  async #newestFirst(): Promise<readonly Candidate[]> {
    const candidates: Candidate[] = [];
    for (const folder of await this.#folders()) {
      for (const sessionId of await sessionIdsIn(this.#files, folder)) {
        const file = journalPath(folder, sessionId);
        const stat = await this.#files.stat(file);
        if (stat?.kind === 'file') candidates.push({ file, sessionId, mtimeMs: stat.mtimeMs });
      }
    }
    return candidates.sort((a, b) => b.mtimeMs - a.mtimeMs);
  }

  async #folders(): Promise<readonly string[]> {
    if (this.#cwds !== undefined)
      return [...new Set(this.#cwds.map((cwd) => sessionsDirectory(this.#home, cwd)))];
    const projects = join(this.#home, 'projects');
    const names = (await this.#isFolder(projects)) ? await this.#files.readDir(projects) : [];
    return names.map((name) => join(projects, name));
  }

  async #isFolder(path: string): Promise<boolean> {
    return (await this.#files.stat(path))?.kind === 'directory';
  }

  /** The file of a session, in any of the folders. */
  async #findFile(id: string): Promise<string | undefined> {
    const sessionId = checkedSessionId(id);
    const files = this.#files;
    if (this.#cwds === undefined) return (await findSession({ files, home: this.#home, sessionId }))?.file;
    for (const folder of await this.#folders()) {
      const file = journalPath(folder, sessionId);
      if ((await files.stat(file))?.kind === 'file') return file;
    }
    return undefined;
  }

  async #knownFile(sessionId: string): Promise<string> {
    const file = await this.#findFile(sessionId);
    if (file !== undefined) return file;
    const where =
      this.#cwds === undefined ? this.#home : `the sessions of ${this.#cwds.join(', ')} in ${this.#home}`;
    throw new TurnwrightError('session_not_found', `There is no session ${sessionId} in ${where}.`);
  }

  async #findTranscript(sessionId: string, subpath: string | undefined): Promise<string | undefined> {
    const file = await this.#findFile(sessionId);
    if (file === undefined || subpath === undefined) return file;
    const path = `${join(folderBeside(file), checkedSubpath(subpath))}.jsonl`;
    return (await this.#files.stat(path))?.kind === 'file' ? path : undefined;
  }

  async #withLease<T>(file: string, sessionId: string, work: () => Promise<T>): Promise<T> {
    const leases = createFileLeaseStore({
      files: this.#files,
      directory: dirname(file),
      clock: this.#clock,
    });
    const lease = await leases.acquire(sessionId);
    try {
      return await work();
    } finally {
      await lease.release();
    }
  }

  /** Removes parts that were cut off a damaged journal and kept. */
  async #removeTorn(file: string): Promise<void> {
    const directory = dirname(file);
    for (const name of await this.#files.readDir(directory))
      if (name.startsWith(`${basename(file)}.torn-`)) await this.#files.remove(join(directory, name));
  }

  async #describe(file: string, { summary, outcome }: FileSummary): Promise<SessionInfo | undefined> {
    const archived = (await this.#readJson(join(folderBeside(file), ARCHIVED)))?.['archived'];
    const fileSize = (await this.#files.stat(file))?.size;
    const more = { fileSize, outcome, ...(typeof archived === 'boolean' && { archived }) };
    const info = toSessionInfo(summary, more);
    if (info !== undefined || !(await readSessionHead(this.#files, file)).isAsked) return info;
    return toSessionInfo({ ...summary, data: { ...summary.data, summaryHint: DAMAGED_PROMPT } }, more);
  }

  async #readJson(path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    if ((await this.#files.stat(path))?.kind !== 'file') return undefined;
    try {
      const value: unknown = parseJson(Buffer.from(await this.#files.readFile(path)).toString('utf8'));
      return isRecord(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }
}

/** Where the files of a session are that are not its journal. */
function folderBeside(file: string): string {
  return file.slice(0, -'.jsonl'.length);
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
