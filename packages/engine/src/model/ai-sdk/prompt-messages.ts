/** Turns as the AI SDK's prompt messages. */

import type { ConversationTurn } from '../../protocol/model/provider-wire.ts';
import type {
  AssistantBlock,
  DocumentBlock,
  ImageBlock,
  TextBlock,
  ToolResultBlock,
  UserBlock,
} from '../../protocol/model/wire.ts';
import { type Fields, fieldsIn } from '../openai/fields.ts';
import { renderResultText, resultMedia, selectParts } from '../openai/parts.ts';
import { keptIn } from '../vendor-reasoning.ts';

/** What is kept of an answer's parts. */
export interface KeptPart {
  /** Of a reasoning part, whose text is the block's. */
  readonly reasoning?: { readonly metadata?: Fields };
  /** Of the text or call behind the block. */
  readonly next?: Fields;
}

interface PromptForm {
  readonly origin: string;
  /** Of the specification: 2, 3 or 4. */
  readonly version: number;
}

type Media = ImageBlock | DocumentBlock;

export function promptMessages(turns: readonly ConversationTurn[], form: PromptForm): readonly Fields[] {
  const names = new Map<string, string>();
  return turns.flatMap(({ role, blocks }) => {
    if (role === 'assistant') return [answer(blocks as readonly AssistantBlock[], form, names)];
    return userSide(blocks as readonly UserBlock[], form, names);
  });
}

function answer(
  blocks: readonly AssistantBlock[],
  { origin }: PromptForm,
  names: Map<string, string>,
): Fields {
  const content: Fields[] = [];
  let next: Fields | undefined;
  const withNext = (part: Fields): Fields => {
    const options = next;
    next = undefined;
    return options === undefined ? part : { ...part, providerOptions: options };
  };
  for (const block of blocks) {
    switch (block.type) {
      case 'thinking': {
        const kept = fieldsIn(keptIn(block.signature, origin)) as KeptPart | undefined;
        if (kept?.reasoning !== undefined) {
          const { metadata } = kept.reasoning;
          content.push({
            type: 'reasoning',
            text: block.thinking,
            ...(metadata !== undefined && { providerOptions: metadata }),
          });
        }
        next = kept?.next ?? next;
        break;
      }
      case 'text':
        content.push(withNext({ type: 'text', text: block.text }));
        break;
      case 'tool_use':
        names.set(block.id, block.name);
        content.push(
          withNext({ type: 'tool-call', toolCallId: block.id, toolName: block.name, input: block.input }),
        );
    }
  }
  return { role: 'assistant', content };
}

function userSide(
  blocks: readonly UserBlock[],
  { version }: PromptForm,
  names: ReadonlyMap<string, string>,
): Fields[] {
  const results = blocks.filter((block): block is ToolResultBlock => block.type === 'tool_result');
  // Not in the result: many packages write what is no text there as JSON.
  const apart = results.flatMap((result) => attached(result, version));
  const content = [...apart, ...selectParts(blocks).map((part) => toPromptPart(part, version))];
  const messages: Fields[] = [];
  if (results.length > 0)
    messages.push({
      role: 'tool',
      content: results.map((result) => ({
        type: 'tool-result',
        toolCallId: result.tool_use_id,
        toolName: names.get(result.tool_use_id) ?? 'unknown',
        output: output(result),
      })),
    });
  if (content.length > 0) messages.push({ role: 'user', content });
  return messages;
}

function attached(result: ToolResultBlock, version: number): Fields[] {
  const media = resultMedia(result);
  if (media.length === 0) return [];
  const text = `Attached to the result of call ${result.tool_use_id}:`;
  return [{ type: 'text', text }, ...media.map((part) => toPromptPart(part, version))];
}

function output(result: ToolResultBlock): Fields {
  const type = result.is_error === true ? 'error-text' : 'text';
  return { type, value: renderResultText({ ...result, is_error: false }) };
}

function toPromptPart(part: TextBlock | Media, version: number): Fields {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'document' && part.source['type'] === 'text')
    return { type: 'text', text: String(part.source['data']) };
  const { data, mediaType, url } = readSource(part);
  const file = {
    type: 'file',
    mediaType,
    ...(part.type === 'document' && part.title && { filename: part.title }),
  };
  if (data !== undefined) return { ...file, data: version >= 4 ? { type: 'data', data } : data };
  if (url === undefined) return { type: 'text', text: `[${part.type} left out: it has no content]` };
  return { ...file, data: version >= 4 ? { type: 'url', url: new URL(url) } : new URL(url) };
}

function readSource(part: Media): {
  readonly data?: string;
  readonly url?: string;
  readonly mediaType: string;
} {
  const source = part.source as Fields;
  const otherwise = part.type === 'image' ? 'image/*' : 'application/pdf';
  const mediaType = typeof source['media_type'] === 'string' ? source['media_type'] : otherwise;
  if (typeof source['data'] === 'string') return { data: source['data'], mediaType };
  return typeof source['url'] === 'string' ? { url: source['url'], mediaType } : { mediaType };
}
