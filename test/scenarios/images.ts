import type { ImageBlock } from '@turnwright/engine';

/** One white pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==',
  'base64',
);

export function image(bytes: Buffer = PNG): ImageBlock {
  return {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') },
  };
}

/** A picture that says of itself to be this wide: what the API's limits look at. */
export function wideImage(pixels: number): ImageBlock {
  const bytes = Buffer.from(PNG);
  bytes.writeUInt32BE(pixels, 16);
  return image(bytes);
}
