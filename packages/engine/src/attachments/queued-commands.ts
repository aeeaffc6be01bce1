import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { Life } from '../protocol/life.ts';
import type { UserBlock } from '../protocol/model/wire.ts';
import type { InboxItem, InboxPriority } from '../protocol/ports.ts';
import { toolFacts } from '../protocol/tools/builtin-tools.ts';
import {
  type AttachmentInput,
  type AttachmentSource,
  type FoundAttachment,
  NOTHING_FOUND,
} from './source.ts';

const WHILE_WORKING: readonly InboxPriority[] = ['now', 'next'];
const AFTER_SLEEP: readonly InboxPriority[] = ['now', 'next', 'later'];

interface WaitingPrompts {
  /** By priority, then by arrival; removes nothing. */
  peek(priorities: readonly InboxPriority[]): readonly InboxItem[] | Promise<readonly InboxItem[]>;
  /** The turn of this lifetime is shown these; until it acknowledges them, they cannot be withdrawn. */
  offer(keys: readonly string[], turn: Life): void;
  /** Removes these; returns the keys that were in the queue. */
  acknowledge(keys: readonly string[]): readonly string[];
  /** Called with the keys that were consumed: they joined the turn, or were refused. */
  joined(keys: readonly string[]): void;
}

/** Whether a prompt may join; undefined: always. */
export type JudgePrompt = (
  item: InboxItem,
  signal: AbortSignal,
) => Promise<{ readonly refused: boolean; readonly context: readonly string[] }> | undefined;

interface JoiningRules {
  /** Holds prompts back that would join the running turn. Default: all join. */
  readonly judge?: JudgePrompt;
  /** What of a prompt may enter the conversation. Default: all of it. */
  readonly admit?: (content: InboxItem['content']) => InboxItem['content'];
}

/**
 * Prompts that arrived while the model worked. `later` waits for a turn in which the Sleep tool ran. A
 * refused prompt leaves the queue immediately, and never reaches the model.
 */
export function queuedCommands(queue: WaitingPrompts, rules: JoiningRules = {}): AttachmentSource {
  return new Commands(queue, rules);
}

const NO_KEYS: readonly string[] = Object.freeze([]);

class Commands implements AttachmentSource {
  readonly name = 'queued_commands';
  readonly #queue: WaitingPrompts;
  readonly #rules: JoiningRules;
  #offered = NO_KEYS;
  #refused = NO_KEYS;

  constructor(queue: WaitingPrompts, rules: JoiningRules) {
    this.#queue = queue;
    this.#rules = rules;
  }

  collect(
    { toolUses }: AttachmentInput,
    life: Life,
  ): readonly FoundAttachment[] | Promise<readonly FoundAttachment[]> {
    if (this.#offered.length > 0) this.#offer(NO_KEYS, life);
    const slept = toolUses.some(({ name }) => toolFacts(name).waits === true);
    const waiting = this.#queue.peek(slept ? AFTER_SLEEP : WHILE_WORKING);
    return 'length' in waiting && waiting.length === 0 ? NOTHING_FOUND : this.#join(waiting, life);
  }

  acknowledge(): readonly string[] {
    if (this.#offered.length + this.#refused.length === 0) return NO_KEYS;
    const consumed = [...this.#refused, ...this.#queue.acknowledge(this.#offered)];
    this.#offered = NO_KEYS;
    this.#refused = NO_KEYS;
    this.#queue.joined(consumed);
    return consumed;
  }

  #offer(keys: readonly string[], turn: Life): void {
    this.#offered = keys;
    this.#queue.offer(keys, turn);
  }

  async #join(waiting: ReturnType<WaitingPrompts['peek']>, life: Life): Promise<readonly FoundAttachment[]> {
    const joining: string[] = [];
    const found: FoundAttachment[] = [];
    for (const item of await waiting) {
      const verdict = await this.#rules.judge?.(item, life.signal);
      // Aborted: nothing is decided, and the prompt stays queued.
      if (life.aborted) return NOTHING_FOUND;
      if (verdict?.refused === true) {
        this.#refused = [...this.#refused, ...this.#queue.acknowledge([item.key])];
        continue;
      }
      joining.push(item.key);
      const content = this.#rules.admit?.(item.content) ?? item.content;
      found.push(toAttachment({ ...item, content }, verdict?.context ?? []));
    }
    this.#offer(joining, life);
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
