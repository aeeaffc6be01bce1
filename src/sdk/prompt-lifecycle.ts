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
  let turn: string[] = [];
  return {
    queued(uuid) {
      if (uuid !== undefined) say(uuid, 'queued');
    },
    started(uuid) {
      if (uuid === undefined) return;
      turn.push(uuid);
      say(uuid, 'started');
    },
    turnEnded(aborted) {
      for (const uuid of turn) say(uuid, aborted ? 'cancelled' : 'completed');
      turn = [];
    },
    cancelled: (uuid) => say(uuid, 'cancelled'),
  };
}
