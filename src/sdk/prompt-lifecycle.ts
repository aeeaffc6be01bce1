/** What becomes of each prompt that its sender gave a uuid: told at each change, to the end (`command_lifecycle`). */
import type { PromptState } from '../protocol/sdk-messages.ts';

export interface PromptLifecycle {
  queued(uuid: string | undefined): void;
  /** It is the running turn, or part of it. */
  started(uuid: string | undefined): void;
  /** The turn is over, its result given. `aborted`: what was asked for was not done. */
  turnEnded(aborted: boolean): void;
  /** It left the line before it began. */
  cancelled(uuid: string): void;
}

export function createPromptLifecycle(say: (uuid: string, state: PromptState) => void): PromptLifecycle {
  return new Lifecycle(say);
}

class Lifecycle implements PromptLifecycle {
  readonly #say: (uuid: string, state: PromptState) => void;
  #turn: readonly string[] = [];

  constructor(say: (uuid: string, state: PromptState) => void) {
    this.#say = say;
  }

  queued(uuid: string | undefined): void {
    if (uuid !== undefined) this.#say(uuid, 'queued');
  }

  started(uuid: string | undefined): void {
    if (uuid === undefined) return;
    this.#turn = [...this.#turn, uuid];
    this.#say(uuid, 'started');
  }

  turnEnded(aborted: boolean): void {
    for (const uuid of this.#turn) this.#say(uuid, aborted ? 'cancelled' : 'completed');
    this.#turn = [];
  }

  cancelled(uuid: string): void {
    this.#say(uuid, 'cancelled');
  }
}
