/** What the loop attaches to a conversation, as consumers see it. */
import type { Attachment, RecalledMemory } from '../../protocol/model/attachment.ts';
import type { AttachmentMessage } from '../../protocol/model/messages.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import { toReplay } from './to-sdk-user.ts';

/** A queued prompt that joins the turn, when prompts are replayed. */
export function replayQueued(
  { attachment, uuid, timestamp }: AttachmentMessage,
  session_id: string,
  { replayUserMessages }: { readonly replayUserMessages: boolean },
): SDKMessage[] {
  if (attachment.type !== 'queued_command' || !replayUserMessages) return [];
  const { prompt, sourceUuid, origin } = attachment as Extract<Attachment, { type: 'queued_command' }>;
  return [toReplay({ uuid: sourceUuid ?? uuid, content: prompt, timestamp, origin }, session_id)];
}

/** Attachments are only for the model, unless the consumer asked for all messages. */
export function toSdkAttachment(
  message: AttachmentMessage,
  session_id: string,
  { verbose }: { readonly verbose: boolean },
): SDKMessage[] {
  if (message.attachment.type === 'relevant_memories') {
    const memories = message.attachment['memories'] as readonly RecalledMemory[];
    return [
      { type: 'system', subtype: 'memory_recall', mode: 'select', memories, uuid: message.uuid, session_id },
    ];
  }
  const shown: SDKMessage[] = [];
  // Some are for the record alone: nothing of them is sent.
  if (verbose && message.rendered.length > 0) {
    shown.push({
      type: 'system',
      subtype: 'informational',
      level: 'info',
      content: `Added for the model: ${message.attachment.type}`,
      uuid: message.uuid,
      session_id,
    });
  }
  return shown;
}
