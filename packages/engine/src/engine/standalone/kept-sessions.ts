/** Sessions that are not running, for the library's functions: their files, or a store of the host's. */
import { resolve } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import { listWorktrees } from '@turnwright/base/files/git-folder.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { systemIds } from '@turnwright/base/ids/hash-and-uuid.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { SessionStore } from '../../protocol/session/session-store.ts';
import { type EraseRequest, eraseFromTranscripts } from '../../session/catalog/erase.ts';
import { createFileTranscripts } from '../../session/catalog/file-transcripts.ts';
import * as catalog from '../../session/catalog/session-catalog.ts';
import type { MessagePage } from '../../session/catalog/shown-messages.ts';
import { createStoreTranscripts } from '../../session/catalog/store-transcripts.ts';
import type { ListPage, Transcripts } from '../../session/catalog/transcripts.ts';
import { findSession, projectSlug } from '../../session/paths.ts';
import type { SessionInfo } from '../../session/session-summary.ts';
import { configHome } from '../../settings/read/config-home.ts';
import { VERSION } from '../version.ts';

export type { EraseRequest } from '../../session/catalog/erase.ts';
export type { SessionPrompt } from '../../session/catalog/prompts.ts';
export type { ForkRequest, ImportOptions } from '../../session/catalog/session-catalog.ts';
export type { SessionOutcome } from '../../session/catalog/session-outcome.ts';
export type { SessionMessage } from '../../session/catalog/shown-messages.ts';
export type { ListPage, MessagePage, SessionInfo };

/** Where sessions are looked for. */
export interface CatalogPlace {
  /** A working directory; undefined: every session of the home. */
  readonly dir: string | undefined;
  /** The caller's own. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Instead of the files. */
  readonly sessionStore: SessionStore | undefined;
}

async function transcriptsAt(place: CatalogPlace, withWorktrees = false): Promise<Transcripts> {
  const { dir, cwd, env, sessionStore } = place;
  const folder = dir === undefined ? undefined : resolve(cwd, dir);
  if (sessionStore !== undefined) return createStoreTranscripts(sessionStore, projectSlug(folder ?? cwd));
  const home = configHome(env, cwd);
  if (home === undefined)
    throw new TurnwrightError('session_not_found', 'There is no configuration home, so no session is kept.');
  const cwds =
    folder === undefined ? undefined : withWorktrees ? await listWorktrees(nodeFiles, folder) : [folder];
  return createFileTranscripts({ files: nodeFiles, home, cwds, clock: systemClock });
}

export async function listSessionsAt(
  place: CatalogPlace,
  page: ListPage & { readonly includeWorktrees?: boolean | undefined },
): Promise<readonly SessionInfo[]> {
  if (place.sessionStore === undefined && configHome(place.env, place.cwd) === undefined) return [];
  return (await transcriptsAt(place, page.includeWorktrees !== false)).list(page);
}

export async function readSessionInfoAt(place: CatalogPlace, id: string): Promise<SessionInfo | undefined> {
  return (await transcriptsAt(place)).info(id);
}

export async function readSessionMessagesAt(place: CatalogPlace, id: string, page: MessagePage) {
  return catalog.readSessionMessages(await transcriptsAt(place), id, page);
}

export async function readSessionPromptsAt(place: CatalogPlace, id: string) {
  return catalog.readSessionPrompts(await transcriptsAt(place), id);
}

export async function listSubagentsAt(place: CatalogPlace, id: string): Promise<readonly string[]> {
  return catalog.listSubagentIds(await transcriptsAt(place), id);
}

export async function readSubagentMessagesAt(
  place: CatalogPlace,
  id: string,
  agentId: string,
  page: MessagePage,
) {
  return catalog.readSubagentMessages(await transcriptsAt(place), id, agentId, page);
}

export async function renameSessionAt(place: CatalogPlace, id: string, title: string): Promise<void> {
  await catalog.writeTitle(await transcriptsAt(place), id, title);
}

export async function tagSessionAt(place: CatalogPlace, id: string, tag: string | null): Promise<void> {
  await catalog.writeTag(await transcriptsAt(place), id, tag);
}

export async function setArchived(place: CatalogPlace, id: string, archived: boolean): Promise<void> {
  await (await transcriptsAt(place)).setArchived(id, archived, systemClock.nowMs());
}

export async function deleteSessionAt(place: CatalogPlace, id: string): Promise<void> {
  await (await transcriptsAt(place)).remove(id);
}

export async function eraseFromSessionAt(place: CatalogPlace, id: string, request: EraseRequest) {
  return eraseFromTranscripts(await transcriptsAt(place), id, request);
}

export async function forkSessionAt(place: CatalogPlace, id: string, request: catalog.ForkRequest) {
  const ports = { ids: systemIds, clock: systemClock, version: VERSION };
  return catalog.forkTranscripts(await transcriptsAt(place), id, request, ports);
}

/** The store's key is the folder that the session ran in. */
export async function importSessionAt(
  place: Omit<CatalogPlace, 'sessionStore'>,
  sessionId: string,
  store: SessionStore,
  options: catalog.ImportOptions,
): Promise<void> {
  const { dir, cwd, env } = place;
  const home = configHome(env, cwd);
  const found =
    dir !== undefined || home === undefined
      ? undefined
      : await findSession({ files: nodeFiles, home, sessionId });
  const projectKey = projectSlug(dir === undefined ? (found?.cwd ?? cwd) : resolve(cwd, dir));
  const transcripts = await transcriptsAt({ ...place, sessionStore: undefined });
  await catalog.copyToStore(transcripts, store, { projectKey, sessionId }, options);
}
