/**
 * The messages of a session, as a host shows them: in order, without retracted messages and without those
 * that the engine added.
 */
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { retractedIn } from '../../view/changes.ts';
import { noProblems, recordsInOrder } from '../resume/record-order.ts';

/** A recorded message of a session. */
export interface SessionMessage {
  readonly type: 'user' | 'assistant' | 'system';
  readonly uuid: string;
  readonly session_id: string;
  /** As on the wire; undefined for a system message. */
  readonly message: unknown;
  /** For a subagent's messages: the call that started it. */
  readonly parent_tool_use_id: string | null;
  /** For a subagent's messages: the subagent that started it; null for the session itself. */
  readonly parent_agent_id: string | null;
  readonly timestamp: string;
}

export interface MessagePage {
  /** Default all. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Includes compaction boundaries and notices. Default false. */
  readonly includeSystemMessages?: boolean | undefined;
}

export function listMessages(
  entries: readonly JournalEntry[],
  { limit = Number.POSITIVE_INFINITY, offset = 0, includeSystemMessages = false }: MessagePage,
  agent?: { readonly parentToolUseId: string | null; readonly parentAgentId: string | null },
): SessionMessage[] {
  const records = recordsInOrder(entries, noProblems(), { sidechain: agent !== undefined });
  const retracted = retractedIn(records);
  const messages: SessionMessage[] = [];
  for (const record of records) {
    const { type } = record;
    if (type !== 'user' && type !== 'assistant' && !(type === 'system' && includeSystemMessages)) continue;
    if (typeof record.uuid !== 'string' || retracted.has(record.uuid) || isMachinery(record)) continue;
    messages.push({
      type,
      uuid: record.uuid,
      session_id: record.sessionId,
      message: 'message' in record ? record.message : undefined,
      parent_tool_use_id: agent?.parentToolUseId ?? null,
      parent_agent_id: agent?.parentAgentId ?? null,
      timestamp: record.timestamp,
    });
  }
  return messages.slice(offset, offset + limit);
}

/** Nudges and reminders of the engine. A summary is shown, because it replaces messages. */
function isMachinery(record: JournalEntry): boolean {
  if (record.type !== 'user') return false;
  const { isSynthetic, isMeta, kind } = record as typeof record & { readonly isMeta?: unknown };
  return isMeta === true || (isSynthetic === true && kind !== 'summary');
}
