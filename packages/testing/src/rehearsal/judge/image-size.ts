import { invalidRequest } from '../api-errors.ts';
import { readImageSize } from '../request/api-request.ts';
import { listImages } from './images.ts';
import type { JudgeRule } from './judge-rule.ts';

/** Measured on the base64 text. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_PIXELS = 8000;
const MANY_IMAGES = 20;
const MAX_PIXELS_OF_MANY = 2000;

export const imageSize: JudgeRule = {
  name: 'image-size',
  check(request) {
    const images = listImages(request);
    const many = images.length > MANY_IMAGES;
    const limit = many ? MAX_PIXELS_OF_MANY : MAX_PIXELS;
    for (const { block, path, data } of images) {
      if (data === undefined) continue;
      if (data.length > MAX_BYTES) {
        return invalidRequest(
          `${path}: image exceeds 5 MB maximum: ${data.length} bytes > ${MAX_BYTES} bytes`,
        );
      }
      const size = readImageSize(block);
      if (size !== undefined && Math.max(size.width, size.height) > limit) {
        return invalidRequest(
          `${path}.data: At least one of the image dimensions exceed max allowed size${many ? ' for many-image requests' : ''}: ${limit} pixels`,
        );
      }
    }
    return undefined;
  },
};
