import type { ViewMessage } from '@turnwright/engine/protocol/model/messages.ts';

/** What is wrong with a view as a conversation (L10.1); empty when nothing is. */
export function faultsOf(view: Iterable<ViewMessage>): string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  let open = new Set<string>();
  for (const message of view) {
    if (seen.has(message.uuid)) faults.push(`${message.uuid} stands twice`);
    seen.add(message.uuid);
    if (message.type === 'attachment') continue;
    const { content } = message.message;
    const results =
      typeof content === 'string'
        ? []
        : content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id as string] : []));
    if (message.type === 'assistant') {
      for (const block of message.message.content) {
        if (block.type === 'tool_use') open.add((block as { id: string }).id);
      }
      continue;
    }
    for (const id of results) if (!open.delete(id)) faults.push(`${id} is answered without being open`);
    if (results.length === 0 && open.size > 0) faults.push(`${[...open]} unanswered before ${message.uuid}`);
  }
  if (open.size > 0) faults.push(`${[...open]} unanswered at the end`);
  let last: ViewMessage | undefined;
  open = new Set();
  for (const message of view) {
    if (message.type === 'assistant') {
      if (last?.type !== 'assistant' && open.size > 0)
        faults.push(`${[...open]} unanswered before ${message.uuid}`);
      for (const block of message.message.content)
        if (block.type === 'tool_use') open.add((block as { id: string }).id);
    } else if (message.type === 'user' && typeof message.message.content !== 'string') {
      for (const block of message.message.content)
        if (block.type === 'tool_result') open.delete(block.tool_use_id);
    }
    last = message;
  }
  return faults;
}
