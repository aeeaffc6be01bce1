/** Restores skills behind a summary: the list, and the bodies of loaded ones (L2.6, F31). */

import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { CompactionSource } from '../protocol/model/context.ts';
import type { AttachmentMessage, ViewMessage } from '../protocol/model/messages.ts';
import type { Ids } from '../protocol/ports.ts';
import { toldIn, wholeListing } from './listing.ts';
import { skillNameIn } from './load-skill.ts';

interface RestoreOptions {
  readonly ids: Ids;
  nowMs(): number;
}

const INVOKED_SKILL = 'invoked_skill';

/** Limit per skill; of a longer one the beginning is shown. */
const MAX_CHARS = 20_000;
/** A lower bound, so that restored text never exceeds its limit. */
const CHARS_PER_TOKEN = 2.5;

/** The announced skills, as one list. */
export function skillListingSource(options: RestoreOptions): CompactionSource {
  return {
    name: 'skill-listing',
    async collect({ summarised, kept }) {
      const told = toldIn([...summarised, ...kept]);
      if (told === undefined || told.size === 0) return [];
      return [attached(wholeListing(told), options)];
    },
  };
}

/**
 * Derived from the conversation, so that it works after a resume as well; the latest first, within the limit.
 */
export function loadedSkillsSource(options: RestoreOptions): CompactionSource {
  return {
    name: 'loaded-skills',
    async collect({ summarised, kept, budgetTokens }) {
      const still = loadedIn(kept);
      const gone = [...loadedIn(summarised)].filter(([name]) => !still.has(name)).reverse();
      let left = budgetTokens * CHARS_PER_TOKEN;
      return gone.flatMap(([name, text]) => {
        const share = Math.floor(Math.min(left, MAX_CHARS));
        if (share < 200) return [];
        const shown =
          text.length > share ? `${text.slice(0, share)}\n… (cut off; load it again for the rest)` : text;
        left -= shown.length;
        const rendered = [reminder('You loaded this skill before; it still holds.', shown)];
        return [attached({ attachment: { type: INVOKED_SKILL, name, text: shown }, rendered }, options)];
      });
    },
  };
}

/** Name to text, each where it was loaded last. */
function loadedIn(messages: readonly ViewMessage[]): ReadonlyMap<string, string> {
  const loaded = new Map<string, string>();
  const add = (name: string, text: string) => {
    loaded.delete(name);
    loaded.set(name, text);
  };
  for (const message of messages) {
    if (message.type === 'attachment' && message.attachment.type === INVOKED_SKILL) {
      const { name, text } = message.attachment as { readonly name?: unknown; readonly text?: unknown };
      if (typeof name === 'string' && typeof text === 'string') add(name, text);
    } else if (message.type === 'user' && (message.kind === 'skill' || message.kind === 'command')) {
      const { content } = message.message;
      const texts =
        typeof content === 'string'
          ? [content]
          : content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      for (const text of texts) {
        const name = skillNameIn(text);
        if (name !== undefined) add(name, text);
      }
    }
  }
  return loaded;
}

function attached(
  { attachment, rendered }: Pick<AttachmentMessage, 'attachment' | 'rendered'>,
  { ids, nowMs }: RestoreOptions,
): AttachmentMessage {
  return {
    type: 'attachment',
    uuid: ids.uuid(),
    timestamp: isoTime(nowMs()),
    attachment,
    rendered,
  };
}
