/** Converts records to messages of the view: own records as written, those of other programs by field. */

import { isRecord } from '@turnwright/base/json-values.ts';
import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type {
  AssistantMessage,
  AttachmentMessage,
  UserMessage,
  ViewMessage,
} from '../../protocol/model/messages.ts';
import {
  type AssistantBlock,
  EMPTY_USAGE,
  type StopReason,
  type Usage,
  type UserBlock,
} from '../../protocol/model/wire.ts';
import type { JournalBody, JournalEntry } from '../../protocol/session/journal.ts';

type Fields = Readonly<Record<string, unknown>>;

/** undefined: the record does not have the shape of a message (it is skipped and counted). Frozen. */
export function messageOfRecord(entry: JournalEntry): ViewMessage | undefined {
  const record = entry as unknown as Fields;
  if (typeof record['uuid'] !== 'string') return undefined;
  const message = entry.v === 0 ? fromTranscript(record) : fromJournal(record);
  return message === undefined ? undefined : Object.freeze(message);
}

/** The text of a prompt; undefined for tool results and messages of the engine. */
export function promptText(message: UserMessage): string | undefined {
  if (message.isSynthetic === true || (message.kind !== undefined && message.kind !== 'prompt'))
    return undefined;
  const { content } = message.message;
  if (typeof content !== 'string' && content.some((block) => block.type === 'tool_result')) return undefined;
  return textOfContent(content);
}

function fromJournal(record: Fields): ViewMessage | undefined {
  const { v, seq, epoch, sessionId, cwd, parentUuid, submission, iteration, isSidechain, settled, ...body } =
    record;
  if (record['type'] === 'attachment') {
    if (!isRecord(record['attachment'])) return undefined;
    return { ...body, rendered: userBlocks(record['rendered']) ?? [] } as unknown as AttachmentMessage;
  }
  const wire = record['message'];
  if (!isRecord(wire)) return undefined;
  const content = record['type'] === 'user' ? userContent(wire['content']) : assistantBlocks(wire['content']);
  if (content === undefined) return undefined;
  const message = content === wire['content'] ? wire : { ...wire, content };
  return { ...body, message } as unknown as ViewMessage;
}

function fromTranscript(record: Fields): ViewMessage | undefined {
  const stamp = { uuid: String(record['uuid']), timestamp: String(record['timestamp']) };
  switch (record['type']) {
    case 'user':
      return transcriptUser(record, stamp);
    case 'assistant':
      return transcriptAssistant(record, stamp);
    case 'attachment':
      return transcriptAttachment(record, stamp);
    default:
      return undefined;
  }
}

interface Stamp {
  readonly uuid: string;
  readonly timestamp: string;
}

function transcriptUser(record: Fields, stamp: Stamp): UserMessage | undefined {
  const content = isRecord(record['message']) ? userContent(record['message']['content']) : undefined;
  if (content === undefined) return undefined;
  const source = record['sourceToolAssistantUUID'];
  return {
    ...stamp,
    type: 'user',
    message: { role: 'user', content },
    ...(record['isMeta'] === true || record['isCompactSummary'] === true ? { isSynthetic: true } : {}),
    ...(record['isCompactSummary'] === true ? { kind: 'summary' as const } : {}),
    ...(record['toolUseResult'] === undefined ? {} : { toolUseResult: record['toolUseResult'] }),
    ...(typeof source === 'string' ? { sourceAssistantUuid: source } : {}),
  };
}

function transcriptAssistant(record: Fields, stamp: Stamp): AssistantMessage | undefined {
  const wire = record['message'];
  if (!isRecord(wire)) return undefined;
  const content = assistantBlocks(
    typeof wire['content'] === 'string' ? [{ type: 'text', text: wire['content'] }] : wire['content'],
  );
  if (content === undefined) return undefined;
  const model = typeof wire['model'] === 'string' ? wire['model'] : 'unknown';
  return {
    ...stamp,
    type: 'assistant',
    message: {
      id: typeof wire['id'] === 'string' ? wire['id'] : stamp.uuid,
      type: 'message',
      role: 'assistant',
      model,
      content,
      stop_reason: (wire['stop_reason'] as StopReason | null | undefined) ?? null,
      stop_sequence: (wire['stop_sequence'] as string | null | undefined) ?? null,
      usage: isRecord(wire['usage']) ? { ...EMPTY_USAGE, ...(wire['usage'] as Partial<Usage>) } : EMPTY_USAGE,
    },
    ...(typeof record['requestId'] === 'string' ? { requestId: record['requestId'] } : {}),
    ...(record['isApiErrorMessage'] === true || model === '<synthetic>'
      ? { synthetic: { error: 'unknown' as const } }
      : {}),
  };
}

function transcriptAttachment(record: Fields, stamp: Stamp): AttachmentMessage | undefined {
  const { attachment, rendered } = record;
  if (!isRecord(attachment)) return undefined;
  const text =
    typeof rendered === 'string' && rendered !== '' ? [{ type: 'text' as const, text: rendered }] : undefined;
  const type = typeof attachment['type'] === 'string' ? attachment['type'] : 'unknown';
  return {
    ...stamp,
    type: 'attachment',
    attachment: { ...attachment, type },
    rendered: text ?? userBlocks(rendered) ?? [],
  };
}

function userContent(content: unknown): string | readonly UserBlock[] | undefined {
  return typeof content === 'string' ? content : userBlocks(content);
}

const userBlocks = (content: unknown): readonly UserBlock[] | undefined =>
  wellFormed(content) as readonly UserBlock[] | undefined;

const assistantBlocks = (content: unknown): readonly AssistantBlock[] | undefined =>
  wellFormed(content) as readonly AssistantBlock[] | undefined;

/** The blocks that a request can contain; the same array if all can. */
function wellFormed(content: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(content)) return undefined;
  if (content.every((block) => repaired(block) === block)) return content;
  return content.map(repaired).filter((block) => block !== undefined);
}

function repaired(block: unknown): unknown {
  if (!isRecord(block)) return undefined;
  switch (block['type']) {
    case 'text':
      return typeof block['text'] === 'string' ? block : undefined;
    case 'thinking':
      return typeof block['thinking'] === 'string' && typeof block['signature'] === 'string'
        ? block
        : undefined;
    case 'tool_use':
      if (typeof block['id'] !== 'string' || typeof block['name'] !== 'string') return undefined;
      return isRecord(block['input']) ? block : { ...block, input: {} };
    case 'tool_result':
      return typeof block['tool_use_id'] === 'string' ? block : undefined;
    default:
      return typeof block['type'] === 'string' ? block : undefined;
  }
}

/** Identity of a record that is appended, or read, again. */
export function recordIdentity(body: JournalBody): string {
  if (!('uuid' in body)) return body.id;
  return isSettled(body) ? `${body.uuid}/settled` : body.uuid;
}

/** A block that is recorded again, with the usage of its response. */
export function isSettled(body: JournalBody): body is Extract<JournalBody, { type: 'assistant' }> {
  return body.type === 'assistant' && body.settled === true;
}
