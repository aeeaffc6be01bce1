/** Images of a message that a page may show: raster formats, by their first bytes. */
import { isRecord } from '@turnwright/base/json-values.ts';

const BEGINNINGS: readonly (readonly [beginning: string, media: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];
/** Of base64: about a megabyte of image. */
const MOST_CHARS = 1_400_000;
const MOST_IMAGES = 4;
const HEADER_CHARS = 40;

type Block = Readonly<Record<string, unknown>>;

/** Of a block of a message, or of the result that it holds, as data URLs. */
export function showImages(block: Block): readonly string[] {
  const { type, content } = block;
  const all = type === 'tool_result' && Array.isArray(content) ? (content as readonly Block[]) : [block];
  return all.flatMap((each) => toUrl(each) ?? []).slice(0, MOST_IMAGES);
}

function toUrl({ type, source }: Block): string | undefined {
  if (type !== 'image' || !isRecord(source)) return undefined;
  const { data } = source;
  if (typeof data !== 'string' || data.length > MOST_CHARS || !/^[\w+/]+=*$/.test(data)) return undefined;
  // A redaction leaves the size of an image, and of the rest what it leaves of letters.
  if (/^[aAxX0+/=]*$/.test(data.slice(HEADER_CHARS))) return undefined;
  const media = BEGINNINGS.find(([beginning]) => data.startsWith(beginning))?.[1];
  return media === undefined ? undefined : `data:${media};base64,${data}`;
}
