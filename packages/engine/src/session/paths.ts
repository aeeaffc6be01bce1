/**
 * Where sessions live: `<home>/projects/<cwd with every non-alphanumeric as ->/<id>.jsonl`, spilled results
 * beside.
 */
import { join } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { checkedSessionId, isSessionId, journalPath } from './session-files.ts';
import { readSessionHead } from './session-head.ts';

const MAX_SLUG_CHARS = 200;

/**
 * Folder name of a working directory. Two directories may share one (`/a_b`, `/a-b`): sessions record their
 * `cwd`.
 */
export function projectSlug(cwd: string): string {
  const slug = cwd.replaceAll(/[^a-zA-Z0-9]/g, '-');
  if (slug.length <= MAX_SLUG_CHARS) return slug;
  return `${slug.slice(0, MAX_SLUG_CHARS)}-${shortHash(cwd)}`;
}

/** The hash that other programs with the same layout use, so that they find the folder. */
function shortHash(text: string): string {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
  return Math.abs(hash).toString(36);
}

export function sessionsDirectory(home: string, cwd: string): string {
  return join(home, 'projects', projectSlug(cwd));
}

/** Throws `invalid_option` for an id that does not name a file of that folder. */
export function sessionFile(home: string, cwd: string, sessionId: string): string {
  return journalPath(sessionsDirectory(home, cwd), sessionId);
}

/** Large tool results of one session. */
export function spillDirectory(home: string, cwd: string, sessionId: string): string {
  return join(sessionsDirectory(home, cwd), checkedSessionId(sessionId), 'tool-results');
}

export interface FoundSession {
  readonly sessionId: string;
  readonly file: string;
  /** Folder of the journal: the file store's `directory`. */
  readonly directory: string;
  /** Where the session was started (F74); undefined if unknown. */
  readonly cwd: string | undefined;
}

interface Where {
  readonly files: PersistentFiles;
  readonly home: string;
}

/** The session of this working directory that was written last and has a prompt (`--continue`). */
export async function newestSession({
  files,
  home,
  cwd,
}: Where & { readonly cwd: string }): Promise<FoundSession | undefined> {
  const directory = sessionsDirectory(home, cwd);
  const candidates: { readonly sessionId: string; readonly mtimeMs: number }[] = [];
  for (const sessionId of await sessionIdsIn(files, directory)) {
    const stat = await files.stat(journalPath(directory, sessionId));
    if (stat?.kind === 'file') candidates.push({ sessionId, mtimeMs: stat.mtimeMs });
  }
  candidates.sort((a, b) => b.mtimeMs - a.mtimeMs);
  for (const { sessionId } of candidates) {
    const file = journalPath(directory, sessionId);
    const head = await readSessionHead(files, file);
    if (!head.isAsked || (head.cwd ?? cwd) !== cwd) continue;
    return { sessionId, file, directory, cwd: head.cwd };
  }
  return undefined;
}

/** A session by id, in any project of the home; the given working directory comes first. */
export async function findSession({
  files,
  home,
  sessionId,
  cwd,
}: Where & { readonly sessionId: string; readonly cwd?: string }): Promise<FoundSession | undefined> {
  checkedSessionId(sessionId);
  const written = await sessionNamed({ files, home, sessionId, cwd });
  // Ids are written in small letters, and may be copied from where they are not.
  const small = sessionId.toLowerCase();
  return written ?? (small === sessionId ? undefined : sessionNamed({ files, home, sessionId: small, cwd }));
}

async function sessionNamed({
  files,
  home,
  sessionId,
  cwd,
}: Where & { readonly sessionId: string; readonly cwd: string | undefined }): Promise<
  FoundSession | undefined
> {
  const projects = join(home, 'projects');
  const own = cwd === undefined ? [] : [projectSlug(cwd)];
  for (const project of new Set([...own, ...(await namesIn(files, projects))])) {
    const directory = join(projects, project);
    const file = journalPath(directory, sessionId);
    if ((await files.stat(file))?.kind !== 'file') continue;
    return { sessionId, file, directory, cwd: (await readSessionHead(files, file)).cwd };
  }
  return undefined;
}

/** Another working directory whose sessions lie in the folder of this one, because its name is the same. */
export async function sharingProject({
  files,
  home,
  cwd,
}: Where & { readonly cwd: string }): Promise<string | undefined> {
  const directory = sessionsDirectory(home, cwd);
  for (const sessionId of await sessionIdsIn(files, directory)) {
    const head = await readSessionHead(files, journalPath(directory, sessionId));
    if (head.cwd !== undefined && head.cwd !== cwd && projectSlug(head.cwd) === projectSlug(cwd))
      return head.cwd;
  }
  return undefined;
}

/** Sessions that have a file in this folder, in no order. */
export async function sessionIdsIn(files: PersistentFiles, directory: string): Promise<readonly string[]> {
  const names = await namesIn(files, directory);
  return names
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length))
    .filter(isSessionId);
}

async function namesIn(files: PersistentFiles, directory: string): Promise<readonly string[]> {
  return (await files.stat(directory))?.kind === 'directory' ? files.readDir(directory) : [];
}
