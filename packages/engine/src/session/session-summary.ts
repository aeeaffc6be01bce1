/** Metadata of a session for lists: one fold over the lines of its transcript, for files and stores alike. */
import type { JournalEntry } from '../protocol/session/journal.ts';
import type {
  SessionKey,
  SessionStoreEntry,
  SessionSummaryEntry,
} from '../protocol/session/session-store.ts';
import type { SessionOutcome } from './catalog/session-outcome.ts';
import { messageOfRecord, promptText } from './journal/message-record.ts';
import { typedWords } from './typed-words.ts';

export interface SessionInfo {
  readonly sessionId: string;
  /** Display name: the title, else the text of the first prompt. */
  readonly summary: string;
  /** ms since 1970. */
  readonly lastModified: number;
  /** Bytes; for session files only. */
  readonly fileSize?: number | undefined;
  readonly customTitle?: string | undefined;
  /** One line, at most 200 characters. */
  readonly firstPrompt?: string | undefined;
  readonly gitBranch?: string | undefined;
  /** Where the session was started. */
  readonly cwd?: string | undefined;
  readonly tag?: string | undefined;
  /** ms since 1970. */
  readonly createdAt?: number | undefined;
  /** Absent if it is not archived. */
  readonly archived?: boolean | undefined;
  /** With `withOutcome`, and for session files only. */
  readonly outcome?: SessionOutcome | undefined;
}

const PROMPT_CHARS = 200;

/** Set once, by the first entry with a value. */
interface Firsts {
  readonly isSidechain?: boolean;
  readonly createdAt?: number;
  readonly cwd?: string;
  /** What a person typed; a command only where there is nothing else. */
  readonly firstPrompt?: string;
  readonly firstCommand?: string;
  /** Field that other programs expect beside it. */
  readonly firstPromptLocked?: boolean;
  readonly entrypoint?: string;
}

/** The last entry with a value counts. */
interface Lasts {
  readonly customTitle?: string;
  readonly aiTitle?: string;
  readonly summaryHint?: string;
  readonly lastPrompt?: string;
  readonly gitBranch?: string;
  readonly tag?: string;
}

type Data = Firsts & Lasts;

/**
 * Folds entries into the summary that a store keeps beside a transcript. Pure; `mtime` is the store's own,
 * and unchanged if absent.
 */
export function foldSessionSummary(
  previous: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: readonly SessionStoreEntry[],
  options: { readonly mtime?: number | undefined } = {},
): SessionSummaryEntry {
  let data = (previous?.data ?? {}) as Data;
  for (const entry of entries) data = folded(data, entry);
  return {
    sessionId: key.sessionId,
    mtime: options.mtime ?? previous?.mtime ?? 0,
    data: data as Readonly<Record<string, unknown>>,
  };
}

function folded(data: Data, entry: SessionStoreEntry): Data {
  return { ...data, ...readLasts(entry), ...readFirsts(data, entry) };
}

function readFirsts(data: Data, entry: SessionStoreEntry): Firsts {
  const { isSidechain, timestamp, cwd, entrypoint } = entry;
  const createdAt = Date.parse(String(timestamp));
  const { words: prompt, command } = data.firstPrompt === undefined ? readTypedPrompt(entry) : {};
  return {
    ...(data.isSidechain === undefined && typeof isSidechain === 'boolean' && { isSidechain }),
    ...(data.createdAt === undefined && !Number.isNaN(createdAt) && { createdAt }),
    ...(data.cwd === undefined && typeof cwd === 'string' && cwd !== '' && { cwd }),
    ...(data.entrypoint === undefined && typeof entrypoint === 'string' && { entrypoint }),
    ...(prompt !== undefined && { firstPrompt: oneLine(prompt), firstPromptLocked: true }),
    ...(data.firstCommand === undefined && command !== undefined && { firstCommand: oneLine(command) }),
  };
}

function readLasts(entry: SessionStoreEntry): Lasts {
  const text = (field: string): string | undefined => {
    const value = entry[field];
    return typeof value === 'string' ? value : undefined;
  };
  const gitBranch = text('gitBranch');
  const branch = gitBranch === undefined || gitBranch === '' ? {} : { gitBranch };
  switch (entry.type) {
    case 'custom-title':
      return { ...branch, customTitle: text('customTitle') ?? '' };
    case 'title':
      return { ...branch, customTitle: text('title') ?? '' };
    case 'ai-title':
      return { ...branch, aiTitle: text('aiTitle') ?? '' };
    case 'summary':
      return { ...branch, summaryHint: text('summary') ?? '' };
    case 'last-prompt':
      return { ...branch, lastPrompt: lastWords(text('lastPrompt') ?? '') };
    case 'tag':
      return { ...branch, tag: text('tag') ?? '' };
    default:
      return branch;
  }
}

function lastWords(text: string): string {
  const { words, command = '' } = typedWords(text);
  return words ?? command;
}

function readTypedPrompt(entry: SessionStoreEntry): ReturnType<typeof typedWords> {
  if (entry.type !== 'user') return {};
  const record = { ...entry, v: typeof entry['v'] === 'number' ? entry['v'] : 0 };
  const message = messageOfRecord(record as unknown as JournalEntry);
  const text = message?.type === 'user' ? promptText(message) : undefined;
  return text === undefined ? {} : typedWords(text);
}

/** undefined: a sidechain, or a session without a prompt and a name. */
export function toSessionInfo(
  { sessionId, mtime, data }: SessionSummaryEntry,
  more: Pick<SessionInfo, 'fileSize' | 'archived' | 'outcome'> = {},
): SessionInfo | undefined {
  const { isSidechain, lastPrompt, customTitle, aiTitle, summaryHint, firstCommand, ...rest } = data as Data;
  const { firstPrompt = firstCommand } = rest;
  const summary = [customTitle, aiTitle, lastPrompt, summaryHint, firstPrompt].find(
    (text) => text !== undefined && text !== '',
  );
  if (isSidechain === true || summary === undefined) return undefined;
  return {
    sessionId,
    summary,
    lastModified: Math.round(mtime),
    ...(more.fileSize !== undefined && { fileSize: more.fileSize }),
    ...(customTitle !== undefined && customTitle !== '' && { customTitle }),
    ...(firstPrompt !== undefined && { firstPrompt }),
    ...(rest.gitBranch !== undefined && { gitBranch: rest.gitBranch }),
    ...(rest.cwd !== undefined && { cwd: rest.cwd }),
    ...(rest.tag !== undefined && rest.tag !== '' && { tag: rest.tag }),
    ...(rest.createdAt !== undefined && { createdAt: rest.createdAt }),
    ...(more.archived !== undefined && { archived: more.archived }),
    ...(more.outcome !== undefined && { outcome: more.outcome }),
  };
}

/** Run by another program, not by a user at a terminal. */
export function isProgrammatic({ data }: SessionSummaryEntry): boolean {
  const { entrypoint } = data as Data;
  return entrypoint !== undefined && /^sdk-|^daemon/.test(entrypoint);
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= PROMPT_CHARS ? line : `${line.slice(0, PROMPT_CHARS - 1)}…`;
}
