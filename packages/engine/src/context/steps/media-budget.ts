/**
 * Behind step 2: images and documents that exceed the limits together are replaced, oldest first (F10, F12).
 */
import type { ContextStep } from '../../protocol/model/context.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { View, ViewEdit } from '../../protocol/model/view.ts';
import { estimateMessage } from '../estimate/token-estimate.ts';
import { fileNames, replaceMedia } from '../media/media.ts';
import type { MediaLimits } from '../media/media-limits.ts';
import { type MediaBlock, type MediaTally, tallyBlock, tallyMedia, viewMedia } from '../media/view-media.ts';

/** Share of a limit that stays used once it was reached, so that not every turn edits the view. */
const KEPT_SHARE = 0.75;
/** Estimated bytes of text per token. */
const BYTES_PER_TOKEN = 5;

/** Costs O(fresh) while everything fits. */
export function mediaBudget(limitsOf: (model: string) => MediaLimits): ContextStep {
  return {
    name: 'media-budget',
    run({ view, model, estimateTokens }) {
      const limits = limitsOf(model);
      const tally = viewMedia(view);
      const textBytes = estimateTokens * BYTES_PER_TOKEN;
      const why = whatIsOver(tally, textBytes, limits);
      if (why === undefined) return { kind: 'skip', why: 'images and documents fit' };
      const { edits, tokensFreed } = dropOldest(view, {
        images: tally.images > limits.maxImages ? limits.maxImages * KEPT_SHARE : tally.images,
        bytes:
          tally.bytes + textBytes > limits.maxRequestBytes
            ? limits.maxRequestBytes * KEPT_SHARE - textBytes
            : tally.bytes,
        pixels: tally.images > limits.manyImages ? limits.maxPixelsOfMany : Number.POSITIVE_INFINITY,
      });
      if (edits.length === 0) return { kind: 'skip', why: `${why}, and nothing can go` };
      return { kind: 'edits', source: 'replacement', edits, why, tokensFreed };
    },
  };
}

function whatIsOver(tally: MediaTally, textBytes: number, limits: MediaLimits): string | undefined {
  if (tally.images > limits.maxImages) return `${tally.images} images, above ${limits.maxImages}`;
  if (tally.images > limits.manyImages && tally.maxPixels > limits.maxPixelsOfMany) {
    return `more than ${limits.manyImages} images, one of them above ${limits.maxPixelsOfMany} pixels`;
  }
  if (tally.bytes > 0 && tally.bytes + textBytes > limits.maxRequestBytes) {
    return `about ${tally.bytes + textBytes} bytes, above ${limits.maxRequestBytes}`;
  }
  return undefined;
}

interface Room {
  readonly images: number;
  readonly bytes: number;
  /** Larger images are replaced wherever they are. */
  readonly pixels: number;
}

/** Edits after which the media fit: the too large ones are replaced, then the oldest. */
export function dropOldest(
  view: View,
  room: Room,
): { readonly edits: readonly ViewEdit[]; readonly tokensFreed: number } {
  const messages = view.slice();
  const nameOf = fileNames(messages);
  let { images, bytes } = viewMedia(view);
  const why = (block: MediaBlock): string | undefined => {
    const own = tallyBlock(block);
    const tooLarge = own.maxPixels > room.pixels;
    const oneTooMany = (images > room.images && own.images > 0) || (bytes > room.bytes && own.bytes > 0);
    if (!tooLarge && !oneTooMany) return undefined;
    images -= own.images;
    bytes -= own.bytes;
    return tooLarge ? 'removed, too large beside so many' : 'removed to make room for later ones';
  };
  return replaceIn(messages, (message) => replaceMedia(message, why, nameOf));
}

/** Edits for every message that `change` returns another version of. */
export function replaceIn(
  messages: readonly ViewMessage[],
  change: (message: ViewMessage) => ViewMessage | undefined,
): { readonly edits: readonly ViewEdit[]; readonly tokensFreed: number } {
  const edits: ViewEdit[] = [];
  let tokensFreed = 0;
  for (const message of messages) {
    if (message.type === 'assistant' || tallyMedia(message).images + tallyMedia(message).documents === 0)
      continue;
    const item = change(message);
    if (item === undefined) continue;
    edits.push({ kind: 'replace', uuid: message.uuid, item });
    tokensFreed += estimateMessage(message) - estimateMessage(item);
  }
  return { edits, tokensFreed };
}
