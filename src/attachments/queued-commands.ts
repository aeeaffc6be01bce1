import type { Life } from '../protocol/life.ts';
import type { UserBlock } from '../protocol/model/wire.ts';
import type { InboxItem, InboxPriority } from '../protocol/ports.ts';
import { reminder } from '../util/text/reminder.ts';
import {
  type AttachmentInput,
  type AttachmentSource,
  type FoundAttachment,
  NOTHING_FOUND,
} from './source.ts';

const WHILE_WORKING: readonly InboxPriority[] = ['now', 'next'];
const AFTER_SLEEP: readonly InboxPriority[] = ['now', 'next', 'later'];

/** The queue: `createInputQueue()` in process, or an asynchronous one with the same contract. */
interface PeekableQueue {
  /** By priority, then by arrival; removes nothing. */
  peek(priorities: readonly InboxPriority[]): readonly InboxItem[] | Promise<readonly InboxItem[]>;
  /** Removes these; returns the keys that were in the queue. */
  acknowledge(keys: readonly string[]): readonly string[];
}

/** Whether a prompt may join; undefined: always. */
export type JudgePrompt = (
  item: InboxItem,
  signal: AbortSignal,
) => Promise<{ readonly refused: boolean; readonly context: readonly string[] }> | undefined;

export interface QueuedCommands extends AttachmentSource {
  /** It was attached to the running turn, which has not acknowledged it yet: it cannot be withdrawn now. */
  isJoining(key: string): boolean;
}

/**
 * Prompts that arrived while the model worked. `later` waits for a turn in which the Sleep tool ran. A
 * refused prompt leaves the queue immediately, and never reaches the model.
 */
export function queuedCommands(queue: PeekableQueue, judge?: JudgePrompt): QueuedCommands {
  return new Commands(queue, judge);
}

const NO_KEYS: readonly string[] = Object.freeze([]);

class Commands implements QueuedCommands {
  readonly name = 'queued_commands';
  readonly #queue: PeekableQueue;
  readonly #judge: JudgePrompt | undefined;
  #peeked = NO_KEYS;
  #refused = NO_KEYS;
  #turn: Life | undefined;

  constructor(queue: PeekableQueue, judge: JudgePrompt | undefined) {
    this.#queue = queue;
    this.#judge = judge;
  }

  isJoining(key: string): boolean {
    return this.#turn?.aborted === false && this.#peeked.includes(key);
  }

  collect(
    { toolUses }: AttachmentInput,
    life: Life,
  ): readonly FoundAttachment[] | Promise<readonly FoundAttachment[]> {
    this.#peeked = NO_KEYS;
    this.#turn = life;
    const slept = toolUses.some(({ name }) => name === 'Sleep');
    const waiting = this.#queue.peek(slept ? AFTER_SLEEP : WHILE_WORKING);
    return 'length' in waiting && waiting.length === 0 ? NOTHING_FOUND : this.#join(waiting, life);
  }

  acknowledge(): readonly string[] {
    const consumed = [...this.#refused, ...this.#queue.acknowledge(this.#peeked)];
    this.#peeked = NO_KEYS;
    this.#refused = NO_KEYS;
    return consumed;
  }

  async #join(waiting: ReturnType<PeekableQueue['peek']>, life: Life): Promise<readonly FoundAttachment[]> {
    const joining: string[] = [];
    const found: FoundAttachment[] = [];
    for (const item of await waiting) {
      const verdict = await this.#judge?.(item, life.signal);
      // Aborted: nothing is decided, and the prompt stays queued.
      if (life.aborted) return NOTHING_FOUND;
      if (verdict?.refused === true) {
        this.#refused = [...this.#refused, ...this.#queue.acknowledge([item.key])];
        continue;
      }
      joining.push(item.key);
      found.push(toAttachment(item, verdict?.context ?? []));
    }
    this.#peeked = joining;
    return found;
  }
}

function toAttachment({ content, uuid, origin }: InboxItem, context: readonly string[]): FoundAttachment {
  return {
    attachment: {
      type: 'queued_command',
      prompt: content,
      ...(uuid === undefined ? {} : { sourceUuid: uuid }),
      ...(origin === undefined ? {} : { origin }),
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
