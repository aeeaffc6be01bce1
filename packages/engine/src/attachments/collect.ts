import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { Life } from '../protocol/life.ts';
import type { AttachmentMessage } from '../protocol/model/messages.ts';
import type { Clock, Ids } from '../protocol/ports.ts';
import {
  type AttachmentInput,
  type AttachmentSource,
  type FoundAttachment,
  NOTHING_FOUND,
} from './source.ts';

/** Order of attachments behind the tool results; others come last, in the given order. */
export const ATTACHMENT_ORDER: readonly string[] = [
  'queued_commands',
  'changed_files',
  'memory',
  'skills',
  'plan_mode',
  'deferred_tools',
  'todo_reminder',
  'background_tasks',
  'hook_context',
];

interface AttachmentOptions {
  readonly sources: readonly AttachmentSource[];
  readonly clock: Clock;
  readonly ids: Ids;
  /** Called for a source that threw; the others continue. Default: ignored. */
  readonly onProblem?: ((source: string, error: unknown) => void) | undefined;
}

interface Attachments {
  collect(
    input: AttachmentInput,
    life: Life,
  ): readonly AttachmentMessage[] | Promise<readonly AttachmentMessage[]>;
  acknowledge(): readonly string[];
}

/** Calls all sources concurrently; the order of results is fixed. Collecting consumes nothing. */
export function createAttachments(options: AttachmentOptions): Attachments {
  return new Collector(options);
}

class Collector implements Attachments {
  readonly #options: AttachmentOptions;
  readonly #ordered: readonly AttachmentSource[];
  /** Those with an `acknowledge`. */
  readonly #consuming: readonly AttachmentSource[];

  constructor(options: AttachmentOptions) {
    this.#options = options;
    this.#ordered = inOrder(options.sources);
    this.#consuming = this.#ordered.filter((source) => source.acknowledge !== undefined);
  }

  collect(input: AttachmentInput, life: Life): ReturnType<Attachments['collect']> {
    if (life.aborted) return [];
    const answers: Answer[] = [];
    // On nearly every turn no source has anything.
    for (const source of this.#ordered) {
      const answer = this.#ask(source, input, life);
      if (answer instanceof Promise || answer.length > 0) answers.push(answer);
    }
    if (answers.length === 0) return [];
    return answers.some((answer) => answer instanceof Promise)
      ? this.#waitFor(answers, life)
      : (answers as readonly (readonly FoundAttachment[])[]).flatMap((found) => this.#messagesOf(found));
  }

  acknowledge(): readonly string[] {
    const consumed: string[] = [];
    for (const source of this.#consuming) consumed.push(...(source.acknowledge?.() ?? []));
    return consumed;
  }

  /** Sources may answer synchronously; then nothing is awaited. */
  #ask(source: AttachmentSource, input: AttachmentInput, life: Life): Answer {
    try {
      const found = source.collect(input, life);
      return found instanceof Promise ? found.catch((error) => this.#failed(source, error, life)) : found;
    } catch (error) {
      return this.#failed(source, error, life);
    }
  }

  #failed(source: AttachmentSource, error: unknown, life: Life): readonly FoundAttachment[] {
    if (!life.aborted) this.#options.onProblem?.(source.name, error);
    return NOTHING_FOUND;
  }

  /** In order, those that are ready in time. */
  async #waitFor(answers: readonly Answer[], life: Life): Promise<AttachmentMessage[]> {
    const gone = whenAborted(life.signal);
    const messages: AttachmentMessage[] = [];
    for (const answer of answers) {
      const found = await Promise.race([answer, gone.aborted]);
      if (life.aborted) break;
      messages.push(...this.#messagesOf(found));
    }
    gone.forget();
    return messages;
  }

  #messagesOf(found: readonly FoundAttachment[]): AttachmentMessage[] {
    const { clock, ids } = this.#options;
    return found.map((each) => toAttachmentMessage(each, clock, ids));
  }
}

type Answer = readonly FoundAttachment[] | Promise<readonly FoundAttachment[]>;

function inOrder(sources: readonly AttachmentSource[]): readonly AttachmentSource[] {
  const rank = ({ name }: AttachmentSource) => {
    const at = ATTACHMENT_ORDER.indexOf(name);
    return at < 0 ? ATTACHMENT_ORDER.length : at;
  };
  return [...sources].sort((a, b) => rank(a) - rank(b));
}

/** A found attachment as a message of the conversation. */
export function toAttachmentMessage(
  { attachment, rendered, uuid }: FoundAttachment,
  clock: Clock,
  ids: Ids,
): AttachmentMessage {
  return {
    type: 'attachment',
    uuid: uuid ?? ids.uuid(),
    timestamp: isoTime(clock.nowMs()),
    attachment,
    rendered,
  };
}

function whenAborted(signal: AbortSignal) {
  let forget = () => {};
  const aborted = new Promise<readonly FoundAttachment[]>((resolve) => {
    const onAbort = () => resolve(NOTHING_FOUND);
    signal.addEventListener('abort', onAbort, { once: true });
    forget = () => signal.removeEventListener('abort', onAbort);
  });
  return { aborted, forget };
}
