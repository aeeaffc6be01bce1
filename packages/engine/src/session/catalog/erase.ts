/**
 * Erases a text from everything that a session stores. Records stay in place, so that the conversation
 * remains complete; `[erased]` replaces the text, in later requests as well.
 */

import { isSameList } from '@turnwright/base/collections/made-once.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { SessionStoreEntry } from '../../protocol/session/session-store.ts';
import { type Erasure, parseAgentId, type Transcripts } from './transcripts.ts';

const ERASED = '[erased]';

/** What to erase: the content of a message, or a text wherever it occurs. Exactly one of the two fields. */
export interface EraseRequest {
  /** Erases the complete content of this message, here and where other records repeat it. */
  readonly messageId?: string | undefined;
  /** Erases this text wherever it occurs, literally. At least four characters. */
  readonly text?: string | undefined;
}

/**
 * The number of records that were changed. Rejects with `session_not_found`, with `session_in_use` while a
 * process works on the session, and with `invalid_option` for a message that it does not have, or a store
 * that cannot delete.
 */
export async function eraseFromTranscripts(
  transcripts: Transcripts,
  sessionId: string,
  request: EraseRequest,
): Promise<number> {
  const { messageId, text } = request;
  if ((messageId === undefined) === (text === undefined))
    throw new TurnwrightError('invalid_option', 'Name either a message or a text that is to be erased.');
  if (text !== undefined && text.length < SHORTEST)
    throw new TurnwrightError(
      'invalid_option',
      `A text of fewer than ${SHORTEST} characters occurs in too many words to be erased.`,
    );
  const texts =
    text === undefined ? await readMessageTexts(transcripts, sessionId, String(messageId)) : [text];
  return transcripts.rewrite(sessionId, createErasure(texts, messageId));
}

const SHORTEST = 4;
/** Shorter parts of a message are erased only where they are a complete text, not inside another one. */
const SHORTEST_PART = 8;

async function readMessageTexts(
  transcripts: Transcripts,
  sessionId: string,
  messageId: string,
): Promise<readonly string[]> {
  const subpaths = [undefined, ...(await transcripts.subpaths(sessionId))];
  let isSession = false;
  for (const subpath of subpaths) {
    const lines = await transcripts.lines(sessionId, subpath);
    isSession ||= lines !== undefined;
    const record = lines?.find(({ uuid }) => uuid === messageId);
    if (record !== undefined) return saidBy(record['message']);
  }
  if (!isSession) throw new TurnwrightError('session_not_found', `There is no session ${sessionId}.`);
  const agents = subpaths.flatMap((subpath) => (subpath && parseAgentId(subpath)) ?? []).length;
  const where = agents === 0 ? '' : `, nor one of its ${agents} agents,`;
  throw new TurnwrightError('invalid_option', `Session ${sessionId}${where} has no message ${messageId}.`);
}

/** Every text of a message: text blocks, tool inputs and results, images. */
function saidBy(message: unknown): readonly string[] {
  const content = isRecord(message) ? message['content'] : undefined;
  if (typeof content === 'string') return content === '' ? [] : [content];
  if (!Array.isArray(content)) return [];
  const said = (value: unknown): readonly string[] => {
    if (typeof value === 'string') return value === '' ? [] : [value];
    if (Array.isArray(value)) return value.flatMap(said);
    return isRecord(value) ? Object.values(value).flatMap(said) : [];
  };
  return content.flatMap((block) => {
    if (!isRecord(block)) return [];
    const { text, thinking, input, content: inner, source } = block;
    return [text, thinking, input, inner, isRecord(source) ? source['data'] : undefined].flatMap(said);
  });
}

function createErasure(texts: readonly string[], messageId: string | undefined): Erasure {
  const whole = new Set(texts);
  // The longest first: a part of it must not be erased alone.
  const parts = texts
    .filter((text) => messageId === undefined || text.length >= SHORTEST_PART)
    .sort((a, b) => b.length - a.length)
    .flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  const text = (value: string): string => {
    if (whole.has(value)) return ERASED;
    return parts.reduce((rest, part) => rest.replaceAll(part, ERASED), value);
  };
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return keepSame(value, value.flatMap(walkItem));
    if (!isRecord(value)) return value;
    let changed = false;
    const fields = Object.entries(value).map(([key, each]) => {
      const now = key === 'lastPrompt' ? walkBeginning(each) : walk(each);
      changed ||= now !== each;
      return [key, now] as const;
    });
    return changed ? Object.fromEntries(fields) : value;
  };
  /** A signature covers the thinking: a changed block would be refused. An image cannot be changed either. */
  const walkItem = (item: unknown): readonly unknown[] => {
    const now = walk(item);
    if (now === item || !isRecord(item)) return [now];
    if (item['type'] === 'thinking') return [];
    return item['type'] === 'image' || item['type'] === 'document' ? [{ type: 'text', text: ERASED }] : [now];
  };
  /** It may be truncated. */
  const walkBeginning = (value: unknown): unknown => {
    const beginning = typeof value === 'string' ? value.replace(/\u2026$/, '') : '';
    return beginning !== '' && texts.some((each) => each.startsWith(beginning)) ? ERASED : walk(value);
  };
  return {
    text,
    record(record) {
      const walked = walk(record) as SessionStoreEntry;
      return messageId !== undefined && record.uuid === messageId ? emptied(walked) : walked;
    },
  };
}

/** A message must not be empty. */
function emptied(record: SessionStoreEntry): SessionStoreEntry {
  const message = record['message'];
  if (!isRecord(message) || !Array.isArray(message['content']) || message['content'].length > 0)
    return record;
  return { ...record, message: { ...message, content: [{ type: 'text', text: ERASED }] } };
}

function keepSame(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  return isSameList(before, after) ? before : after;
}
