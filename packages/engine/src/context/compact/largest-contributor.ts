/** Names what uses most of the context, in a sentence for the user (L2.6, F22). */

import { grouped } from '@turnwright/base/text/figures-and-times.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import { estimateMessage } from '../estimate/token-estimate.ts';
import { isSummary, toolResultIds } from '../rounds.ts';

/** `fixedTokens`: of system prompt and tools. `scale`: real tokens of a message per estimated token. */
export function largestContributor(
  messages: readonly ViewMessage[],
  { fixedTokens, scale }: { readonly fixedTokens: number; readonly scale: number },
): string {
  let tokens = fixedTokens;
  let largest: ViewMessage | undefined;
  for (const message of messages) {
    const own = estimateMessage(message) * scale;
    if (own <= tokens) continue;
    tokens = own;
    largest = message;
  }
  const name =
    largest === undefined ? 'the system prompt and the tool definitions' : describe(largest, messages);
  return `${name} (about ${grouped(Math.round(tokens))} tokens)`;
}

function describe(message: ViewMessage, messages: readonly ViewMessage[]): string {
  switch (message.type) {
    case 'assistant':
      return 'an answer of the model';
    case 'attachment':
      return `an attachment (${message.attachment.type})`;
    case 'user': {
      const [id] = toolResultIds(message);
      if (id !== undefined) return `a result of ${toolName(id, messages) ?? 'a tool'}`;
      return isSummary(message) ? 'the summary of earlier work' : 'a prompt';
    }
  }
}

function toolName(id: string, messages: readonly ViewMessage[]): string | undefined {
  for (const message of messages) {
    if (message.type !== 'assistant') continue;
    for (const block of message.message.content)
      if (block.type === 'tool_use' && block.id === id) return block.name;
  }
  return undefined;
}
