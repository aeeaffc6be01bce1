/** The resume table of L4.1: how an interrupted submission continues. */

import { stableUuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { AssistantMessage, UserMessage, ViewMessage } from '../../protocol/model/messages.ts';
import type { ToolUseBlock, Usage } from '../../protocol/model/wire.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { StateWhenParked } from '../../protocol/session/parking.ts';
import type { RecordedResponse, ResumePoint } from '../../protocol/session/resume-point.ts';
import type { Terminal } from '../../protocol/session/terminal.ts';
import type { PermissionDenial } from '../../protocol/tools/permission.ts';
import type { ToolCall } from '../../protocol/tools/tool-call.ts';
import type { ReplayedCall, ViewFold } from '../../view/fold.ts';
import type { OpenAsk, SubmissionState } from './submission-state.ts';

/**
 * `answered`: its result is recorded. `run`: it never started. `rerun`: it started and may run again with the
 * same effect key. `unknown`: it started with an unknown outcome; it never runs again.
 */
type CallPlan = 'answered' | 'run' | 'rerun' | 'unknown';

interface InterruptedCall {
  readonly call: ToolCall;
  readonly plan: CallPlan;
  readonly result: UserMessage | undefined;
  /** Id of the agent that it waited for. */
  readonly agent: string | undefined;
}

export interface InterruptedSubmission {
  readonly id: string;
  /** uuids of its prompts, and keys of queued prompts that joined it. */
  readonly prompts: readonly string[];
  /**
   * `ask`: a model call is next. `tools`: a response with calls is recorded. `stopped`: only the result is
   * missing; `terminal` says which.
   */
  readonly next: 'ask' | 'tools' | 'stopped';
  readonly terminal: Terminal | undefined;
  /** Where the loop continues it. */
  readonly startAt: ResumePoint;
  /** Calls of the last response, in the model's order; unless `tools` is next, those without a result. */
  readonly calls: readonly InterruptedCall[];
  /** Messages that would be emitted again when it continues. */
  readonly superseded: readonly string[];
  /** Records that close it before a new prompt: no model call, no tool run. */
  readonly closing: readonly JournalBody[];
  /** Records that are appended before it continues. */
  readonly reopening: readonly JournalBody[];
  readonly asks: readonly OpenAsk[];
  /** When the sleep of a call is over, in ms since 1970, by the id of the call. */
  readonly sleeps: Readonly<Record<string, number>>;
  /** Usage of its responses, for its result. */
  readonly usages: readonly Usage[];
  /** A command, or an overload, had replaced the first model. */
  readonly switched: { readonly from: string; readonly to: string } | undefined;
  /** The permission modes in which it began and was parked; undefined: it was not parked. */
  readonly modes: { readonly from: string | undefined; readonly to: string } | undefined;
  /** Files that it had read when it was parked, by path. */
  readonly filesRead: NonNullable<StateWhenParked['filesRead']>;
  /** Rules that a command or skill had granted for its duration. */
  readonly lent: readonly string[];
  /** Its completion conditions. */
  readonly verify: SubmissionState['verify'];
  /** Denied calls of its agents. */
  readonly denied: readonly PermissionDenial[];
  /** Its messages so far, which its result counts and quotes. */
  readonly said: readonly (AssistantMessage | UserMessage)[];
}

/** undefined: there was no prompt, or another program's transcript ends with an answer. */
export function interruptedSubmission(
  state: SubmissionState,
  view: ViewFold,
  timestamp: string,
): InterruptedSubmission | undefined {
  const all = view.calls.map((call) => planned(call, state));
  const unanswered = all.filter(({ plan }) => plan !== 'answered');
  if (!state.isPrompted) return undefined;
  if (state.foreign && all.length === 0 && view.answers.length > 0 && view.rest.length === 0)
    return undefined;
  const terminal = state.terminal(all.length > 0);
  const undecided = state.iteration > 0 && !state.wentOn && terminal === undefined;
  const tools = undecided ? all.length > 0 : state.foreign && unanswered.length > 0;
  const next = terminal !== undefined ? 'stopped' : tools ? 'tools' : 'ask';
  const iteration = state.iteration === 0 || state.wentOn ? state.iteration + 1 : state.iteration;
  const { id, turnCount, carried } = state;
  // Earlier open calls are closed, never continued.
  const calls = next === 'tools' ? all : unanswered;
  const place = { submission: id, iteration, timestamp };
  const closing = calls.flatMap((each) => closeCall(each, place));
  const superseded = undecided ? saidAgain(next, view).map(({ uuid }) => uuid) : [];
  const unknown = calls.filter(({ plan }) => plan === 'unknown');
  return {
    id,
    prompts: state.prompts,
    next,
    terminal,
    startAt: {
      iteration,
      turnCount,
      carried,
      response: next === 'tools' ? toRecordedResponse(calls, place, state) : undefined,
    },
    calls,
    superseded,
    closing,
    reopening: [
      ...(next === 'tools' ? unknown.flatMap((each) => closeCall(each, place)) : closing),
      ...retraction(superseded, place),
    ],
    asks: [...state.asks.values()].filter(({ toolUseId }) =>
      unanswered.some(({ call }) => call.block.id === toolUseId),
    ),
    sleeps: state.parked?.sleeps ?? {},
    usages: state.usages,
    switched: state.switchedModel === undefined ? undefined : { from: state.model, to: state.switchedModel },
    modes: state.parked && { from: state.permissionMode, to: state.parked.permissionMode },
    filesRead: state.parked?.filesRead ?? {},
    lent: state.lent,
    denied: state.denied,
    verify: state.verify,
    said: state.said,
  };
}

/** Calls that never started, or may run again, run; the others have their result. */
function toRecordedResponse(
  calls: readonly InterruptedCall[],
  place: Place,
  { parked, stopReason }: SubmissionState,
): RecordedResponse {
  return {
    isRefusal: stopReason === 'refusal',
    collected: parked?.collected,
    calls: calls.map(({ call }) => call),
    known: calls.flatMap((each) => each.result ?? (each.plan === 'unknown' ? madeResult(each, place) : [])),
  };
}

/** A response without calls is requested again (L4.3); with calls, what follows the tools is made anew. */
function saidAgain(next: InterruptedSubmission['next'], view: ViewFold): readonly ViewMessage[] {
  return [...(next === 'ask' ? view.answers : []), ...view.rest.filter(isMadeAgain)];
}

function planned({ block, assistantUuid, result }: ReplayedCall, state: SubmissionState): InterruptedCall {
  return {
    call: {
      block,
      assistantUuid,
      effectKey: `${state.id}/${state.iteration}/${state.attempt}/tool/${block.id}`,
      unparsed: unparsedInput(block, state),
    },
    plan: result !== undefined ? 'answered' : planCall(block.id, state),
    result,
    agent: state.agents.get(block.id),
  };
}

function planCall(id: string, state: SubmissionState): CallPlan {
  const effectClass = state.intents.get(id);
  // Other programs write no intents: whether the call started is unknown.
  if (state.unknown.has(id) || state.foreign) return 'unknown';
  if (effectClass === undefined) return 'run';
  return effectClass === 'unsafe' || state.stopReason === 'refusal' ? 'unknown' : 'rerun';
}

/** The loop's mark on a call whose input did not parse: it never runs. */
function unparsedInput(block: ToolUseBlock, state: SubmissionState): ToolCall['unparsed'] {
  const mark = block.input['__unparsedToolInput'];
  if (typeof mark !== 'object' || mark === null || !('raw' in mark)) return undefined;
  return { raw: String(mark.raw), cut: state.stopReason === 'max_tokens' };
}

const MADE_AGAIN: ReadonlySet<string> = new Set<NonNullable<UserMessage['kind']>>([
  'nudge',
  'structured_nudge',
  'resume',
  'hook_feedback',
  'verify_feedback',
]);

/** Attachments and nudges follow the tools and precede the decision: they are made anew. */
function isMadeAgain(message: ViewMessage): boolean {
  if (message.type === 'attachment') return message.attachment.type !== 'structured_output';
  if (message.type !== 'user') return false;
  const { kind } = message;
  return kind !== undefined && MADE_AGAIN.has(kind);
}

const NEVER_RAN = 'Interrupted before it ran: the session ended first. Nothing was done.';
const OUTCOME_UNKNOWN =
  'Interrupted, outcome unknown: the session ended while this call was running. It may have had its effect in full, in part or not at all; check before you repeat it.';

/** For the model, in the words of a tool result that names its agent. */
const loseAgent = (agent: string): string =>
  `The agent ${agent} did not complete (lost): its process ended first. What it did until then is kept: SendMessage to "${agent}" goes on with it. A call that it was making then has an unknown outcome.`;

/** Where the records belong that a resume makes. `timestamp`: of the last record. */
interface Place {
  readonly submission: string;
  readonly iteration: number;
  readonly timestamp: string;
}

/** Answers a call for good: as never run, or with an unknown outcome. */
function closeCall(each: InterruptedCall, place: Place): readonly JournalBody[] {
  const { submission, iteration } = place;
  const toolUseId = each.call.block.id;
  switch (each.plan) {
    case 'answered':
      return [];
    case 'run':
      return [{ ...madeResult(each, place), submission }];
    default: {
      const id = `${submission}/${iteration}/resume/unknown/${toolUseId}`;
      return [
        { type: 'unknown', id, submission, toolUseId },
        { ...madeResult(each, place), submission },
      ];
    }
  }
}

function retraction([first, ...others]: readonly string[], { submission, iteration }: Place): JournalBody[] {
  if (first === undefined) return [];
  const id = `${submission}/${iteration}/resume/retract/${first}`;
  return [{ type: 'retract', id, submission, uuids: [first, ...others], reason: 'superseded' }];
}

function madeResult({ call, plan, agent }: InterruptedCall, { submission, timestamp }: Place): UserMessage {
  const nonExecution = plan === 'run' ? 'aborted' : 'unknown_outcome';
  const lost = plan !== 'run' && agent !== undefined ? loseAgent(agent) : undefined;
  const content = plan === 'run' ? NEVER_RAN : (lost ?? OUTCOME_UNKNOWN);
  const message: UserMessage = {
    type: 'user',
    uuid: stableUuid(`${submission}/${nonExecution}/${call.block.id}`),
    timestamp,
    kind: 'tool_result',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: call.block.id, content, is_error: true }],
    },
    sourceAssistantUuid: call.assistantUuid,
    nonExecution,
    ...(lost !== undefined && {
      toolUseResult: { status: 'failed', reason: 'lost', agentId: agent, error: lost },
    }),
  };
  return Object.freeze(message);
}
