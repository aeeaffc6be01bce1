import type { InboxItem, InboxPriority } from '../protocol/ports.ts';
import type { UserBlock } from '../protocol/wire.ts';
import { reminder } from './reminder.ts';
import type { AttachmentSource, FoundAttachment } from './source.ts';

const WHILE_WORKING: readonly InboxPriority[] = ['now', 'next'];
const AFTER_SLEEP: readonly InboxPriority[] = ['now', 'next', 'later'];

/** What waits: `createInputQueue()` in process, or something slower with the same manners. */
export interface PeekableQueue {
  /** By priority, then by arrival; takes nothing away. */
  peek(priorities: readonly InboxPriority[]): readonly InboxItem[] | Promise<readonly InboxItem[]>;
  /** Takes these away; returns the keys that were there. */
  acknowledge(keys: readonly string[]): readonly string[];
}

/** What the user said while the model worked. `later` waits for a turn in which the Sleep tool ran. */
export function queuedCommands(queue: PeekableQueue): AttachmentSource {
  let peeked: readonly string[] = [];
  return {
    name: 'queued_commands',
    async collect({ toolUses }) {
      peeked = [];
      const slept = toolUses.some(({ name }) => name === 'Sleep');
      const items = await queue.peek(slept ? AFTER_SLEEP : WHILE_WORKING);
      peeked = items.map(({ key }) => key);
      return items.map(toAttachment);
    },
    acknowledge() {
      const consumed = queue.acknowledge(peeked);
      peeked = [];
      return consumed;
    },
  };
}

function toAttachment({ content, uuid }: InboxItem): FoundAttachment {
  return {
    attachment: {
      type: 'queued_command',
      prompt: content,
      ...(uuid === undefined ? {} : { sourceUuid: uuid }),
    },
    rendered: render(content),
  };
}

const INTRODUCTION = 'While you were working, the user sent this message.';
const ADVICE = 'Take it into account from here on; go on with the earlier task unless it says otherwise.';

function render(content: string | readonly UserBlock[]): readonly UserBlock[] {
  if (typeof content === 'string') return [reminder(INTRODUCTION, content, ADVICE)];
  return [reminder(`${INTRODUCTION} Its content follows. ${ADVICE}`), ...content];
}
