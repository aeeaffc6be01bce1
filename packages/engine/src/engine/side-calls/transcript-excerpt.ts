/** The end of a conversation in plain lines, for a small model that is to say something about it. */

import { takeStart } from '@turnwright/base/text/cut-text.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { AssistantBlock, UserBlock } from '../../protocol/model/wire.ts';

/** Of each line, in characters. */
const LINE_CHARS = 600;

/**
 * Of the last `count` messages that say something; reminders and what the engine said for itself are left
 * out.
 */
export function lastWords(messages: { slice(start: number): readonly ViewMessage[] }, count: number): string {
  return messages.slice(-count).flatMap(formatMessage).join('\n');
}

function formatMessage(message: ViewMessage): readonly string[] {
  if (message.type === 'attachment') return [];
  if (message.type === 'assistant')
    return message.synthetic === undefined ? message.message.content.flatMap(saidBy) : [];
  const { content } = message.message;
  const blocks: readonly UserBlock[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return blocks.flatMap((block) => {
    if (block.type === 'tool_result') {
      const text = typeof block.content === 'string' ? block.content : JSON.stringify(block.content ?? '');
      return `Result${block.is_error === true ? ' (failed)' : ''}: ${cut(text)}`;
    }
    const isPerson = message.kind === 'prompt' && block.type === 'text' && !block.text.startsWith('<');
    return isPerson ? `Person: ${cut(block.text)}` : [];
  });
}

function saidBy(block: AssistantBlock): readonly string[] {
  if (block.type === 'text') return [`Agent: ${cut(block.text)}`];
  return block.type === 'tool_use' ? [`Agent calls ${block.name} ${cut(JSON.stringify(block.input))}`] : [];
}

function cut(text: string): string {
  const line = text.trim().replaceAll(/\s*\n\s*/g, ' ');
  return line.length > LINE_CHARS ? `${takeStart(line, LINE_CHARS)}…` : line;
}
