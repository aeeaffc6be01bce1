/** Text blocks of messages. */

/** Of a block that holds a text and nothing else. */
function readText(block: unknown): string | undefined {
  if (typeof block !== 'object' || block === null || Object.keys(block).length !== 2) return undefined;
  const { type, text } = block as { readonly type?: unknown; readonly text?: unknown };
  return type === 'text' && typeof text === 'string' ? text : undefined;
}

/** Whether both are the same text and nothing besides: as a string, or block by block. */
export function isSameText(one: unknown, other: unknown): boolean {
  if (typeof one === 'string') return one === other;
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((block, at) => {
    const text = readText(block);
    return text !== undefined && text === readText(other[at]);
  });
}

/**
 * A note to the model beside the prompt, as a text block. Quoted content (a file, say) cannot end it early.
 */
export function reminder(...paragraphs: readonly string[]): { readonly type: 'text'; readonly text: string } {
  const body = paragraphs.join('\n\n').replace(/<(\/?)\s*system-reminder/gi, '&lt;$1system-reminder');
  return { type: 'text', text: `<system-reminder>\n${body}\n</system-reminder>` };
}

/** The text blocks of a content, one per line. */
export function textOfContent(content: string | readonly { readonly type: string }[]): string {
  if (typeof content === 'string') return content;
  return content
    .flatMap((block) => (block.type === 'text' && 'text' in block ? [String(block.text)] : []))
    .join('\n');
}
