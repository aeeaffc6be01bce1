/**
 * The list of deferred tools for an agent (F155): with its prompt, when it changes, and after a compaction.
 */
import { toAttachmentMessage } from '../../attachments/collect.ts';
import { indexDeferredTools } from '../../attachments/deferred-tool-index.ts';
import type { AttachmentSource, FoundAttachment } from '../../attachments/source.ts';
import type { CompactionSource } from '../../protocol/model/context.ts';
import type { View } from '../../protocol/model/view.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { SessionToolsPort } from '../../tools/tools-port.ts';
import type { ConversationContext } from '../session/session.ts';

interface AgentDeferredTools {
  readonly source: AttachmentSource;
  readonly restored: CompactionSource;
  readonly withPrompt: ConversationContext['withPrompt'];
}

export function agentDeferredTools(
  port: Pick<SessionToolsPort, 'deferredNames'>,
  /** The one at hand. */
  model: () => string,
  view: () => View,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): AgentDeferredTools {
  const index = indexDeferredTools(() => port.deferredNames(model()));
  const toMessages = (found: readonly FoundAttachment[]) =>
    found.map((each) => toAttachmentMessage(each, clock, ids));
  return {
    source: index,
    restored: { name: 'deferred-tools', collect: async () => toMessages(await index.whole()) },
    withPrompt: async () => toMessages(await index.withPrompt(view())),
  };
}
