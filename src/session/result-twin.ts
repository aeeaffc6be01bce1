/**
 * A tool's structured result is often the very text that the model reads. A large one stands in the journal once: the
 * record says that the two are the same, and reading gives both back.
 */
import { isSameText } from '../util/same-text.ts';

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const FROM_CHARS = 16 * 1024;

/** The record as it is written. */
export function withoutTwin(record: Fields): Fields {
  const { toolUseResult, ...rest } = record;
  if (record['type'] !== 'user' || toolUseResult === undefined) return record;
  const content = resultContent(record);
  return isSameText(toolUseResult, content) && isLarge(content) ? { ...rest, resultIsContent: true } : record;
}

/** The record as it was told. */
export function withTwin(record: Fields): Fields {
  if (record['resultIsContent'] !== true) return record;
  const { resultIsContent: _, ...rest } = record;
  return { ...rest, toolUseResult: resultContent(record) };
}

function resultContent({ message }: Fields): unknown {
  const content = isRecord(message) ? message['content'] : undefined;
  const [block, ...more] = Array.isArray(content) ? content : [];
  return more.length === 0 && isRecord(block) && block['type'] === 'tool_result'
    ? block['content']
    : undefined;
}

/** Of a text, or of blocks of text. */
function isLarge(content: unknown): boolean {
  if (typeof content === 'string') return content.length >= FROM_CHARS;
  const lengths = (content as readonly { readonly text: string }[]).map(({ text }) => text.length);
  return lengths.reduce((sum, length) => sum + length, 0) >= FROM_CHARS;
}
