/** A tool result that was too large, as the model sees it. */

export const PREVIEW_BYTES = 2_048;

const utf8 = new TextEncoder();

/** Where the whole text is, or why it is nowhere. */
export type FullText =
  | { readonly kind: 'spilled'; readonly path: string }
  | { readonly kind: 'source'; readonly path: string }
  | { readonly kind: 'lost'; readonly why: string };

/** Names file and size and shows the beginning; at most 2 KB, and the same for the same input. */
export function resultPreview(text: string, full: FullText): string {
  const size = `${text.length.toLocaleString('en-US')} characters`;
  const head = `[This result is ${size} long. ${whereabouts(full)} It begins:]\n`;
  const foot = '\n[…]';
  const room = PREVIEW_BYTES - utf8.encode(head + foot).length;
  return head + beginning(text, Math.max(0, room)) + foot;
}

function whereabouts(full: FullText): string {
  switch (full.kind) {
    case 'spilled':
      return `All of it is in ${full.path}.`;
    case 'source':
      return `It came from ${full.path}: read the part that is needed from there.`;
    case 'lost':
      return `The rest could not be kept (${full.why}).`;
  }
}

/** The longest beginning that fits into so many bytes of UTF-8; ends with a line where that loses little. */
function beginning(text: string, bytes: number): string {
  const { read } = utf8.encodeInto(text, new Uint8Array(bytes));
  const cut = text.slice(0, read);
  const line = cut.lastIndexOf('\n');
  return line > cut.length / 2 ? cut.slice(0, line) : cut;
}
