/**
 * The messages of a session, as a host shows them: in order, without retracted messages and without those
 * that the engine added.
 */
import type { PromptAttachment } from '../../protocol/model/attachment.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { TASK_NOTICE } from '../../protocol/tools/task.ts';
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
  /**
   * Includes what a prompt brought along (`PromptAttachment`), as system messages behind it whose `message`
   * is `{ attachment }`. Default false.
   */
  readonly includeAttachments?: boolean | undefined;
}

export function listMessages(
  entries: readonly JournalEntry[],
  page: MessagePage,
  agent?: { readonly parentToolUseId: string | null; readonly parentAgentId: string | null },
): SessionMessage[] {
  const { limit = Number.POSITIVE_INFINITY, offset = 0 } = page;
  const records = recordsInOrder(entries, noProblems(), { sidechain: agent !== undefined });
  const retracted = retractedIn(records);
  const messages: SessionMessage[] = [];
  for (const record of records) {
    const joined = joinedPrompt(record);
    const type = joined === undefined ? shownType(record, page) : 'user';
    const { uuid } = record as { readonly uuid?: unknown };
    if (type === undefined || typeof uuid !== 'string' || retracted.has(uuid) || isMachinery(record))
      continue;
    messages.push({
      type,
      uuid,
      session_id: record.sessionId,
      message: joined ?? ('message' in record ? record.message : attachmentIn(record)),
      parent_tool_use_id: agent?.parentToolUseId ?? null,
      parent_agent_id: agent?.parentAgentId ?? null,
      timestamp: record.timestamp,
    });
  }
  return messages.slice(offset, offset + limit);
}

function shownType(
  record: JournalEntry,
  { includeSystemMessages = false, includeAttachments = false }: MessagePage,
): SessionMessage['type'] | undefined {
  const { type } = record;
  if (type === 'user' || type === 'assistant') return type;
  if (type === 'system') return includeSystemMessages ? type : undefined;
  return includeAttachments && attachmentIn(record) !== undefined ? 'system' : undefined;
}

const BROUGHT = new Set<unknown>([
  'file',
  'agent_mention',
  'mcp_resource',
] satisfies PromptAttachment['type'][]);

/** A person's prompt that joined a running turn, as a message; undefined: the record is none. */
function joinedPrompt(
  record: JournalEntry,
): { readonly role: 'user'; readonly content: unknown } | undefined {
  const { attachment } = record as {
    readonly attachment?: { type?: unknown; prompt?: unknown; origin?: { kind?: unknown } };
  };
  if (record.type !== 'attachment' || attachment?.type !== 'queued_command') return undefined;
  if (attachment.origin?.kind === TASK_NOTICE || attachment.prompt === undefined) return undefined;
  return { role: 'user', content: attachment.prompt };
}

function attachmentIn(record: JournalEntry): { readonly attachment: unknown } | undefined {
  const { attachment } = record as { readonly attachment?: { readonly type?: unknown } };
  return record.type === 'attachment' && BROUGHT.has(attachment?.type) ? { attachment } : undefined;
}

/** Nudges and reminders of the engine. A summary is shown, because it replaces messages. */
function isMachinery(record: JournalEntry): boolean {
  if (record.type !== 'user') return false;
  const { isSynthetic, isMeta, kind } = record as typeof record & { readonly isMeta?: unknown };
  return isMeta === true || (isSynthetic === true && kind !== 'summary');
}
