/** Searches the messages of a session's journal for the History tool (F32), in bounded memory. */

import type { AssistantMessage, AttachmentMessage, UserMessage } from '../../protocol/model/messages.ts';
import type { ToolResultBlock } from '../../protocol/model/wire.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { HISTORY_TOOL, type HistoryItem, type HistoryPort } from '../../tools/builtin/history.ts';
import { retractedBy } from '../../view/changes.ts';

interface Said extends HistoryItem {
  readonly text: string;
}

/** Characters around the first match. */
const EXCERPT_BEFORE = 80;
const EXCERPT_AFTER = 320;
/** Matches that are kept beyond the limit, in case the newest were retracted. */
const SPARE = 50;

export function createSessionHistory(entries: () => AsyncIterable<JournalEntry>): HistoryPort {
  return {
    async search(query, { limit }) {
      const words = query
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== '');
      const newest: (HistoryItem & { excerpt: string })[] = [];
      const retracted = new Set<string>();
      let total = 0;
      for await (const said of readMessages(entries(), (uuid) => retracted.add(uuid))) {
        const text = said.text.toLowerCase();
        if (words.length === 0 || !words.every((word) => text.includes(word))) continue;
        total += 1;
        newest.push(toMatch(said, text.indexOf(words[0] as string)));
        if (newest.length > limit + SPARE) newest.shift();
      }
      const standing = newest.filter(({ uuid }) => !retracted.has(uuid));
      const matches = standing.reverse().slice(0, limit);
      return { matches, total: total - (newest.length - standing.length) };
    },

    async read(uuid, { offset, maxChars }) {
      let found: Said | undefined;
      let previous: string | undefined;
      let next: string | undefined;
      for await (const said of readMessages(entries(), () => {})) {
        if (found !== undefined) {
          next = said.uuid;
          break;
        }
        if (said.uuid === uuid) found = said;
        else previous = said.uuid;
      }
      if (found === undefined) return undefined;
      return {
        ...found,
        text: found.text.slice(offset, offset + maxChars),
        offset,
        totalChars: found.text.length,
        previous,
        next,
      };
    },
  };
}

function toMatch({ text, ...item }: Said, at: number): HistoryItem & { excerpt: string } {
  const start = Math.max(0, at - EXCERPT_BEFORE);
  const end = Math.min(text.length, at + EXCERPT_AFTER);
  const excerpt = `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
  return { ...item, excerpt };
}

/**
 * Messages in the order of the journal, without those of the engine, thinking, and calls of the History tool.
 */
async function* readMessages(
  entries: AsyncIterable<JournalEntry>,
  onRetracted: (uuid: string) => void,
): AsyncGenerator<Said> {
  const tools = new Map<string, string>();
  for await (const entry of entries) {
    for (const uuid of retractedBy(entry)) onRetracted(uuid);
    switch (entry.type) {
      case 'rewind':
        for (const uuid of entry.uuids) onRetracted(uuid);
        break;
      case 'assistant': {
        if (entry.settled === true) break;
        for (const block of entry.message.content)
          if (block.type === 'tool_use') tools.set(String(block['id']), String(block['name']));
        const text = entry.synthetic === undefined ? answerText(entry) : '';
        if (text !== '') yield { ...stampOf(entry), from: 'assistant', text };
        break;
      }
      case 'attachment':
      case 'user':
        yield* saidByUser(entry, tools);
    }
  }
}

function* saidByUser(
  message: UserMessage | AttachmentMessage,
  tools: ReadonlyMap<string, string>,
): Generator<Said> {
  if (message.type === 'attachment') {
    if (message.attachment.type !== 'queued_command') return;
    const text = extractText(message.rendered);
    if (text !== '') yield { ...stampOf(message), from: 'user', text };
    return;
  }
  if (message.isSynthetic === true) return;
  const { content } = message.message;
  const blocks = typeof content === 'string' ? [] : content;
  const result = blocks.find((block) => block.type === 'tool_result');
  const tool = result === undefined ? undefined : tools.get(result.tool_use_id);
  if (tool === HISTORY_TOOL) return;
  const text = typeof content === 'string' ? content : extractText(blocks);
  if (text === '') return;
  if (result === undefined) yield { ...stampOf(message), from: 'user', text };
  else yield { ...stampOf(message), from: 'tool', text, tool };
}

function answerText({ message }: AssistantMessage): string {
  return message.content
    .flatMap((block) => {
      if (block.type === 'text') return [String(block['text'])];
      if (block.type !== 'tool_use' || block['name'] === HISTORY_TOOL) return [];
      return [`${String(block['name'])} ${JSON.stringify(block['input'])}`];
    })
    .join('\n');
}

function extractText(blocks: readonly { readonly type: string }[]): string {
  return blocks
    .flatMap((block): string[] => {
      if (block.type === 'text') return [(block as { readonly type: 'text'; readonly text: string }).text];
      if (block.type !== 'tool_result') return [];
      const { content } = block as ToolResultBlock;
      return [typeof content === 'string' ? content : extractText(content ?? [])];
    })
    .join('\n');
}

function stampOf({ uuid, timestamp }: Pick<HistoryItem, 'uuid' | 'timestamp'>) {
  return { uuid, timestamp };
}
