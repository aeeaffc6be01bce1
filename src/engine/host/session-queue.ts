/** Prompts that wait while a submission runs, as a host puts and takes them. */
import type { Session } from '../session/session.ts';
import type { QueuedPrompt } from '../submission/queued-prompt.ts';

export class SessionQueue {
  readonly #session: Session;
  readonly #refuseClosed: () => void;

  /** `refuseClosed` throws `engine_closed` once the engine is closed. */
  constructor(session: Session, refuseClosed: () => void) {
    this.#session = session;
    this.#refuseClosed = refuseClosed;
  }

  /** For the running submission, which it joins when it can; see `take` for what did not join it. */
  async put(prompt: QueuedPrompt): Promise<void> {
    this.#refuseClosed();
    const { queue, tools, world } = this.#session;
    const { content, priority = 'next', uuid, origin } = prompt;
    const key = prompt.key ?? uuid ?? world.ids.uuid();
    const more = { ...(uuid !== undefined && { uuid }), ...(origin !== undefined && { origin }) };
    await queue.put({ key, priority, content: tools.admit(content), ...more });
  }

  /** The next prompt, by priority and then age; it is then the caller's to submit. */
  take(): QueuedPrompt | undefined {
    const [next] = this.list();
    if (next !== undefined) this.#session.queue.acknowledge([next.key]);
    return next;
  }

  /** In the order in which they would be taken. */
  list(): readonly (QueuedPrompt & { readonly key: string })[] {
    return this.#session.queue
      .peek()
      .map(({ key, content, uuid, priority }) => ({ key, content, uuid, priority }));
  }

  /** Returns the keys that were there and had not begun to join the running submission. */
  withdraw(keys: readonly string[]): readonly string[] {
    const { queue } = this.#session;
    return queue.acknowledge(keys.filter((key) => !queue.isJoining(key)));
  }

  /** Calls back with the keys of prompts that joined the running submission, until the returned function is called. */
  onJoined(listener: (keys: readonly string[]) => void): () => void {
    return this.#session.queue.onJoined(listener);
  }
}
