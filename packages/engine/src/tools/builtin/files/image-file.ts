/**
 * Image formats that the API accepts, recognised by their first bytes: an extension may be wrong, and the API
 * refuses a wrong type.
 */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

const ENDINGS = /\.(png|jpe?g|gif|webp)$/i;

export const looksLikeImage = (path: string) => ENDINGS.test(path);

/** `undefined`: none of the four. */
export function detectImageType(bytes: Uint8Array): ImageType | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'image/webp';
  return undefined;
}
