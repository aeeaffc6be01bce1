import { invalidRequest } from '../api-error.ts';
import { imageSize } from '../request/image-size.ts';
import { imagesOf } from './images.ts';
import type { Rule } from './rule.ts';

const MEDIA_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

export const imageData: Rule = {
  name: 'image-data',
  check(request) {
    for (const { block, path, data, mediaType } of imagesOf(request)) {
      if (path.endsWith('.url') || path.endsWith('.file')) continue;
      if (data === undefined) return invalidRequest(`${path}.data: Field required`);
      if (!MEDIA_TYPES.includes(mediaType)) {
        return invalidRequest(
          `${path}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
        );
      }
      const size = imageSize(block);
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
