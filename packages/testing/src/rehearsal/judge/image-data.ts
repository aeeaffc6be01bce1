import { invalidRequest } from '../api-errors.ts';
import { readImageSize } from '../request/api-request.ts';
import { listImages } from './images.ts';
import type { JudgeRule } from './judge-rule.ts';

const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

export const imageData: JudgeRule = {
  name: 'image-data',
  check(request) {
    for (const { block, path, data, mediaType } of listImages(request)) {
      if (path.endsWith('.url') || path.endsWith('.file')) continue;
      if (data === undefined) return invalidRequest(`${path}.data: Field required`);
      if (!MEDIA_TYPES.includes(mediaType)) {
        return invalidRequest(
          `${path}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
        );
      }
      const size = readImageSize(block);
      if (size === undefined) return invalidRequest('Could not process image');
      if (size.mediaType !== mediaType) {
        return invalidRequest(
          `${path}: The image was specified using the ${mediaType} media type, but the image appears to be a ${size.mediaType} image`,
        );
      }
    }
    return undefined;
  },
};
