/** Operations of a host on sessions that are not running: list, read, rename, copy, delete. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { SessionKey, SessionStore } from '../../protocol/session/session-store.ts';
import { forkLines } from './fork.ts';
import { listPrompts, type SessionPrompt } from './prompts.ts';
import { listMessages, type MessagePage, type SessionMessage } from './shown-messages.ts';
import { parseAgentId, subagentPath, type Transcripts } from './transcripts.ts';

/** Empty if there is no such session. */
export async function readSessionMessages(
  transcripts: Transcripts,
  sessionId: string,
  page: MessagePage,
): Promise<readonly SessionMessage[]> {
  const entries = await transcripts.entries(sessionId);
  return entries === undefined ? [] : listMessages(entries, page);
}

/** Empty if there is no such session. */
export async function readSessionPrompts(
  transcripts: Transcripts,
  sessionId: string,
): Promise<readonly SessionPrompt[]> {
  return listPrompts((await transcripts.entries(sessionId)) ?? []);
}

/** Ids of the session's subagents. */
export async function listSubagentIds(
  transcripts: Transcripts,
  sessionId: string,
): Promise<readonly string[]> {
  return (await transcripts.subpaths(sessionId)).flatMap((subpath) => parseAgentId(subpath) ?? []);
}

export async function readSubagentMessages(
  transcripts: Transcripts,
  sessionId: string,
  agentId: string,
  page: MessagePage,
): Promise<readonly SessionMessage[]> {
  const subpaths = await transcripts.subpaths(sessionId);
  const subpath = subpaths.find((path) => parseAgentId(path) === agentId) ?? subagentPath(agentId);
  const entries = await transcripts.entries(sessionId, subpath);
  if (entries === undefined) return [];
  const meta = await transcripts.meta(sessionId, subpath);
  const text = (...names: string[]) =>
    names.map((name) => meta[name]).find((value): value is string => typeof value === 'string') ?? null;
  return listMessages(entries, page, {
    parentToolUseId: text('parentToolUseId', 'toolUseId', 'parent_tool_use_id'),
    parentAgentId: text('parentAgentId', 'parent_agent_id'),
  });
}

/** Throws `invalid_option` for an empty title. */
export async function writeTitle(transcripts: Transcripts, sessionId: string, title: string): Promise<void> {
  const customTitle = notBlank(title, 'A title');
  await transcripts.append(sessionId, [{ type: 'custom-title', customTitle, sessionId }]);
}

/** `null` removes the tag. Throws `invalid_option` for an empty one. */
export async function writeTag(
  transcripts: Transcripts,
  sessionId: string,
  tag: string | null,
): Promise<void> {
  const text = tag === null ? '' : notBlank(tag, 'A tag');
  await transcripts.append(sessionId, [{ type: 'tag', tag: text, sessionId }]);
}

export interface ForkRequest {
  readonly upToMessageId?: string | undefined;
  readonly title?: string | undefined;
}

/** Rejects with `session_not_found`, and with `invalid_option` for a message that it does not have. */
export async function forkTranscripts(
  transcripts: Transcripts,
  sessionId: string,
  { upToMessageId, title }: ForkRequest,
  ports: { readonly ids: Ids; readonly clock: Pick<Clock, 'nowMs'>; readonly version: string },
): Promise<{ readonly sessionId: string }> {
  const entries = await transcripts.entries(sessionId);
  if (entries === undefined)
    throw new TurnwrightError('session_not_found', `There is no session ${sessionId} to fork.`);
  const name = title === undefined ? undefined : notBlank(title, 'A title');
  const summary = name === undefined ? (await transcripts.info(sessionId))?.summary : undefined;
  const to = ports.ids.uuid();
  const lines = forkLines(entries, {
    ...ports,
    from: sessionId,
    to,
    upToMessageId,
    title: name ?? `${summary ?? 'Session'} (fork)`,
  });
  if (lines === undefined)
    throw new TurnwrightError(
      'invalid_option',
      `There is no message ${upToMessageId} in session ${sessionId}.`,
    );
  await transcripts.create(to, lines, sessionId);
  return { sessionId: to };
}

export interface ImportOptions {
  /** Default true. */
  readonly includeSubagents?: boolean | undefined;
  /** Entries of one `append`. Default 500. */
  readonly batchSize?: number | undefined;
}

/**
 * Copies a session into a store; entries whose uuid the store knows are skipped. Rejects with
 * `session_not_found`.
 */
export async function copyToStore(
  transcripts: Transcripts,
  store: SessionStore,
  key: SessionKey,
  { includeSubagents = true, batchSize = 500 }: ImportOptions,
): Promise<void> {
  const copy = async (subpath?: string) => {
    const lines = await transcripts.lines(key.sessionId, subpath);
    if (lines === undefined)
      throw new TurnwrightError('session_not_found', `There is no session ${key.sessionId} to import.`);
    for (let at = 0; at < lines.length; at += batchSize)
      await store.append(
        { ...key, ...(subpath !== undefined && { subpath }) },
        lines.slice(at, at + batchSize),
      );
  };
  await copy();
  if (!includeSubagents) return;
  for (const subpath of await transcripts.subpaths(key.sessionId)) await copy(subpath);
}

function notBlank(text: string, what: string): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new TurnwrightError('invalid_option', `${what} must not be empty.`);
  return trimmed;
}
