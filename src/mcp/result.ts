/** What a server answers to a call, as the model reads it. */
import type { ToolOutput } from '../protocol/tool.ts';
import type { ImageBlock, TextBlock } from '../protocol/wire.ts';
import { isRecord } from './server-config.ts';

/** The API takes images up to 5 MB; as base64, in characters. */
const MAX_IMAGE_CHARS = 5 * 1024 * 1024;
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Takes whatever came (F83): what has no known shape is shown as JSON. Never throws. */
export function outputOf(result: Readonly<Record<string, unknown>>): ToolOutput {
  const { content, structuredContent, _meta } = result;
  const parts = Array.isArray(content) ? content : 'toolResult' in result ? [result['toolResult']] : [];
  const blocks = parts.map(blockOf);
  if (structuredContent !== undefined && !saysTheSame(blocks, structuredContent))
    blocks.push({ type: 'text', text: asJson(structuredContent) });
  const endsTurn = isRecord(_meta) && _meta['claude/endTurn'] === true;
  return {
    data: structuredContent === undefined ? content : { content, structuredContent },
    content: blocks,
    ...(result['isError'] === true && { isError: true }),
    ...(endsTurn && { endsTurn }),
  };
}

/** One item of a result or of a prompt's message. */
export function blockOf(item: unknown): TextBlock | ImageBlock {
  if (!isRecord(item)) return text(typeof item === 'string' ? item : asJson(item));
  switch (item['type']) {
    case 'text':
      return text(String(item['text'] ?? ''));
    case 'image':
      return imageOf(item['data'], item['mimeType'], 'An image');
    case 'audio':
      return text(
        `[Audio, ${item['mimeType'] ?? 'of unknown type'}, ${size(item['data'])}: it cannot be shown.]`,
      );
    case 'resource_link': {
      const name = item['title'] ?? item['name'] ?? 'Resource';
      const about = typeof item['description'] === 'string' ? ` (${item['description']})` : '';
      return text(`${name}: ${item['uri']}${about}`);
    }
    case 'resource':
      return resourceOf(item['resource']);
    default:
      return text(asJson(item));
  }
}

/** The contents of a resource, with where they are from. */
export function resourceOf(resource: unknown): TextBlock | ImageBlock {
  if (!isRecord(resource)) return text(asJson(resource));
  const { uri, mimeType } = resource;
  if (typeof resource['text'] === 'string') return text(`From ${uri}:\n${resource['text']}`);
  if (typeof mimeType === 'string' && mimeType.startsWith('image/'))
    return imageOf(resource['blob'], mimeType, `The image ${uri}`);
  return text(
    `[${uri}, ${mimeType ?? 'of unknown type'}, ${size(resource['blob'])}: binary, it cannot be shown.]`,
  );
}

function imageOf(data: unknown, mediaType: unknown, what: string): TextBlock | ImageBlock {
  if (typeof data !== 'string' || !IMAGE_TYPES.includes(mediaType as string))
    return text(`[${what} of type ${mediaType} cannot be shown.]`);
  if (data.length > MAX_IMAGE_CHARS) return text(`[${what} of ${size(data)} is too large to be shown.]`);
  return { type: 'image', source: { type: 'base64', media_type: mediaType as string, data } };
}

/** Servers are asked to repeat structured content as text; twice is once too often. */
function saysTheSame(blocks: readonly (TextBlock | ImageBlock)[], structured: unknown): boolean {
  const json = asJson(structured);
  return blocks.some((block) => {
    if (block.type !== 'text') return false;
    if (block.text === json) return true;
    if (!/^\s*[[{]/.test(block.text)) return false;
    try {
      return asJson(JSON.parse(block.text)) === json;
    } catch {
      return false;
    }
  });
}

function text(value: string): TextBlock {
  return { type: 'text', text: value };
}

function size(base64: unknown): string {
  const bytes = typeof base64 === 'string' ? Math.floor((base64.length * 3) / 4) : 0;
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function asJson(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
