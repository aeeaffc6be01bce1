/**
 * Admits blocks to the conversation: a block that the provider would refuse is replaced by a text before it
 * enters history, where it would be refused with every later request (F10). Images are not resized, which
 * would need an image library.
 */

import { isSameList, lazily } from '@turnwright/base/collections/made-once.ts';
import { type ImageHeader, imageHeader } from '@turnwright/base/files/image-header.ts';
import type {
  DocumentBlock,
  ImageBlock,
  ResultPart,
  TextBlock,
  ToolReferenceBlock,
  ToolResultBlock,
  UserBlock,
} from '../../protocol/model/wire.ts';
import type { MediaLimits } from './media-limits.ts';

/** What images and documents are held against. */
interface Standing {
  readonly limits: MediaLimits;
  /** Number of images in the conversation. */
  readonly images: number;
}

/**
 * Returns the same array when every block is admitted. `standing` is called once, where there is an image or
 * a document.
 */
export function admitBlocks(content: readonly UserBlock[], standing: () => Standing): readonly UserBlock[] {
  const media = lazily(() => {
    const { limits, images } = standing();
    return { limits, total: images + countImages(content) };
  });
  const answered = new Set<string>();
  let own = 0;
  const inner = (block: Admitted): Admitted[] => {
    if (typeof block?.type !== 'string') return [left('block', 'it has no type')];
    if (block.type === 'text') return block.text.trim() === '' ? [] : [block];
    // What else there is, or will be, the provider knows better.
    if (block.type !== 'image' && block.type !== 'document') return [block];
    const { limits, total } = media();
    if (block.type === 'document') return [admitDocument(block, limits)];
    own += 1;
    return [admitImage(block, limits, { total, own })];
  };
  const admitted = content.flatMap((block): UserBlock[] => {
    if (block?.type !== 'tool_result') return inner(block);
    if (answered.has(block.tool_use_id))
      return [left('tool result', `call ${block.tool_use_id} has one already`)];
    answered.add(block.tool_use_id);
    return [admitResult(block, inner)];
  });
  if (isSameList(admitted, content)) return content;
  return admitted.length > 0 ? admitted : [{ type: 'text', text: '(empty)' }];
}

/** A reference to a tool occurs in results only, and passes like any other part. */
type Admitted = Exclude<ResultPart, ToolReferenceBlock>;

function admitResult(block: ToolResultBlock, inner: (block: Admitted) => Admitted[]): ToolResultBlock {
  const { content } = block;
  if (content === undefined || typeof content === 'string') return block;
  const admitted: ResultPart[] = content.flatMap((part) => inner(part as Admitted));
  return isSameList(admitted, content) ? block : { ...block, content: admitted };
}

function countImages(content: readonly UserBlock[]): number {
  return content.reduce((sum, block) => {
    if (block?.type === 'image') return sum + 1;
    if (block?.type !== 'tool_result' || !Array.isArray(block.content)) return sum;
    return sum + block.content.filter((part) => part?.type === 'image').length;
  }, 0);
}

function admitImage(
  block: ImageBlock,
  limits: MediaLimits,
  count: { readonly total: number; readonly own: number },
): ImageBlock | TextBlock {
  const { source } = block;
  if (count.own > limits.maxImages) return left('image', `a message may hold ${limits.maxImages} images`);
  if (typeof source !== 'object' || source === null) return left('image', 'it has no source');
  if (source.type === 'url') {
    return /^https?:\/\//i.test(source.url) ? block : left('image', 'its address is not an http one');
  }
  if (source.type !== 'base64') return block;
  if (typeof source.data !== 'string') return left('image', 'it has no data');
  const data = source.data.replace(/^data:[^,]*,/, '');
  if (data.length > limits.maxImageBytes) {
    return left(
      'image',
      `${megabytes(data.length)} in base64, above the ${megabytes(limits.maxImageBytes)} that are taken`,
    );
  }
  const header = imageHeader(data);
  if (header === undefined) return left('image', `its data is not a readable ${typesText(limits)} image`);
  if (!limits.imageTypes.includes(header.mediaType)) {
    return left('image', `${header.mediaType} is not taken, only ${typesText(limits)}`);
  }
  const refusal = tooManyPixels(header, limits, count.total);
  if (refusal !== undefined) return left('image', refusal);
  if (data === source.data && header.mediaType === source.media_type) return block;
  return { ...block, source: { type: 'base64', media_type: header.mediaType, data } };
}

function tooManyPixels(
  { width, height }: ImageHeader,
  { maxImagePixels, maxPixelsOfMany, manyImages }: MediaLimits,
  total: number,
): string | undefined {
  const side = Math.max(width, height);
  const size = `${width} × ${height} pixels`;
  if (width === 0 || height === 0) return `${size}: it is empty`;
  if (side > maxImagePixels) return `${size}, above the ${maxImagePixels} a side that are taken`;
  if (total > manyImages && side > maxPixelsOfMany) {
    return `${size}, and with more than ${manyImages} images in a conversation only ${maxPixelsOfMany} a side are taken`;
  }
  return undefined;
}

function admitDocument(block: DocumentBlock, limits: MediaLimits): DocumentBlock | TextBlock {
  if (typeof block.source !== 'object' || block.source === null) return left('document', 'it has no source');
  const { type, data, media_type } = block.source;
  if (type === 'text') {
    return typeof data === 'string' && data.trim() !== '' ? block : left('document', 'it is empty');
  }
  if (type !== 'base64') return block;
  if (typeof data !== 'string' || data === '') return left('document', 'it is empty');
  if (typeof media_type !== 'string' || !limits.documentTypes.includes(media_type)) {
    return left('document', `${String(media_type)} is not taken, only ${limits.documentTypes.join(', ')}`);
  }
  if (media_type === 'application/pdf' && !data.startsWith(PDF_HEAD)) {
    return left('document', 'its data is not a PDF');
  }
  if (data.length > limits.maxRequestBytes / 2) {
    return left(
      'document',
      `${megabytes(data.length)} in base64, above the ${megabytes(limits.maxRequestBytes / 2)} that fit a request`,
    );
  }
  return block;
}

/** `%PDF` in base64. */
const PDF_HEAD = 'JVBER';

function left(what: string, why: string): TextBlock {
  return { type: 'text', text: `[${what} left out: ${why}]` };
}

function typesText(limits: MediaLimits): string {
  return limits.imageTypes.map((type) => type.replace('image/', '').toUpperCase()).join(', ');
}

function megabytes(bytes: number): string {
  return `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
}
