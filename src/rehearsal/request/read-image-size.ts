import { type ImageHeader, imageHeader } from '../../util/files/image-header.ts';
import { isRecord } from '../../util/json-values.ts';
import type { ApiBlock } from './api-request.ts';

/** Size and actual format of an image block; undefined when it has no base64 image of a known format. */
export function readImageSize(block: ApiBlock): ImageHeader | undefined {
  const source = block['source'];
  if (!isRecord(source) || source['type'] !== 'base64' || typeof source['data'] !== 'string')
    return undefined;
  return imageHeader(source['data']);
}
