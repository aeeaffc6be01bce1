/** What the scripted model says, and when: data (YAML, JSON or these types), or a function. */
import type { Usage } from '../../protocol/wire.ts';
import type { Fault, FaultName } from '../faults/fault.ts';
import type { RehearsalRequest, RequestKind } from './rehearsal-request.ts';

export interface ScriptedText {
  readonly type: 'text';
  readonly text: string;
}

/** Signed by the server for the model that was asked. */
export interface ScriptedThinking {
  readonly type: 'thinking';
  readonly thinking: string;
}

export interface ScriptedRedactedThinking {
  readonly type: 'redacted_thinking';
  /** Sealed by the server; nobody reads it. */
  readonly data: string;
}

export interface ScriptedToolUse {
  readonly type: 'tool_use';
  /** Given by the server when absent. */
  readonly id?: string;
  readonly name: string;
  /** Strings in it may hold `{{…}}` (`reply/template.ts`). */
  readonly input: Readonly<Record<string, unknown>>;
}

export type ScriptedBlock = ScriptedText | ScriptedThinking | ScriptedRedactedThinking | ScriptedToolUse;

/** Pauses in ms, all 0 by default: then no timer is set and the answer leaves in one write. */
export interface Timing {
  /** Before the response headers. */
  readonly headersMs?: number;
  /** Between the headers and the first event. */
  readonly ttftMs?: number;
  /** Before each delta. */
  readonly gapMs?: number;
  /** After each finished block. */
  readonly blockPauseMs?: number;
  /** Characters of one delta. Default 64. */
  readonly deltaChars?: number;
  /** A `ping` event this often while pausing; true means every 15 s. Off by default. */
  readonly pings?: number | boolean;
}

export interface Reply {
  readonly blocks: readonly ScriptedBlock[];
  /** Default: `tool_use` when a tool is called, else `end_turn`. */
  readonly stop_reason?: string;
  readonly stop_sequence?: string;
  /** Laid over the usage the server counts. */
  readonly usage?: Partial<Usage>;
  readonly timing?: Timing;
  readonly faults?: readonly (Fault | FaultName)[];
}

/** All that is given must hold. */
export interface Condition {
  /** The n-th request of its kind in its session, from 1; refused ones do not count. */
  readonly call?: number;
  /** Found in the text of the last user message, tool results included, without reminders before it. */
  readonly lastMessage?: RegExp | string;
  /** Every one of these tools is offered. */
  readonly toolsOffered?: readonly string[];
  /** Default `main`. */
  readonly kind?: RequestKind | 'any';
  readonly model?: string;
}

export interface ScriptedReply extends Reply {
  readonly when?: Condition;
  /** How often it may be used in a session. Default 1. */
  readonly times?: number | 'any';
  /** Where it stands, for messages; set by the loader. */
  readonly source?: string;
}

/** Replies are tried in order; the first that is left and whose conditions hold is given. */
export interface Scenario {
  readonly name: string;
  readonly replies: readonly ScriptedReply[];
  /** For `{{vars.name}}`. */
  readonly vars?: Readonly<Record<string, string>>;
  readonly source?: string;
}

/** Undefined: no reply for this request, which is answered with an error. */
export type ScenarioFunction = (request: RehearsalRequest) => Reply | undefined | Promise<Reply | undefined>;

/** Gives a scenario its type. */
export function defineScenario(scenario: Scenario): Scenario {
  return scenario;
}

export function text(value: string): ScriptedText {
  return { type: 'text', text: value };
}

export function thinking(value: string): ScriptedThinking {
  return { type: 'thinking', thinking: value };
}

export function toolUse(
  name: string,
  input: Readonly<Record<string, unknown>> = {},
  id?: string,
): ScriptedToolUse {
  return { type: 'tool_use', name, input, ...(id === undefined ? {} : { id }) };
}

/** A reply of these blocks; a string is a text block. */
export function reply(
  blocks: string | ScriptedBlock | readonly (string | ScriptedBlock)[],
  rest: Omit<ScriptedReply, 'blocks'> = {},
): ScriptedReply {
  const list: readonly (string | ScriptedBlock)[] = Array.isArray(blocks)
    ? blocks
    : [blocks as string | ScriptedBlock];
  return { ...rest, blocks: list.map((block) => (typeof block === 'string' ? text(block) : block)) };
}
