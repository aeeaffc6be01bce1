/** What may enter the conversation: prompts and tool results pass here before they are recorded (F10). */
import { admitBlocks } from '../../context/media/admit-blocks.ts';
import { mediaLimitsFor } from '../../context/media/media-limits.ts';
import { viewMedia } from '../../context/media/view-media.ts';
import type { UserBlock } from '../../protocol/model/wire.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { SessionModel } from '../models/session-model.ts';
import type { Conversation } from '../session/conversation.ts';

/** The content itself, or with a text in the place of each block that would be refused. */
export type Admit = <C extends string | readonly UserBlock[]>(content: C) => C | readonly UserBlock[];

export function composeAdmission(
  config: Pick<QueryEngineConfig, 'mediaLimits'>,
  { conversation, model }: { readonly conversation: Conversation; readonly model: SessionModel },
): Admit {
  const standing = () => ({
    limits: mediaLimitsFor(model.infoOf(model.current), config.mediaLimits),
    images: viewMedia(conversation.messages).images,
  });
  return (content) => (typeof content === 'string' ? content : admitBlocks(content, standing));
}
