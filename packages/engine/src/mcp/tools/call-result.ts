/** Converts a server's result for the model and for consumers. */

import { isDeepStrictEqual } from 'node:util';
import { readJson } from '@turnwright/base/bounded-json.ts';
import { imageHeader } from '@turnwright/base/files/image-header.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { ImageBlock, TextBlock } from '../../protocol/model/wire.ts';
import type { ToolContext, ToolOutput } from '../../protocol/tools/tool.ts';

type Fields = Readonly<Record<string, unknown>>;
type Block = TextBlock | ImageBlock;

/** The API's limit for images, as characters of base64. */
const MAX_IMAGE_CHARS = 5 * 1024 * 1024;
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** File extensions by media type, where the subtype is none. */
const ENDINGS: Readonly<Record<string, string>> = {
  'text/plain': 'txt',
  'audio/mpeg': 'mp3',
  'image/svg+xml': 'svg',
};

interface ResultPlace {
  /** Configured name of the server. */
  readonly server: string;
  /** Name of the tool that the model uses. */
  readonly tool: string;
  /**
   * Stores a file with the session's results; returns its path, or undefined on failure. Absent: nothing is
   * stored.
   */
  readonly keep?: ((bytes: Uint8Array, ending: string) => Promise<string | undefined>) | undefined;
}

/** Files of this call are stored with the session's results. */
export function createFileKeeper(context: ToolContext): NonNullable<ResultPlace['keep']> {
  let count = 0;
  return async (bytes, ending) => {
    try {
      const path = await context.spillFile(`mcp-${context.toolUseId}-${++count}.${ending}`);
      await context.files.writeAtomic(path, bytes, { mode: 0o600 });
      return path;
    } catch {
      return undefined;
    }
  };
}

/**
 * Accepts any value (F83): unknown shapes are shown as JSON. Structured content replaces text that it
 * contains. Never rejects.
 */
export async function toToolOutput(result: Fields, place: ResultPlace): Promise<ToolOutput> {
  const { content, structuredContent, _meta } = result;
  const parts = Array.isArray(content) ? content : 'toolResult' in result ? [result['toolResult']] : [];
  const blocks = (await Promise.all(parts.map((part) => toBlocks(part, place)))).flat();
  if (result['isError'] === true) {
    const said = textOfContent(structuredContent === undefined ? blocks : beside(blocks, structuredContent));
    const text = said.trim() === '' ? `${place.tool} failed and did not say why.` : said;
    return { data: text, content: text, isError: true, serverError: toServerError(result) };
  }
  const shown = structuredContent === undefined ? blocks : structured(blocks, structuredContent);
  const resourceLinks = parts.flatMap((part) =>
    isRecord(part) && part['type'] === 'resource_link' ? [withoutType(part)] : [],
  );
  const more = {
    ...(_meta !== undefined && { _meta }),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(resourceLinks.length > 0 && { resourceLinks }),
  };
  return {
    data: Object.keys(more).length === 0 ? shown : { content: shown, ...more },
    content: shown.length === 0 ? `(${place.tool} completed with no output)` : shown,
    ...(isRecord(_meta) && _meta['claude/endTurn'] === true && { endsTurn: true }),
  };
}

/** Of a failed call, without what only a model could look at. */
function toServerError({ content, structuredContent, _meta }: Fields): JsonObject {
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  return {
    content: parts
      .filter(({ type }) => type === 'text' || type === 'resource_link')
      .map(({ icons: _, ...part }) => part),
    ...(structuredContent !== undefined && { structuredContent }),
    ...(isRecord(_meta) && { _meta }),
  } as JsonObject;
}

/** Text for the model for a result in the form that consumers receive, for a hook that supplies one. */
export function renderCallResult(data: unknown): ToolOutput['content'] | undefined {
  const content = isRecord(data) ? data['content'] : undefined;
  if (typeof content === 'string') return content;
  return Array.isArray(content) &&
    content.every((block) => isRecord(block) && typeof block['type'] === 'string')
    ? content
    : undefined;
}

/** One item of a prompt's message. */
export async function toPromptBlock(item: unknown, server: string): Promise<Block> {
  const [block = text('')] = await toBlocks(item, { server, tool: '' });
  return block;
}

/** Contents of a resource other than text. */
export function toResourceBlocks(resource: unknown, place: ResultPlace): Promise<readonly Block[]> {
  return toBlocks({ type: 'resource', resource }, place);
}

function structured(blocks: readonly Block[], content: unknown): string | readonly Block[] {
  const all = beside(blocks, content);
  return all.length === 1 ? asJson(content) : all;
}

/** What the structured content does not contain, then that content. */
function beside(blocks: readonly Block[], content: unknown): readonly Block[] {
  const isNew = (block: Block) => block.type !== 'text' || !contains(content, block.text.trim());
  return [...blocks.filter(isNew), text(asJson(content))];
}

/** The text is within one of its texts, or is one of its values as JSON. */
function contains(content: unknown, said: string): boolean {
  const value = readJson(said);
  const isSaid = (part: unknown): boolean =>
    said === '' ||
    (typeof part === 'string' && part.includes(said)) ||
    (value !== undefined && isDeepStrictEqual(part, value)) ||
    (typeof part === 'object' && part !== null && Object.values(part).some(isSaid));
  return isSaid(content);
}

async function toBlocks(item: unknown, place: ResultPlace): Promise<readonly Block[]> {
  if (!isRecord(item)) return [text(typeof item === 'string' ? item : asJson(item))];
  switch (item['type']) {
    case 'text':
      return [text(String(item['text'] ?? ''))];
    case 'image':
      return toImageBlocks(item['data'], item['mimeType'], 'An image', place);
    case 'audio':
      return [await toBinaryBlock(item['data'], item['mimeType'], `Audio from ${place.server}`, place)];
    case 'resource_link': {
      const about = typeof item['description'] === 'string' ? ` (${item['description']})` : '';
      return [text(`[Resource link: ${item['name'] ?? item['title'] ?? 'Resource'}] ${item['uri']}${about}`)];
    }
    case 'resource':
      return embedded(item['resource'], place);
    default:
      return [text(asJson(item))];
  }
}

/** The contents of a resource, with their source. */
async function embedded(resource: unknown, place: ResultPlace): Promise<readonly Block[]> {
  if (!isRecord(resource)) return [text(asJson(resource))];
  const { uri, mimeType, blob } = resource;
  const from = `Resource from ${place.server} at ${uri}`;
  if (typeof resource['text'] === 'string') return [text(`[${from}] ${resource['text']}`)];
  if (typeof mimeType === 'string' && /^image\//i.test(mimeType))
    return [text(`[${from}]`), ...(await toImageBlocks(blob, mimeType, `The image ${uri}`, place))];
  return [await toBinaryBlock(blob, mimeType, from, place)];
}

/** With the stored file, so that other tools can use it. */
async function toImageBlocks(
  data: unknown,
  declared: unknown,
  what: string,
  place: ResultPlace,
): Promise<readonly Block[]> {
  if (typeof data !== 'string') return [text(`[${what} of type ${declared} cannot be shown.]`)];
  // The API refuses an image under another type than its own.
  const mediaType =
    imageHeader(data)?.mediaType ?? IMAGE_TYPES.find((type) => type === String(declared).toLowerCase());
  if (mediaType === undefined) return [await toBinaryBlock(data, declared, what, place)];
  const path = await place.keep?.(Buffer.from(data, 'base64'), pickExtension(mediaType));
  if (data.length > MAX_IMAGE_CHARS) {
    const where = path === undefined ? '' : ` It is saved to ${path}`;
    return [text(`[${what} of ${size(data)} is too large to be shown.${where}]`)];
  }
  const image: ImageBlock = { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
  return path === undefined ? [image] : [image, text(`[Image: source: ${path}]`)];
}

async function toBinaryBlock(
  data: unknown,
  mediaType: unknown,
  what: string,
  place: ResultPlace,
): Promise<TextBlock> {
  const bytes = Buffer.from(typeof data === 'string' ? data : '', 'base64');
  const about = `${mediaType ?? 'of unknown type'}, ${bytes.length} bytes`;
  const path = await place.keep?.(bytes, pickExtension(mediaType));
  return text(
    path === undefined
      ? `[${what}] Binary content (${about}), which cannot be shown`
      : `[${what}] Binary content (${about}) saved to ${path}`,
  );
}

function pickExtension(mediaType: unknown): string {
  const type =
    String(mediaType ?? '')
      .toLowerCase()
      .split(';')[0]
      ?.trim() ?? '';
  return ENDINGS[type] ?? /^\w+\/(?:x-)?([a-z0-9]+)$/.exec(type)?.[1] ?? 'bin';
}

function withoutType({ type: _, ...link }: Fields): Fields {
  return link;
}

function text(value: string): TextBlock {
  return { type: 'text', text: value };
}

function size(base64: string): string {
  const bytes = Math.floor((base64.length * 3) / 4);
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function asJson(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
