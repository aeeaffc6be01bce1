/** The text blocks of a content, one per line. */
export function textOfContent(content: string | readonly { readonly type: string }[]): string {
  if (typeof content === 'string') return content;
  return content
    .flatMap((block) => (block.type === 'text' && 'text' in block ? [String(block.text)] : []))
    .join('\n');
}
