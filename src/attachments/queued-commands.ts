import type { InboxItem, InboxPriority, Life } from '../protocol/ports.ts';
import type { UserBlock } from '../protocol/wire.ts';
import { reminder } from '../util/reminder.ts';
import { type AttachmentSource, type FoundAttachment, NOTHING_FOUND } from './source.ts';

const WHILE_WORKING: readonly InboxPriority[] = ['now', 'next'];
const AFTER_SLEEP: readonly InboxPriority[] = ['now', 'next', 'later'];

/** What waits: `createInputQueue()` in process, or something slower with the same manners. */
export interface PeekableQueue {
  /** By priority, then by arrival; takes nothing away. */
  peek(priorities: readonly InboxPriority[]): readonly InboxItem[] | Promise<readonly InboxItem[]>;
  /** Takes these away; returns the keys that were there. */
  acknowledge(keys: readonly string[]): readonly string[];
}

/** Whether a prompt may join; undefined: nobody asks. */
export type JudgePrompt = (
  item: InboxItem,
  signal: AbortSignal,
) => Promise<{ readonly refused: boolean; readonly context: readonly string[] }> | undefined;

export interface QueuedCommands extends AttachmentSource {
  /** It was shown to the running turn, which has not taken it yet: it cannot be withdrawn now. */
  isJoining(key: string): boolean;
}

/**
 * What the user said while the model worked. `later` waits for a turn in which the Sleep tool ran. What is refused
 * leaves the queue at once, and never comes before the model.
 */
export function queuedCommands(queue: PeekableQueue, judge?: JudgePrompt): QueuedCommands {
  let peeked: readonly string[] = [];
  let refused: string[] = [];
  let turn: Life | undefined;

  async function join(
    waiting: ReturnType<PeekableQueue['peek']>,
    life: Life,
  ): Promise<readonly FoundAttachment[]> {
    const joining: string[] = [];
    const found: FoundAttachment[] = [];
    for (const item of await waiting) {
      const verdict = await judge?.(item, life.signal);
      // Nothing is decided then: the prompt stays in line.
      if (life.aborted) return NOTHING_FOUND;
      if (verdict?.refused === true) {
        refused.push(...queue.acknowledge([item.key]));
        continue;
      }
      joining.push(item.key);
      found.push(toAttachment(item, verdict?.context ?? []));
    }
    peeked = joining;
    return found;
  }

  return {
    name: 'queued_commands',
    isJoining: (key) => turn?.aborted === false && peeked.includes(key),
    collect({ toolUses }, life) {
      peeked = [];
      turn = life;
      const slept = toolUses.some(({ name }) => name === 'Sleep');
      const waiting = queue.peek(slept ? AFTER_SLEEP : WHILE_WORKING);
      return 'length' in waiting && waiting.length === 0 ? NOTHING_FOUND : join(waiting, life);
    },
    acknowledge() {
      const consumed = [...refused, ...queue.acknowledge(peeked)];
      peeked = [];
      refused = [];
      return consumed;
    },
  };
}

function toAttachment({ content, uuid }: InboxItem, context: readonly string[]): FoundAttachment {
  return {
    attachment: {
      type: 'queued_command',
      prompt: content,
      ...(uuid === undefined ? {} : { sourceUuid: uuid }),
    },
    rendered: [...render(content), ...(context.length === 0 ? [] : [reminder(CONTEXT, ...context)])],
  };
}

const CONTEXT = "Context from the user's UserPromptSubmit hook:";
const INTRODUCTION = 'While you were working, the user sent this message.';
const ADVICE = 'Take it into account from here on; go on with the earlier task unless it says otherwise.';

function render(content: string | readonly UserBlock[]): readonly UserBlock[] {
  if (typeof content === 'string') return [reminder(INTRODUCTION, content, ADVICE)];
  return [reminder(`${INTRODUCTION} Its content follows. ${ADVICE}`), ...content];
}
