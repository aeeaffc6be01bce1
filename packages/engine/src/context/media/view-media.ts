/** The images and documents of a view, counted once per message. */

import { oncePer } from '@turnwright/base/collections/made-once.ts';
import { imageHeader } from '@turnwright/base/files/image-header.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { View } from '../../protocol/model/view.ts';
import type { DocumentBlock, ImageBlock, UserBlock } from '../../protocol/model/wire.ts';
import { createViewFold } from '../estimate/incremental-fold.ts';

export type MediaBlock = ImageBlock | DocumentBlock;

export interface MediaTally {
  readonly images: number;
  readonly documents: number;
  /** Total bytes, as in the request. */
  readonly bytes: number;
  /** The longest side of the largest image. */
  readonly maxPixels: number;
}

const NONE: MediaTally = Object.freeze({ images: 0, documents: 0, bytes: 0, maxPixels: 0 });

/** O(what is new since the last call for this view). */
export const viewMedia: (view: View) => MediaTally = createViewFold(NONE, (sum, message) =>
  add(sum, tallyMedia(message)),
);

export function tallyMedia(message: ViewMessage): MediaTally {
  return message.type === 'assistant' ? NONE : ofUserSide(message);
}

const ofUserSide = oncePer((message: Exclude<ViewMessage, { type: 'assistant' }>) =>
  mediaBlocks(listUserBlocks(message)).map(tallyBlock).reduce(add, NONE),
);

/** Of a message of the user side; a plain text holds none. */
export function listUserBlocks(message: Exclude<ViewMessage, { type: 'assistant' }>): readonly UserBlock[] {
  const content = message.type === 'attachment' ? message.rendered : message.message.content;
  return typeof content === 'string' ? [] : content;
}

/** In order; those inside tool results too. */
function mediaBlocks(content: readonly UserBlock[]): MediaBlock[] {
  return content.flatMap((block): MediaBlock[] => {
    if (isMedia(block)) return [block];
    if (block.type !== 'tool_result' || !Array.isArray(block.content)) return [];
    return block.content.filter(isMedia);
  });
}

export function isMedia(block: { readonly type: string }): block is MediaBlock {
  return block.type === 'image' || block.type === 'document';
}

export function tallyBlock(block: MediaBlock): MediaTally {
  const data: unknown = (block.source as { readonly data?: unknown }).data;
  const bytes = typeof data === 'string' ? data.length : 0;
  if (block.type === 'document') return { images: 0, documents: 1, bytes, maxPixels: 0 };
  return { images: 1, documents: 0, bytes, maxPixels: longestSide(block) };
}

/** 0 if unknown. */
function longestSide({ source }: ImageBlock): number {
  const header = source.type === 'base64' ? imageHeader(source.data) : undefined;
  return header === undefined ? 0 : Math.max(header.width, header.height);
}

function add(a: MediaTally, b: MediaTally): MediaTally {
  if (b === NONE) return a;
  return {
    images: a.images + b.images,
    documents: a.documents + b.documents,
    bytes: a.bytes + b.bytes,
    maxPixels: Math.max(a.maxPixels, b.maxPixels),
  };
}
