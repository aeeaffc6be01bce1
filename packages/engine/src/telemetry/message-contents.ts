/** What was said, in the form that the conventions give messages; only for those who asked for it. */
import type { ViewMessage } from '../protocol/model/messages.ts';
import type { ModelRequest } from '../protocol/model/model.ts';
import type { ContentBlock, StreamEvent } from '../protocol/model/wire.ts';

interface MessagePart {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The conversation of a request, as JSON. */
export function formatInput({ view }: Pick<ModelRequest, 'view'>): string {
  return JSON.stringify([...view].map(toMessage));
}

export const formatText = (role: 'assistant' | 'user', text: string): string =>
  JSON.stringify([{ role, parts: [{ type: 'text', content: text }] }]);

function toMessage(message: ViewMessage): { readonly role: string; readonly parts: readonly MessagePart[] } {
  const content = message.type === 'attachment' ? message.rendered : message.message.content;
  const role = message.type === 'assistant' ? 'assistant' : 'user';
  if (typeof content === 'string') return { role, parts: [{ type: 'text', content }] };
  return { role, parts: (content as readonly ContentBlock[]).map(toPart) };
}

function toPart(block: ContentBlock): MessagePart {
  switch (block.type) {
    case 'text':
      return { type: 'text', content: block.text };
    case 'tool_use':
      return { type: 'tool_call', id: block.id, name: block.name, arguments: block.input };
    case 'tool_result':
      return { type: 'tool_call_response', id: block.tool_use_id, response: block.content };
    default:
      return { type: block.type };
  }
}

/** An answer, put together while it arrives. */
export class AnswerContents {
  readonly #parts: { type: string; content?: string; name?: string; id?: string; arguments?: string }[] = [];

  hear(event: StreamEvent): void {
    if (event.type === 'content_block_start') {
      const { content_block: block } = event;
      this.#parts[event.index] =
        block.type === 'tool_use'
          ? { type: 'tool_call', id: block.id, name: block.name, arguments: '' }
          : { type: block.type, ...(block.type === 'text' && { content: block.text }) };
    }
    if (event.type !== 'content_block_delta') return;
    const part = this.#parts[event.index];
    const { delta } = event;
    if (part === undefined) return;
    if (delta.type === 'text_delta') part.content = (part.content ?? '') + delta.text;
    if (delta.type === 'input_json_delta') part.arguments = (part.arguments ?? '') + delta.partial_json;
  }

  format(): string {
    return JSON.stringify([{ role: 'assistant', parts: this.#parts.filter((part) => part !== undefined) }]);
  }
}
