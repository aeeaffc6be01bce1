/**
 * Finds messages that a compaction dropped (F32). The journal keeps every message; the model receives those
 * that it asks for.
 */
import type { Tool, ToolOutput } from '../../protocol/tools/tool.ts';
import { createParser } from '../schema/from-json-schema.ts';

export const HISTORY_TOOL = 'History';

/** One message of the session; without thinking. */
export interface HistoryItem {
  readonly uuid: string;
  readonly timestamp: string;
  readonly from: 'user' | 'assistant' | 'tool';
  /** Of a tool's result. */
  readonly tool?: string | undefined;
}

export interface HistoryPort {
  /**
   * Messages that contain every word of the query, case-insensitive; the newest first. `total` counts all of
   * them.
   */
  search(
    query: string,
    options: { readonly limit: number },
  ): Promise<{
    readonly matches: readonly (HistoryItem & { readonly excerpt: string })[];
    readonly total: number;
  }>;
  /** Undefined: there is no such message. */
  read(
    uuid: string,
    options: { readonly offset: number; readonly maxChars: number },
  ): Promise<HistoryPage | undefined>;
}

interface HistoryPage extends HistoryItem {
  readonly text: string;
  readonly offset: number;
  readonly totalChars: number;
  /** The messages before and after it. */
  readonly previous?: string | undefined;
  readonly next?: string | undefined;
}

interface HistoryInput {
  readonly query?: string;
  readonly uuid?: string;
  readonly offset?: number;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 20;
/** Characters of one page: well below the limit of results. */
const PAGE_CHARS = 10_000;

const schema = {
  type: 'object',
  properties: {
    query: { type: 'string', minLength: 1, description: 'Words that all stand in the message you look for.' },
    uuid: { type: 'string', minLength: 1, description: 'A message to read, named by a search.' },
    offset: { type: 'integer', minimum: 0, description: 'With uuid: the character to read from.' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `With query: at most so many messages. Default ${DEFAULT_LIMIT}.`,
    },
  },
  additionalProperties: false,
};

export function createHistoryTool(history: HistoryPort): Tool<HistoryInput, unknown> {
  return {
    name: HISTORY_TOOL,
    inputJsonSchema: schema,
    description: () =>
      `Looks up earlier messages of this session, also those that a summary stands for now or that were cut.

- With query it searches everything that was said, called and returned, newest first; with uuid it reads one message, page by page.
- Use it for a detail that the conversation no longer shows. What can be read from a file as it is now is better read there.`,
    parse: createParser<HistoryInput>(schema),
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    effectClass: () => 'pure',
    permissionTarget: () => ({ kind: 'none' }),
    async validateInput({ query, uuid }) {
      const isOne = (query === undefined) !== (uuid === undefined);
      return isOne ? { ok: true } : { ok: false, message: 'Give either query or uuid.' };
    },
    async run({ query, uuid, offset = 0, limit = DEFAULT_LIMIT }) {
      return uuid === undefined ? search(query ?? '', limit, history) : read(uuid, offset, history);
    },
  };
}

async function search(query: string, limit: number, history: HistoryPort): Promise<ToolOutput> {
  const found = await history.search(query, { limit: Math.min(limit, MAX_LIMIT) });
  if (found.matches.length === 0)
    return { data: found, content: 'No earlier message holds all of these words.' };
  const lines = found.matches.map((match) => `${formatHeading(match)}\n${match.excerpt}`);
  const more = found.total - found.matches.length;
  const note = more > 0 ? `\n\n(${more} older messages match too: use more words.)` : '';
  return { data: found, content: lines.join('\n\n') + note };
}

async function read(uuid: string, offset: number, history: HistoryPort): Promise<ToolOutput> {
  const page = await history.read(uuid, { offset, maxChars: PAGE_CHARS });
  if (page === undefined) throw new Error(`This session has no message ${uuid}.`);
  const end = page.offset + page.text.length;
  const notes = [
    end < page.totalChars && `There is more: read on with offset ${end} (of ${page.totalChars} characters).`,
    page.previous !== undefined && `Before it: ${page.previous}.`,
    page.next !== undefined && `After it: ${page.next}.`,
  ].filter((note) => note !== false);
  return {
    data: page,
    content: [formatHeading(page), page.text, ...(notes.length > 0 ? [`(${notes.join(' ')})`] : [])].join(
      '\n',
    ),
  };
}

function formatHeading({ uuid, timestamp, from, tool }: HistoryItem): string {
  const who = from === 'tool' ? `result of ${tool ?? 'a tool'}` : from;
  return `[${uuid}] ${who}, ${timestamp}`;
}
