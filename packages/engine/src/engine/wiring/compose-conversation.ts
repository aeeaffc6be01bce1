/** Tools and context of one conversation: the session's own, or an agent's. */

import { extended } from '@turnwright/base/collections/extended.ts';
import { createCacheWatch } from '../../model/request/cache-watch.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { ConversationContext, ConversationPorts, ConversationTools } from '../session/session.ts';
import { type ContextParts, composeContext } from './compose-context.ts';
import type { ComposedTools, ToolParts } from './tools/compose-tools.ts';

interface ConversationParts extends Pick<ConversationContext, 'attachments' | 'withPrompt'> {
  readonly tools: ComposedTools;
  readonly toolParts: ToolParts;
  readonly contextParts: ContextParts;
  readonly toolState: ConversationTools['state'];
}

export function composeConversation(
  config: QueryEngineConfig,
  { attachments, contextParts, toolParts, tools, toolState, withPrompt }: ConversationParts,
): Pick<ConversationPorts, 'context' | 'tools'> {
  const { clock, model, snipMarks } = contextParts;
  const { admit, fileHistory, folder, readFileCache } = toolParts;
  return {
    tools: extended(tools, {
      all: toolParts.tools,
      folder,
      state: toolState,
      readFileCache,
      fileHistory,
      restoreResults: toolParts.spill.restore,
      admit,
    }),
    context: {
      port: composeContext(config, contextParts),
      attachments,
      cacheWatch: createCacheWatch({
        clock,
        ttl: config.promptCacheTtl ?? '5m',
        priceOf: (name) => model.infoOf(name).price,
      }),
      snipMarks,
      withPrompt,
    },
  };
}
