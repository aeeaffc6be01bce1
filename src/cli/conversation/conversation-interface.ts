/** A conversation, as screens and line mode drive it. */
import type { Options, Query } from '../../index.ts';
import type { ConversationClock } from './clock.ts';
import type { QueueControls, ReopenTarget } from './command-context.ts';
import type { ConversationEvent } from './reduce/reduce.ts';
import type { Step } from './reduce/step.ts';
import type { ConversationState, QueuedPrompt } from './state.ts';

export interface Conversation {
  readonly state: ConversationState;
  /** The session; another object after `reopen`. */
  readonly query: Query;
  /** Options that the session was opened with. */
  readonly options: Options;
  /** For events that come from the screen: hints, questions. */
  dispatch(event: ConversationEvent): void;
  /** Sends a prompt; while the session works it joins the work, or with `now` it interrupts what runs. */
  enter(prompt: NewPrompt, how?: 'now'): void;
  /** Finishes the turn that was cut off, else sends the first prompt that waits. False: there is neither. */
  sendHeld(): boolean;
  /** Takes the last prompt out of the queue; undefined: there is none that has not begun. */
  takeQueued(): Promise<QueuedPrompt | undefined>;
  readonly queue: QueueControls;
  /** Begins without the MCP servers that are waited for. False: none is. */
  goOnWithoutServers(): boolean;
  /** False: nothing runs. */
  interrupt(): boolean;
  /** Runs a command of the person's own; its output becomes a part of the conversation. */
  shell(command: string): void;
  /** Reads figures and model again, after a command that may have changed them. */
  refresh(): void;
  /** Switches to the next permission mode: manual, accept edits, plan. */
  cycleMode(): void;
  /** Reads what an earlier process has left of the session: its todo list, and a turn that was cut off. */
  lookBack(target: ReopenTarget): Promise<void>;
  /** Ends the session and opens another one. */
  reopen(target: ReopenTarget): Promise<void>;
  close(): Promise<void>;
  /** Rejects with the error that keeps the session from opening; resolves when it is open. */
  readonly opened: Promise<void>;
}

export type NewPrompt = Pick<QueuedPrompt, 'text' | 'images'>;

export interface ConversationOptions {
  /** Options of every session: `cwd`, `env`, `canUseTool` and so on. */
  readonly options: Options;
  readonly target: ReopenTarget;
  /** Prompts of an earlier process that were not sent. */
  readonly queue?: readonly QueuedPrompt[];
  readonly clock: ConversationClock;
  onStep(step: Step): void;
}
