/** One iteration of a journal: what its ports answered, and what the loop itself wrote. */
import type { AttachmentMessage, SystemMessage } from '../protocol/model/messages.ts';
import type { Usage } from '../protocol/model/wire.ts';
import type { JournalEntry } from '../protocol/session/journal.ts';
import { messageOfRecord } from '../session/journal/message-record.ts';
import { isMainRequest } from '../view/fold.ts';
import { resultIds } from '../view/tool-results.ts';
import type {
  EditRecord,
  RecordedAttempt,
  RecordedEntry,
  RecordedIteration,
  RecordedResult,
} from './recorded.ts';

/** Kinds of user messages that the loop writes by itself. */
export const WRITTEN_KINDS: ReadonlySet<string | undefined> = new Set([
  'nudge',
  'structured_nudge',
  'resume',
  'hook_feedback',
  'verify_feedback',
  'interruption',
]);

/** How the run was parked: recorded once the loop has ended. */
export const parkedIn = (
  own: readonly JournalEntry[],
  decided: number,
): RecordedEntry<'parked'> | undefined =>
  own.find((entry, at): entry is RecordedEntry<'parked'> => at > decided && entry.type === 'parked');

/** Messages for the user that are the loop's own. */
const OWN_NOTICES = new Set<string>([
  'api_retry',
  'model_fallback',
  'model_refusal_fallback',
  'informational',
]);

function madeBy(entry: JournalEntry): readonly string[] {
  switch (entry.type) {
    case 'retract':
      return [''];
    case 'assistant':
      return entry.synthetic === undefined ? [] : [entry.uuid];
    case 'user':
      return WRITTEN_KINDS.has(entry.kind) ? [entry.uuid] : [];
    case 'attachment':
      return entry.attachment.type === 'hook_context' ? [entry.uuid] : [];
    case 'system':
      return OWN_NOTICES.has(entry.subtype) ? [entry.uuid] : [];
    default:
      return [];
  }
}

/** A copy of a session charges nothing for what the original was charged for. */
const isUncounted = ({ input_tokens, output_tokens, ...cached }: Usage): boolean =>
  input_tokens + output_tokens === 0 &&
  (cached.cache_read_input_tokens ?? 0) + (cached.cache_creation_input_tokens ?? 0) === 0;

export function readIteration(
  entries: readonly JournalEntry[],
  decision: RecordedEntry<'decision'>,
  parked: RecordedEntry<'parked'> | undefined,
): RecordedIteration {
  const { record, told = {} } = decision;
  const attempts: RecordedAttempt[] = [];
  const results = new Map<string, RecordedResult>();
  const attachments: AttachmentMessage[] = [];
  const edits: EditRecord[] = [];
  const written: JournalEntry[] = [];
  const notices: SystemMessage[] = [];
  const consumed: string[] = [];
  let retries: SystemMessage[] = [];
  let last: RecordedResult | undefined;
  let querySource = 'main';
  for (const entry of entries) {
    if (isEdit(entry)) edits.push(entry);
    switch (entry.type) {
      case 'request': {
        if (!isMainRequest(entry)) break;
        const { model, maxTokens, attempt: number } = entry;
        querySource = entry.querySource;
        attempts.push({ model, maxTokens, number, retries, blocks: [], response: undefined });
        retries = [];
        break;
      }
      case 'response': {
        const attempt = attempts.at(-1);
        if (attempt !== undefined) attempt.response = entry;
        break;
      }
      case 'assistant': {
        const message = messageOfRecord(entry);
        if (message?.type !== 'assistant') break;
        if (message.synthetic !== undefined) written.push(entry);
        else attempts.at(-1)?.blocks.push(message);
        break;
      }
      case 'user': {
        const message = messageOfRecord(entry);
        if (message?.type !== 'user') break;
        const [id] = resultIds(message);
        if (id !== undefined) {
          last = { message, more: [] };
          if (!results.has(id)) results.set(id, last);
        } else if (WRITTEN_KINDS.has(message.kind)) written.push(entry);
        else if (last !== undefined) last.more.push(message);
        break;
      }
      case 'attachment': {
        const message = messageOfRecord(entry);
        if (message?.type !== 'attachment') break;
        if (message.attachment.type === 'hook_context') written.push(entry);
        else attachments.push(message);
        break;
      }
      case 'system':
        if (entry.subtype === 'api_retry') retries.push(entry);
        else if (attempts.length === 0) notices.push(entry);
        break;
      case 'retract':
        written.push(entry);
        break;
      case 'inbox':
        consumed.push(...entry.consumed);
    }
  }
  for (const [at, attempt] of attempts.entries()) {
    const { response } = attempt;
    const counted = record.attempts[at]?.usage ?? (at === attempts.length - 1 ? record.usage : undefined);
    if (response !== undefined && counted !== undefined && isUncounted(response.usage))
      attempt.response = { ...response, usage: counted };
  }
  return {
    number: record.iteration,
    record,
    told,
    querySource,
    attempts,
    results,
    attachments,
    consumed,
    edits,
    written,
    made: entries.flatMap(madeBy),
    notices,
    parked,
    head: told.head,
  };
}

export function isEdit(entry: JournalEntry): entry is EditRecord {
  const { type } = entry;
  return type === 'replacement' || type === 'snip' || type === 'collapse' || type === 'boundary';
}
