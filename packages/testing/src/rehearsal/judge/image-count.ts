import { invalidRequest } from '../api-errors.ts';
import { listImages } from './images.ts';
import type { JudgeRule } from './judge-rule.ts';

const MAX_IMAGES = 100;
const MAX_IMAGES_LONG_CONTEXT = 600;
const LONG_CONTEXT = 200_000;

export const imageCount: JudgeRule = {
  name: 'image-count',
  check(request, { window }) {
    const images = listImages(request).length;
    const limit = window > LONG_CONTEXT ? MAX_IMAGES_LONG_CONTEXT : MAX_IMAGES;
    if (images <= limit) return undefined;
    return invalidRequest(`Too much media: 0 document pages + ${images} images > ${limit}`);
  },
};
