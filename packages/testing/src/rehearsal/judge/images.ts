import { isRecord } from '@turnwright/base/json-values.ts';
import { type ApiBlock, type ApiRequest, walkMessages } from '../request/api-request.ts';

interface PlacedImage {
  readonly block: ApiBlock;
  /** Path up to the kind of the source, e.g. `messages.0.content.1.image.source.base64`. */
  readonly path: string;
  /** undefined for images by URL. */
  readonly data: string | undefined;
  readonly mediaType: string;
}

export function listImages(request: ApiRequest): PlacedImage[] {
  const images: PlacedImage[] = [];
  for (const { block, path } of walkMessages(request)) {
    if (block.type !== 'image') continue;
    const source = isRecord(block['source']) ? block['source'] : {};
    images.push({
      block,
      path: `${path}.image.source.${String(source['type'])}`,
      data: source['type'] === 'base64' && typeof source['data'] === 'string' ? source['data'] : undefined,
      mediaType: String(source['media_type']),
    });
  }
  return images;
}
