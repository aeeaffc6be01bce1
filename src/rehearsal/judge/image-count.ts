import { invalidRequest } from '../api-error.ts';
import { imagesOf } from './images.ts';
import type { Rule } from './rule.ts';

const MAX_IMAGES = 100;
const MAX_IMAGES_LONG_CONTEXT = 600;
const LONG_CONTEXT = 200_000;

export const imageCount: Rule = {
  name: 'image-count',
  check(request, { window }) {
    const images = imagesOf(request).length;
    const limit = window > LONG_CONTEXT ? MAX_IMAGES_LONG_CONTEXT : MAX_IMAGES;
    if (images <= limit) return undefined;
    return invalidRequest(`Too much media: 0 document pages + ${images} images > ${limit}`);
  },
};
