/** Replaces images and documents by a line of text that names them. */
import type { JsonObject } from '../../protocol/json.ts';
import type { UserMessage, ViewMessage } from '../../protocol/model/messages.ts';
import type { TextBlock, ToolReferenceBlock, UserBlock } from '../../protocol/model/wire.ts';
import { isMedia, listUserBlocks, type MediaBlock } from './view-media.ts';

/** Returns the file that a call used. */
export type NameOf = (toolUseId: string) => string | undefined;

/** The message with a note for each image and document; undefined if it has none. */
export function withoutMedia(
  message: ViewMessage,
  nameOf: NameOf = () => undefined,
): ViewMessage | undefined {
  return replaceMedia(message, () => 'removed to make the request fit', nameOf);
}

/**
 * The message with a note for each image and document for which `why` returns a reason; undefined if there is
 * none. `why` receives them in order, those inside tool results too.
 */
export function replaceMedia(
  message: ViewMessage,
  why: (block: MediaBlock) => string | undefined,
  nameOf: NameOf,
): ViewMessage | undefined {
  if (message.type === 'assistant') return undefined;
  let replaced = false;
  const part = <B extends UserBlock | ToolReferenceBlock>(block: B, name?: string): B | TextBlock => {
    const reason = isMedia(block) ? why(block) : undefined;
    if (reason === undefined || !isMedia(block)) return block;
    replaced = true;
    return mediaNote(block, reason, name);
  };
  const content = listUserBlocks(message).map((block): UserBlock => {
    if (block.type !== 'tool_result') return part(block);
    if (block.content === undefined || typeof block.content === 'string') return block;
    const name = nameOf(block.tool_use_id);
    return { ...block, content: block.content.map((inner) => part(inner, name)) };
  });
  return replaced ? withContent(message, content) : undefined;
}

export function withContent(
  message: Exclude<ViewMessage, { type: 'assistant' }>,
  content: readonly UserBlock[],
): ViewMessage {
  if (message.type === 'attachment') return Object.freeze({ ...message, rendered: content });
  const changed: UserMessage = { ...message, message: { ...message.message, content } };
  return Object.freeze(changed);
}

/** The file of each call, if its input names one. */
export function fileNames(messages: readonly ViewMessage[]): NameOf {
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.type !== 'assistant') continue;
    for (const block of message.message.content) {
      if (block.type !== 'tool_use') continue;
      const { file_path: file, path = file } = block.input as JsonObject;
      if (typeof path === 'string') names.set(String(block.id), path);
    }
  }
  return (id) => names.get(id);
}

/** `[image removed …: shots/one.png, image/png, 3 KB]` */
export function mediaNote(block: MediaBlock, reason: string, name?: string): TextBlock {
  const source: JsonObject = block.source;
  const data = typeof source['data'] === 'string' ? source['data'] : undefined;
  const title = block.type === 'document' ? block.title : undefined;
  const described = [
    name ?? title ?? [source['url'], source['file_id']].find((place) => typeof place === 'string'),
    typeof source['media_type'] === 'string' ? source['media_type'] : undefined,
    data !== undefined ? `${Math.ceil((data.length * 0.75) / 1024)} KB` : undefined,
  ].filter((part) => part !== undefined);
  return { type: 'text', text: `[${block.type} ${reason}: ${described.join(', ') || 'unnamed'}]` };
}
