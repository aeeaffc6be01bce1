import type { AttachmentMessage } from '../protocol/messages.ts';
import type { Clock, Ids } from '../protocol/ports.ts';
import {
  type AttachmentInput,
  type AttachmentSource,
  type FoundAttachment,
  NOTHING_FOUND,
} from './source.ts';

/** The order behind the tool results; what is not named here comes last, in the order it was given. */
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

export interface AttachmentOptions {
  readonly sources: readonly AttachmentSource[];
  readonly clock: Clock;
  readonly ids: Ids;
  /** Told about a source that threw; the others go on. Default: nobody is told. */
  readonly onProblem?: ((source: string, error: unknown) => void) | undefined;
}

export interface Attachments {
  collect(
    input: AttachmentInput,
    signal: AbortSignal,
  ): AsyncGenerator<AttachmentMessage, readonly AttachmentMessage[]>;
  acknowledge(): Promise<readonly string[]>;
}

/** Asks every source at once and yields what they found in the one order. Collecting consumes nothing. */
export function createAttachments({ sources, clock, ids, onProblem }: AttachmentOptions): Attachments {
  const ordered = inOrder(sources);

  /** A source that need not look anywhere answers at once, and then nothing waits. */
  const ask = (source: AttachmentSource, input: AttachmentInput, signal: AbortSignal) => {
    const failed = (error: unknown) => {
      if (!signal.aborted) onProblem?.(source.name, error);
      return NOTHING_FOUND;
    };
    try {
      const found = source.collect(input, signal);
      return found instanceof Promise ? found.catch(failed) : found;
    } catch (error) {
      return failed(error);
    }
  };

  return {
    async *collect(input, signal) {
      const messages: AttachmentMessage[] = [];
      if (signal.aborted) return messages;
      const asked = ordered.map((source) => ask(source, input, signal));
      const gone = asked.some((answer) => answer instanceof Promise) ? whenAborted(signal) : undefined;
      try {
        for (const answer of asked) {
          const found = answer instanceof Promise ? await Promise.race([answer, gone?.aborted]) : answer;
          if (found === undefined || signal.aborted) break;
          for (const each of found) {
            const message = attachmentMessageOf(each, clock, ids);
            messages.push(message);
            yield message;
          }
        }
      } finally {
        gone?.forget();
      }
      return messages;
    },
    async acknowledge() {
      const keys: string[] = [];
      for (const source of ordered) {
        if (source.acknowledge !== undefined) keys.push(...(await source.acknowledge()));
      }
      return keys;
    },
  };
}

function inOrder(sources: readonly AttachmentSource[]): readonly AttachmentSource[] {
  const rank = ({ name }: AttachmentSource) => {
    const at = ATTACHMENT_ORDER.indexOf(name);
    return at < 0 ? ATTACHMENT_ORDER.length : at;
  };
  return [...sources].sort((a, b) => rank(a) - rank(b));
}

/** A found attachment as a message of the conversation. */
export function attachmentMessageOf(
  { attachment, rendered, uuid }: FoundAttachment,
  clock: Clock,
  ids: Ids,
): AttachmentMessage {
  return {
    type: 'attachment',
    uuid: uuid ?? ids.uuid(),
    timestamp: new Date(clock.nowMs()).toISOString(),
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
