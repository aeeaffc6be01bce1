/** Images and documents that the API refused make way for notes that name them (L7 rule 4, F11). */
import type { RecoveryOutcome, StepInput } from '../protocol/context.ts';
import type { ViewMessage } from '../protocol/messages.ts';
import type { ViewEdit } from '../protocol/view.ts';
import { withoutMedia } from './media.ts';
import { estimateMessage } from './token-estimate.ts';

/** All of them: the refusal does not say which one, and the rule tries once. */
export function reduceMedia({ view }: StepInput): RecoveryOutcome {
  const messages = view.slice();
  const names = fileNames(messages);
  const edits: ViewEdit[] = [];
  let tokensFreed = 0;
  for (const message of messages) {
    const item = withoutMedia(message, (id) => names.get(id));
    if (item === undefined) continue;
    edits.push({ kind: 'replace', uuid: message.uuid, item });
    tokensFreed += estimateMessage(message) - estimateMessage(item);
  }
  if (edits.length === 0) return { kind: 'none', why: 'the view holds no image and no document' };
  return { kind: 'edits', source: 'replacement', edits, tokensFreed, compacted: false };
}

/** The file each call was about, where its input says. */
function fileNames(messages: readonly ViewMessage[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.type !== 'assistant') continue;
    for (const block of message.message.content) {
      if (block.type !== 'tool_use') continue;
      const path = block.input['file_path'] ?? block.input['path'];
      if (typeof path === 'string') names.set(block.id, path);
    }
  }
  return names;
}
