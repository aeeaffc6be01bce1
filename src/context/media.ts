/** Images and documents as a line of text that names them. */
import type { JsonObject } from '../protocol/json.ts';
import type { ViewMessage } from '../protocol/messages.ts';
import type { DocumentBlock, ImageBlock, TextBlock, UserBlock } from '../protocol/wire.ts';

/** The message with a note for each image and document; undefined when it holds none. `nameOf` knows a call's file. */
export function withoutMedia(
  message: ViewMessage,
  nameOf: (toolUseId: string) => string | undefined = () => undefined,
): ViewMessage | undefined {
  if (message.type === 'assistant') return undefined;
  const content = message.type === 'attachment' ? message.rendered : message.message.content;
  if (typeof content === 'string' || !content.some(holdsMedia)) return undefined;
  const replaced = content.map((block) => blockWithoutMedia(block, nameOf));
  return Object.freeze(
    message.type === 'attachment'
      ? { ...message, rendered: replaced }
      : { ...message, message: { ...message.message, content: replaced } },
  );
}

function holdsMedia(block: UserBlock): boolean {
  if (block.type === 'image' || block.type === 'document') return true;
  return block.type === 'tool_result' && Array.isArray(block.content) && block.content.some(holdsMedia);
}

function blockWithoutMedia(block: UserBlock, nameOf: (toolUseId: string) => string | undefined): UserBlock {
  if (block.type === 'text') return block;
  if (block.type !== 'tool_result') return note(block);
  if (typeof block.content === 'string' || block.content === undefined) return block;
  const name = nameOf(block.tool_use_id);
  return {
    ...block,
    content: block.content.map((inner) => (inner.type === 'text' ? inner : note(inner, name))),
  };
}

function note(block: ImageBlock | DocumentBlock, name?: string): TextBlock {
  const source: JsonObject = block.source;
  const data = typeof source['data'] === 'string' ? source['data'] : undefined;
  const title = block.type === 'document' ? block.title : undefined;
  const described = [
    name ?? title ?? (typeof source['url'] === 'string' ? source['url'] : undefined),
    typeof source['media_type'] === 'string' ? source['media_type'] : undefined,
    data !== undefined ? `${Math.ceil((data.length * 0.75) / 1024)} KB` : undefined,
  ].filter((part) => part !== undefined);
  return {
    type: 'text',
    text: `[${block.type} removed to make the request fit: ${described.join(', ') || 'unnamed'}]`,
  };
}
