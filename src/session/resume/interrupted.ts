/** The resume table of L4.1: how an interrupted submission continues. */

import type { AssistantMessage, UserMessage, ViewMessage } from '../../protocol/model/messages.ts';
import type { ToolUseBlock, Usage } from '../../protocol/model/wire.ts';
import type { CarriedState } from '../../protocol/session/decision-record.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { Terminal } from '../../protocol/session/terminal.ts';
import type { PermissionDenial } from '../../protocol/tools/permission.ts';
import type { EffectClass, ToolCall } from '../../protocol/tools/tool.ts';
import { stableUuid } from '../../util/ids/stable-uuid.ts';
import type { ReplayedCall, ViewFold } from '../../view/fold.ts';
import type { CallFacts, OpenAsk, SubmissionState } from './submission-state.ts';

/**
 * `answered`: its result is recorded. `run`: it never started. `rerun`: it started and may run again with the
 * same effect key. `unknown`: it started with an unknown outcome; it never runs again.
 */
type CallPlan = 'answered' | 'run' | 'rerun' | 'unknown';

interface InterruptedCall {
  readonly call: ToolCall;
  readonly plan: CallPlan;
  readonly result: UserMessage | undefined;
  /** Effect class in its intent, if one is recorded. */
  readonly effectClass: EffectClass | undefined;
  /** The input that was about to run, if it differs from the model's. */
  readonly updatedInput?: unknown;
}

export interface InterruptedSubmission {
  readonly id: string;
  readonly model: string;
  readonly permissionMode: string;
  /** uuids of its prompts, and keys of queued prompts that joined it. */
  readonly prompts: readonly string[];
  /** The interrupted iteration, or the next one if the last was decided. */
  readonly iteration: number;
  readonly turnCount: number;
  /**
   * `ask`: a model call is next. `tools`: a response with calls is recorded. `stopped`: only the result is
   * missing; `terminal` says which.
   */
  readonly next: 'ask' | 'tools' | 'stopped';
  readonly terminal?: Terminal;
  /** Calls of the last response, in the model's order. */
  readonly calls: readonly InterruptedCall[];
  /** Messages that would be emitted again when it continues. */
  readonly superseded: readonly string[];
  readonly asks: readonly OpenAsk[];
  /** State that the next iteration starts with. */
  readonly carried: CarriedState | undefined;
  /** Usage of its responses, for its result. */
  readonly usages: readonly Usage[];
  /** A command, or an overload, had replaced the first model. */
  readonly switched: { readonly from: string; readonly to: string } | undefined;
  /** Rules that a command or skill had granted for its duration. */
  readonly lent: readonly string[];
  /** Denied calls of its agents. */
  readonly denied: readonly PermissionDenial[];
  /** Its messages so far, which its result counts and quotes. */
  readonly said: readonly (AssistantMessage | UserMessage)[];
  /** Time of the last record. */
  readonly timestamp: string;
}

/** Input of the loop, in the shape of its `CarryOn`. */
interface CarryOnPlan {
  readonly iteration: number;
  readonly turnCount: number;
  readonly calls: readonly ToolCall[];
  readonly known: readonly UserMessage[];
}

/** Records that close an interrupted submission before a new prompt: no model call, no tool run. */
export function closeInterrupted(open: InterruptedSubmission): readonly JournalBody[] {
  return open.calls.flatMap((each) => {
    if (each.plan === 'answered') return [];
    return each.plan === 'run' ? [neverRan(each, open)] : outcomeUnknown(each, open);
  });
}

/**
 * Continues a submission to its one result: `records` are appended first. Without `carryOn` the model is
 * called again (`ask`) or only the result is missing (`stopped`).
 */
export function carryOnInterrupted(open: InterruptedSubmission): {
  readonly records: readonly JournalBody[];
  readonly carryOn: CarryOnPlan | undefined;
} {
  if (open.next !== 'tools')
    return { records: [...closeInterrupted(open), ...retraction(open)], carryOn: undefined };
  const records: JournalBody[] = [];
  const known: UserMessage[] = [];
  for (const each of open.calls) {
    if (each.result !== undefined) known.push(each.result);
    if (each.plan !== 'unknown') continue;
    const [unknown, result] = outcomeUnknown(each, open);
    records.push(unknown, result);
    const { submission: _submission, ...message } = result;
    known.push(Object.freeze(message));
  }
  const { iteration, turnCount } = open;
  return {
    records: [...records, ...retraction(open)],
    carryOn: { iteration, turnCount, calls: open.calls.map(({ call }) => call), known },
  };
}

function retraction({ id, iteration, superseded }: InterruptedSubmission): JournalBody[] {
  const [first] = superseded;
  if (first === undefined) return [];
  const record = `${id}/${iteration}/resume/retract/${first}`;
  return [{ type: 'retract', id: record, submission: id, uuids: superseded, reason: 'superseded' }];
}

/** undefined: there was no prompt, or another program's transcript ends with an answer. */
export function interruptedSubmission(
  state: SubmissionState,
  replay: ViewFold,
  timestamp: string,
): InterruptedSubmission | undefined {
  const calls = replay.calls.map((call) => planned(call, state));
  const unanswered = calls.filter(({ plan }) => plan !== 'answered');
  if (!state.prompted) return undefined;
  if (state.foreign && calls.length === 0 && replay.answers.length > 0 && replay.rest.length === 0)
    return undefined;
  const terminal = state.terminal(calls.length > 0);
  const undecided = state.iteration > 0 && !state.wentOn && terminal === undefined;
  const tools = undecided ? calls.length > 0 : state.foreign && unanswered.length > 0;
  const next = terminal !== undefined ? 'stopped' : tools ? 'tools' : 'ask';
  return {
    id: state.id,
    model: state.model,
    permissionMode: state.permissionMode,
    prompts: state.prompts,
    iteration: state.iteration === 0 || state.wentOn ? state.iteration + 1 : state.iteration,
    turnCount: state.turnCount,
    next,
    ...(terminal === undefined ? {} : { terminal }),
    // Earlier open calls are closed, never continued.
    calls: next === 'tools' ? calls : unanswered,
    superseded: undecided ? saidAgain(next, replay).map(({ uuid }) => uuid) : [],
    asks: [...state.asks.values()].filter(({ toolUseId }) =>
      unanswered.some(({ call }) => call.block.id === toolUseId),
    ),
    carried: state.carried,
    usages: state.usages,
    switched: state.switchedModel === undefined ? undefined : { from: state.model, to: state.switchedModel },
    lent: state.lent,
    denied: state.denied,
    said: state.said,
    timestamp,
  };
}

/** A response without calls is requested again (L4.3); with calls, what follows the tools is made anew. */
function saidAgain(next: InterruptedSubmission['next'], replay: ViewFold): readonly ViewMessage[] {
  return [...(next === 'ask' ? replay.answers : []), ...replay.rest.filter(isMadeAgain)];
}

function planned({ block, assistantUuid, result }: ReplayedCall, state: SubmissionState): InterruptedCall {
  const intent = state.intents.get(block.id);
  const unparsed = unparsedInput(block, state);
  return {
    call: {
      block,
      assistantUuid,
      effectKey: `${state.id}/${state.iteration}/${state.attempt}/tool/${block.id}`,
      ...(unparsed === undefined ? {} : { unparsed }),
    },
    plan: result !== undefined ? 'answered' : planOf(block.id, intent, state),
    result,
    effectClass: intent?.effectClass,
    ...(intent !== undefined && 'updatedInput' in intent ? { updatedInput: intent.updatedInput } : {}),
  };
}

function planOf(id: string, intent: CallFacts | undefined, state: SubmissionState): CallPlan {
  // Other programs write no intents: whether the call started is unknown.
  if (state.unknown.has(id) || state.foreign) return 'unknown';
  if (intent === undefined) return 'run';
  return intent.effectClass === 'unsafe' ? 'unknown' : 'rerun';
}

/** The loop's mark on a call whose input did not parse: it never runs. */
function unparsedInput(block: ToolUseBlock, state: SubmissionState): ToolCall['unparsed'] {
  const mark = block.input['__unparsedToolInput'];
  if (typeof mark !== 'object' || mark === null || !('raw' in mark)) return undefined;
  return { raw: String(mark.raw), cut: state.stopReason === 'max_tokens' };
}

/** Attachments and nudges follow the tools and precede the decision: they are made anew. */
function isMadeAgain(message: ViewMessage): boolean {
  if (message.type === 'attachment') return message.attachment.type !== 'structured_output';
  if (message.type !== 'user') return false;
  const { kind } = message;
  return kind === 'nudge' || kind === 'structured_nudge' || kind === 'resume' || kind === 'hook_feedback';
}

type ResultRecord = UserMessage & { readonly submission: string };

const NEVER_RAN = 'Interrupted before it ran: the session ended first. Nothing was done.';
const OUTCOME_UNKNOWN =
  'Interrupted, outcome unknown: the session ended while this call was running. It may have had its effect in full, in part or not at all; check before you repeat it.';

function neverRan(each: InterruptedCall, open: InterruptedSubmission): ResultRecord {
  return madeResult(each, open, NEVER_RAN, 'aborted');
}

function outcomeUnknown(each: InterruptedCall, open: InterruptedSubmission): [JournalBody, ResultRecord] {
  const toolUseId = each.call.block.id;
  const id = `${open.id}/${open.iteration}/resume/unknown/${toolUseId}`;
  return [
    { type: 'unknown', id, submission: open.id, toolUseId },
    madeResult(each, open, OUTCOME_UNKNOWN, 'unknown_outcome'),
  ];
}

function madeResult(
  { call }: InterruptedCall,
  open: InterruptedSubmission,
  content: string,
  nonExecution: 'aborted' | 'unknown_outcome',
): ResultRecord {
  return {
    type: 'user',
    uuid: stableUuid(`${open.id}/${nonExecution}/${call.block.id}`),
    timestamp: open.timestamp,
    kind: 'tool_result',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: call.block.id, content, is_error: true }],
    },
    sourceAssistantUuid: call.assistantUuid,
    nonExecution,
    submission: open.id,
  };
}
