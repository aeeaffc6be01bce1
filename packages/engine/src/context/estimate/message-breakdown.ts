/** Tokens of the messages of a view, by author and by tool. */

import { oncePer } from '@turnwright/base/collections/made-once.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { AssistantBlock, UserBlock } from '../../protocol/model/wire.ts';
import type { ContextUsage } from '../../protocol/stream/context-usage.ts';
import { estimateBlock, estimateMessage } from './token-estimate.ts';

type MessageBreakdown = ContextUsage['messageBreakdown'];

/** Asked for after each answer: a block is counted once. */
const tokensOf = oncePer(estimateBlock);

/** `scale`: real tokens per estimated one. */
export function messageBreakdown(messages: Iterable<ViewMessage>, scale: number): MessageBreakdown {
  const tools = new Map<string, { calls: number; results: number }>();
  const attachments = new Map<string, number>();
  const nameOf = new Map<string, string>();
  const of = { calls: 0, results: 0, attachments: 0, assistant: 0, user: 0 };
  const byTool = (name: string) => {
    const sums = tools.get(name) ?? { calls: 0, results: 0 };
    tools.set(name, sums);
    return sums;
  };
  for (const message of messages) {
    if (message.type === 'attachment') {
      const tokens = estimateMessage(message);
      const { type } = message.attachment;
      of.attachments += tokens;
      attachments.set(type, (attachments.get(type) ?? 0) + tokens);
      continue;
    }
    const content: readonly (AssistantBlock | UserBlock)[] | string = message.message.content;
    if (typeof content === 'string') {
      of.user += estimateMessage(message);
      continue;
    }
    for (const block of content) {
      const tokens = tokensOf(block);
      if (block.type === 'tool_use') {
        const { id, name } = block as { readonly id: string; readonly name: string };
        nameOf.set(id, name);
        byTool(name).calls += tokens;
        of.calls += tokens;
      } else if (block.type === 'tool_result') {
        const { tool_use_id } = block as { readonly tool_use_id: string };
        byTool(nameOf.get(tool_use_id) ?? 'unknown').results += tokens;
        of.results += tokens;
      } else if (message.type === 'assistant') of.assistant += tokens;
      else of.user += tokens;
    }
  }
  const real = (tokens: number) => Math.round(tokens * scale);
  return {
    toolCallTokens: real(of.calls),
    toolResultTokens: real(of.results),
    attachmentTokens: real(of.attachments),
    assistantMessageTokens: real(of.assistant),
    userMessageTokens: real(of.user),
    redirectedContextTokens: 0,
    unattributedTokens: 0,
    toolCallsByType: [...tools]
      .map(([name, sums]) => ({ name, callTokens: real(sums.calls), resultTokens: real(sums.results) }))
      .sort((a, b) => b.callTokens + b.resultTokens - a.callTokens - a.resultTokens),
    attachmentsByType: [...attachments].map(([name, tokens]) => ({ name, tokens: real(tokens) })),
  };
}
