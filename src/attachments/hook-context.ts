import { reminder } from '../util/text/reminder.ts';
import { type AttachmentSource, type FoundAttachment, NOTHING_FOUND } from './source.ts';

export interface HookContextSource extends AttachmentSource {
  /** What hooks of this event want the model to know; shown at the next collection. */
  add(event: string, texts: readonly string[]): void;
}

/** Context that hooks gave outside the loop's own results (a prompt's, a session's start). */
export function hookContext(): HookContextSource {
  let waiting: FoundAttachment[] = [];
  return {
    name: 'hook_context',
    add(event, content) {
      if (content.length === 0) return;
      waiting.push({
        attachment: { type: 'hook_context', event, content },
        rendered: [reminder(`Context from the user's ${event} hook:`, ...content)],
      });
    },
    collect() {
      if (waiting.length === 0) return NOTHING_FOUND;
      const found = waiting;
      waiting = [];
      return found;
    },
  };
}
