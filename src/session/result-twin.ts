/**
 * A tool's structured result is often the very text that the model reads. A large one stands in the journal once: the
 * record says that the two are the same, and reading gives both back.
 */
type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const FROM_CHARS = 16 * 1024;

/** The record as it is written. */
export function withoutTwin(record: Fields): Fields {
  const { toolUseResult, ...rest } = record;
  return record['type'] === 'user' && isSameText(toolUseResult, resultContent(record))
    ? { ...rest, resultIsContent: true }
    : record;
}

/** The record as it was told. */
export function withTwin(record: Fields): Fields {
  const { resultIsContent, ...rest } = record;
  return resultIsContent === true ? { ...rest, toolUseResult: resultContent(record) } : record;
}

function resultContent({ message }: Fields): unknown {
  const content = isRecord(message) ? message['content'] : undefined;
  const [block, ...more] = Array.isArray(content) ? content : [];
  return more.length === 0 && isRecord(block) && block['type'] === 'tool_result'
    ? block['content']
    : undefined;
}

function isSameText(result: unknown, content: unknown): boolean {
  if (!Array.isArray(result) || !Array.isArray(content) || result.length !== content.length) return false;
  let chars = 0;
  const isSame = result.every((each, at) => {
    const text = textOf(each);
    chars += text?.length ?? 0;
    return text !== undefined && text === textOf(content[at]);
  });
  return isSame && chars >= FROM_CHARS;
}

/** Of a block that holds a text and nothing else. */
function textOf(block: unknown): string | undefined {
  if (!isRecord(block) || block['type'] !== 'text' || Object.keys(block).length !== 2) return undefined;
  return typeof block['text'] === 'string' ? block['text'] : undefined;
}
