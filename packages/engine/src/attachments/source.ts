import type { Life } from '../protocol/life.ts';
import type { Attachment } from '../protocol/model/attachment.ts';
import type { UserMessage } from '../protocol/model/messages.ts';
import type { View } from '../protocol/model/view.ts';
import type { ToolUseBlock, UserBlock } from '../protocol/model/wire.ts';

/** What happened in the iteration that collects attachments. */
export interface AttachmentInput {
  readonly toolUses: readonly ToolUseBlock[];
  readonly results: readonly UserMessage[];
  readonly view: View;
  readonly turnCount: number;
}

export interface FoundAttachment {
  readonly attachment: Attachment;
  /** What the API receives; empty means nothing. */
  readonly rendered: readonly UserBlock[];
  /** Default: generated. A queued prompt keeps the uuid of its sender. */
  readonly uuid?: string;
}

/**
 * A source of context besides tool results (L6). Any room can supply one. It must be nearly free when there
 * is nothing to add, must not wait for what is not ready, and must end with the iteration. Errors are
 * reported and skipped.
 */
export interface AttachmentSource {
  readonly name: string;
  collect(
    input: AttachmentInput,
    life: Life,
  ): readonly FoundAttachment[] | Promise<readonly FoundAttachment[]>;
  /** What was collected last is now consumed; returns the keys of items that this source keeps until then. */
  acknowledge?(): readonly string[];
}

export const NOTHING_FOUND: readonly FoundAttachment[] = Object.freeze([]);
