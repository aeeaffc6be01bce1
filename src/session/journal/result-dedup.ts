/**
 * A tool's structured result often equals the text that the model reads, or contains the same image. A large
 * one is written once: the record says where it is equal, and reading restores both (F156).
 */
import { isSameText } from '../../util/text/same-text.ts';

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const FROM_CHARS = 16 * 1024;

/** The record as written. */
export function withoutTwin(record: Fields): Fields {
  const { toolUseResult, ...rest } = record;
  if (record['type'] !== 'user' || toolUseResult === undefined) return record;
  const content = resultContent(record);
  const isTwin = toolUseResult === content || isSameText(toolUseResult, content);
  if (isTwin) return sizeOf(content) >= FROM_CHARS ? { ...rest, resultIsContent: true } : record;
  const file = fileOf(toolUseResult);
  const data = mediaIn(content);
  if (file === undefined || data === undefined || file['base64'] !== data) return record;
  const { base64: _, ...others } = file;
  return { ...rest, toolUseResult: { ...(toolUseResult as Fields), file: others }, fileIsContent: true };
}

/** The record as it was appended. */
export function withTwin(record: Fields): Fields {
  const { resultIsContent, fileIsContent, ...rest } = record;
  if (resultIsContent === true) return { ...rest, toolUseResult: resultContent(record) };
  const form = record['toolUseResult'];
  const file = fileOf(form);
  if (fileIsContent !== true || file === undefined) return record;
  const base64 = mediaIn(resultContent(record));
  return { ...rest, toolUseResult: { ...(form as Fields), file: { base64, ...file } } };
}

function resultContent({ message }: Fields): unknown {
  const content = isRecord(message) ? message['content'] : undefined;
  const [block, ...more] = Array.isArray(content) ? content : [];
  return more.length === 0 && isRecord(block) && block['type'] === 'tool_result'
    ? block['content']
    : undefined;
}

/** Characters of a text, or of blocks of text and media. */
function sizeOf(content: unknown): number {
  if (typeof content === 'string') return content.length;
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const lengths = blocks.map((block) => String(block['text'] ?? dataOf(block) ?? '').length);
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** The `file` field of Read's result. */
function fileOf(form: unknown): Fields | undefined {
  return isRecord(form) && isRecord(form['file']) ? form['file'] : undefined;
}

/** The base64 data of the first image or document. */
function mediaIn(content: unknown): string | undefined {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  return blocks.map(dataOf).find((data) => data !== undefined);
}

function dataOf({ source }: Fields): string | undefined {
  return isRecord(source) && typeof source['data'] === 'string' ? source['data'] : undefined;
}
