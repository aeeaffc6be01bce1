/** The events of a run so far, read by any number of connections, each at its own pace. */
import type { SDKMessage } from '@turnwright/engine/protocol/stream/sdk-messages.ts';
import type { PageEvent } from './page-events.ts';

type Unnumbered = PageEvent extends infer E ? (E extends PageEvent ? Omit<E, 'id'> : never) : never;

/**
 * Holds whole messages, and of stream events only those of the blocks that are still being written: a reader
 * that comes later, or is slow, receives the finished block in their place.
 */
export class EventLog {
  #events: PageEvent[] = [];
  #next = 0;
  readonly #waiting = new Set<() => void>();

  get ended(): boolean {
    return this.#events.at(-1)?.event === 'end';
  }

  add(event: Unnumbered): void {
    if (this.ended) return;
    if (event.event === 'message') this.#forgetParts(event.data);
    this.#events.push({ ...event, id: this.#next++ } as PageEvent);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** The first event behind `id`; undefined: there is none yet. */
  after(id: number): PageEvent | undefined {
    let from = 0;
    let to = this.#events.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#events[middle] as PageEvent).id > id) to = middle;
      else from = middle + 1;
    }
    return this.#events[from];
  }

  /** Resolves with the next event, or when `signal` fires. */
  async changed(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  #forgetParts(message: SDKMessage): void {
    if (message.type !== 'assistant') return;
    const isPart = (event: PageEvent) =>
      event.event === 'message' &&
      event.data.type === 'stream_event' &&
      event.data.parent_tool_use_id === message.parent_tool_use_id;
    // The start of the response stays: it says that what was shown of an earlier attempt is retracted.
    const isStart = (event: PageEvent) =>
      event.event === 'message' &&
      event.data.type === 'stream_event' &&
      event.data.event.type === 'message_start';
    let at = this.#events.length;
    while (at > 0 && !isWhole(this.#events[at - 1] as PageEvent)) at -= 1;
    const before = this.#events.slice(0, at);
    const parts = this.#events.slice(at);
    this.#events = [...before, ...parts.filter((event) => !isPart(event) || isStart(event))];
  }
}

const isWhole = ({ event, data }: PageEvent) => event === 'message' && data.type === 'assistant';
