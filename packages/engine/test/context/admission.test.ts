import { imageHeader } from '@turnwright/base/files/image-header.ts';
import { describe, expect, it } from 'vitest';
import { admitBlocks } from '../../src/context/media/admit-blocks.ts';
import { mediaLimitsFor } from '../../src/context/media/media-limits.ts';
import type { ImageBlock, UserBlock } from '../../src/protocol/model/wire.ts';
import { gif, imageOf, jpeg, png, webp } from './images.ts';

const LIMITS = mediaLimitsFor({ contextWindow: 200_000 });
const admit = (content: readonly UserBlock[], { limits = LIMITS, images = 0 } = {}) =>
  admitBlocks(content, () => ({ limits, images }));
const one = (block: UserBlock, images = 0) => admit([block], { images })[0];
const dataOf = ({ source }: ImageBlock) => (source.type === 'base64' ? source.data : '');

describe('imageHeader', () => {
  it.each([
    ['PNG', png(640, 480), 'image/png'],
    ['GIF', gif(640, 480), 'image/gif'],
    ['JPEG with metadata', jpeg(640, 480), 'image/jpeg'],
    ['lossy WebP', webp('VP8 ', 640, 480), 'image/webp'],
    ['lossless WebP', webp('VP8L', 640, 480), 'image/webp'],
    ['extended WebP', webp('VP8X', 640, 480), 'image/webp'],
  ])('reads %s', (_name, image, mediaType) => {
    expect(imageHeader(dataOf(image))).toEqual({ width: 640, height: 480, mediaType });
  });

  it.each(['', 'AAAA', 'no base64!', '/9j/', 'iVBORw0KGgo=', 'UklGRgAAAABXRUJQ'])(
    'does not read %j',
    (data) => {
      expect(imageHeader(data)).toBeUndefined();
    },
  );
});

describe('admitBlocks', () => {
  it('lets pass what the API takes, as it is', () => {
    const content: UserBlock[] = [
      { type: 'text', text: 'See:' },
      png(8_000, 100),
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x' } },
      { type: 'document', source: { type: 'text', data: 'Plain.' } },
      { type: 'tool_result', tool_use_id: 'a', content: [jpeg(100, 100)] },
      { type: 'tool_result', tool_use_id: 'b', content: '' },
    ];
    expect(admit(content)).toBe(content);
  });

  it('F10: an image of 2162 × 322 after 20 earlier images stays out, and says why', () => {
    expect(one(png(2_162, 322), 19)).toMatchObject({ type: 'image' });
    expect(one(png(2_162, 322), 20)).toEqual({
      type: 'text',
      text: '[image left out: 2162 × 322 pixels, and with more than 20 images in a conversation only 2000 a side are taken]',
    });
    expect(one(png(2_000, 322), 20)).toMatchObject({ type: 'image' });
  });

  it('F10: an image of 4 MiB raw is over the limit once it is base64', () => {
    expect(one(png(10, 10, 4 * 1024 * 1024))).toMatchObject({
      type: 'text',
      text: expect.stringContaining('5.3 MB in base64, above the 5.0 MB'),
    });
    expect(one(png(10, 10, 3 * 1024 * 1024))).toMatchObject({ type: 'image' });
  });

  it.each<[string, UserBlock, string]>([
    ['too many pixels', png(8_001, 10), '8001 × 10 pixels'],
    ['no pixels', png(0, 10), 'it is empty'],
    ['bytes that are no image', imageOf('image/png', Buffer.from('hello, world')), 'not a readable'],
    ['an address that is no address', { type: 'image', source: { type: 'url', url: 'file:///etc' } }, 'http'],
    [
      'a document of another type',
      { type: 'document', source: { type: 'base64', media_type: 'application/zip', data: 'UEsD' } },
      'application/zip is not taken',
    ],
    [
      'a document that is no PDF',
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
      'not a PDF',
    ],
    ['an empty document', { type: 'document', source: { type: 'text', data: ' ' } }, 'it is empty'],
  ])('keeps out %s', (_what, block, why) => {
    expect(one(block)).toMatchObject({ type: 'text', text: expect.stringContaining(why) });
  });

  it('says what an image is when its block is wrong about it, and takes the head of a data URL off', () => {
    const image = gif(10, 10);
    const wrong: ImageBlock = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: `data:image/png;base64,${dataOf(image)}` },
    };
    expect(one(wrong)).toEqual(image);
  });

  it('drops empty text, and never leaves nothing', () => {
    expect(admit([{ type: 'text', text: ' \n' }, png(1, 1)])).toEqual([png(1, 1)]);
    expect(admit([{ type: 'text', text: '' }])).toEqual([{ type: 'text', text: '(empty)' }]);
  });

  it('keeps a second answer to one call as text, and more images than a message may hold out', () => {
    const answer = (content: string): UserBlock => ({ type: 'tool_result', tool_use_id: 'a', content });
    expect(admit([answer('one'), answer('two')])).toEqual([
      answer('one'),
      { type: 'text', text: '[tool result left out: call a has one already]' },
    ]);
    const many = admit(Array.from({ length: 103 }, () => png(1, 1)));
    expect(many.filter((block) => block.type === 'image')).toHaveLength(100);
  });

  it.each([
    ['a block', (part: unknown) => [part]],
    ['a part of a result', (part: unknown) => [{ type: 'tool_result', tool_use_id: 'a', content: [part] }]],
  ])('%s that is none is named, whatever it is', (_, within) => {
    for (const part of [null, undefined, 7, 'text', [], {}, { type: null }]) {
      const [admitted] = admit(within(part) as UserBlock[]);
      expect(JSON.stringify(admitted)).toContain('it has no type');
    }
  });

  it('looks into tool results', () => {
    const [block] = admit([{ type: 'tool_result', tool_use_id: 'a', content: [png(9_000, 9_000)] }]);
    expect(block).toMatchObject({ tool_use_id: 'a', content: [{ type: 'text' }] });
  });

  it('takes the limits of another provider as data', () => {
    const limits = mediaLimitsFor({ contextWindow: 32_000 }, { maxImages: 5, imageTypes: ['image/jpeg'] });
    const admitted = admit(
      Array.from({ length: 7 }, () => jpeg(1, 1)),
      { limits },
    );
    expect(admitted.filter((block) => block.type === 'image')).toHaveLength(5);
    expect(admit([png(1, 1)], { limits })).toMatchObject([{ type: 'text' }]);
    expect(mediaLimitsFor({ contextWindow: 1_000_000 }).maxImages).toBe(600);
  });
});
