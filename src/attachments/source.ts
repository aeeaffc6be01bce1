import type { Attachment } from '../protocol/attachment.ts';
import type { Life } from '../protocol/life.ts';
import type { UserMessage } from '../protocol/messages.ts';
import type { View } from '../protocol/view.ts';
import type { ToolUseBlock, UserBlock } from '../protocol/wire.ts';

/** What happened in the iteration that asks for attachments. */
export interface AttachmentInput {
  readonly toolUses: readonly ToolUseBlock[];
  readonly results: readonly UserMessage[];
  readonly view: View;
  readonly turnCount: number;
}

export interface FoundAttachment {
  readonly attachment: Attachment;
  /** What the API sees; empty means nothing. */
  readonly rendered: readonly UserBlock[];
  /** Default a fresh one. A queued command keeps the uuid its sender gave. */
  readonly uuid?: string;
}

/**
 * One thing the model may have to know besides tool results (L6). Any room can offer one. It must cost next to
 * nothing when there is nothing to say, wait for nothing that is not ready, and heed the end of the iteration. A throw is
 * reported and skipped.
 */
export interface AttachmentSource {
  readonly name: string;
  collect(
    input: AttachmentInput,
    life: Life,
  ): readonly FoundAttachment[] | Promise<readonly FoundAttachment[]>;
  /** What was collected last is now consumed; returns the keys of what this source keeps until then. */
  acknowledge?(): readonly string[];
}

export const NOTHING_FOUND: readonly FoundAttachment[] = Object.freeze([]);
