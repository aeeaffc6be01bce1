/** Emits each state of a prompt that its sender gave a uuid (`command_lifecycle`). */
import type { PromptState } from '../../protocol/stream/session-messages.ts';

export interface PromptLifecycle {
  queued(uuid: string | undefined): void;
  /** A turn of its own begins. */
  started(uuid: string | undefined): void;
  /** It joined the running turn. */
  joined(uuid: string | undefined): void;
  /** The turn's result is next: prompts that joined it are completed, or, if `aborted`, cancelled. */
  turnEnding(aborted: boolean): void;
  /** The turn has ended and its result was emitted. */
  turnEnded(aborted: boolean): void;
  /** It was completed before. */
  completed(uuid: string): void;
  /** It left the queue before it began. */
  cancelled(uuid: string): void;
}

export function createPromptLifecycle(say: (uuid: string, state: PromptState) => void): PromptLifecycle {
  return new Lifecycle(say);
}

class Lifecycle implements PromptLifecycle {
  readonly #say: (uuid: string, state: PromptState) => void;
  /** Prompts of the running turn: its own, and those that joined it. */
  #own: readonly string[] = [];
  #joined: readonly string[] = [];

  constructor(say: (uuid: string, state: PromptState) => void) {
    this.#say = say;
  }

  queued(uuid: string | undefined): void {
    if (uuid !== undefined) this.#say(uuid, 'queued');
  }

  started(uuid: string | undefined): void {
    if (uuid === undefined) return;
    this.#own = [...this.#own, uuid];
    this.#say(uuid, 'started');
  }

  joined(uuid: string | undefined): void {
    if (uuid === undefined) return;
    this.#joined = [...this.#joined, uuid];
    this.#say(uuid, 'started');
  }

  turnEnding(aborted: boolean): void {
    this.#end(this.#joined, aborted);
    this.#joined = [];
  }

  turnEnded(aborted: boolean): void {
    this.turnEnding(aborted);
    this.#end(this.#own, aborted);
    this.#own = [];
  }

  completed(uuid: string): void {
    this.#say(uuid, 'completed');
  }

  cancelled(uuid: string): void {
    this.#say(uuid, 'cancelled');
  }

  #end(uuids: readonly string[], aborted: boolean): void {
    for (const uuid of uuids) this.#say(uuid, aborted ? 'cancelled' : 'completed');
  }
}
