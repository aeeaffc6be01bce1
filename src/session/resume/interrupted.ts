/** The resume table of L4.1: what happens to a submission that was cut off. */
import type { CarriedState } from '../../protocol/decision-record.ts';
import type { JournalBody } from '../../protocol/journal.ts';
import type { AssistantMessage, UserMessage, ViewMessage } from '../../protocol/messages.ts';
import type { PermissionDenial } from '../../protocol/permission.ts';
import type { Terminal } from '../../protocol/terminal.ts';
import type { EffectClass, ToolCall } from '../../protocol/tool.ts';
import type { ToolUseBlock, Usage } from '../../protocol/wire.ts';
import { stableUuid } from '../../util/ids/stable-uuid.ts';
import type { ReplayedCall, ViewFold } from '../../view/fold.ts';
import type { CallFacts, OpenAsk, SubmissionState } from './submission-state.ts';

/**
 * `answered`: its result is on record. `run`: it never started. `rerun`: it started and may run again with the same
 * effect key. `unknown`: it started, and whether it did its work nobody knows; it never runs again.
 */
export type CallPlan = 'answered' | 'run' | 'rerun' | 'unknown';

export interface InterruptedCall {
  readonly call: ToolCall;
  readonly plan: CallPlan;
  readonly result: UserMessage | undefined;
  /** Of its intent, when one is on record. */
  readonly effectClass: EffectClass | undefined;
  /** The input that was about to run, when it was not the model's. */
  readonly updatedInput?: unknown;
}

export interface InterruptedSubmission {
  readonly id: string;
  readonly model: string;
  readonly permissionMode: string;
  /** uuids of its prompts, and keys of those that joined it. */
  readonly prompts: readonly string[];
  /** The iteration that was cut off, or the next one when the last was decided. */
  readonly iteration: number;
  readonly turnCount: number;
  /**
   * `ask`: the model owes an answer. `tools`: its answer is on record with calls. `stopped`: only the result is
   * missing; `terminal` says which.
   */
  readonly next: 'ask' | 'tools' | 'stopped';
  readonly terminal?: Terminal;
  /** Calls of the last response, in the model's order. */
  readonly calls: readonly InterruptedCall[];
  /** What would be said a second time when it is carried on. */
  readonly superseded: readonly string[];
  readonly asks: readonly OpenAsk[];
  /** What the next iteration begins with. */
  readonly carried: CarriedState | undefined;
  /** What its answers cost: its result sums them. */
  readonly usages: readonly Usage[];
  /** A command, or an overloaded model, had put it in the place of the first. */
  readonly switched: { readonly from: string; readonly to: string } | undefined;
  /** What a command or skill had allowed for its duration. */
  readonly lent: readonly string[];
  /** Calls of its agents that were denied. */
  readonly denied: readonly PermissionDenial[];
  /** What it said so far: its result counts and quotes it. */
  readonly said: readonly (AssistantMessage | UserMessage)[];
  /** When the last record was written. */
  readonly timestamp: string;
}

/** What the loop takes up; the shape of its `CarryOn`. */
export interface CarryOnPlan {
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
 * Carries a submission on to its one result: `records` go to the journal first. Without `carryOn` the model is
 * asked again (`ask`) or nothing is left but the result (`stopped`).
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

/** undefined: nothing was asked, or another program's transcript ends with an answer. */
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
    // A call that was left open further up is closed, never taken up.
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

/** An answer without a call is asked for again (L4.3); with calls, what follows the tools comes anew. */
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
  // Another program wrote no intents: whether its call started is not on record.
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

/** Attachments and the engine's own nudges come after the tools, before the decision: carried on, they come anew. */
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
