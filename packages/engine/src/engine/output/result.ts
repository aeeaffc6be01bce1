/** The result of a submission, made from the terminal alone (L7.1). */

import { extended } from '@turnwright/base/collections/extended.ts';
import type { Writable } from '@turnwright/base/collections/writable.ts';
import type {
  AssistantMessage,
  AttachmentMessage,
  LoopMessage,
  StreamEventsMessage,
} from '../../protocol/model/messages.ts';
import type { RefusalDetails, StopReason } from '../../protocol/model/wire.ts';
import { TERMINALS, type Terminal, type TerminalReason } from '../../protocol/session/terminal.ts';
import type { SDKResultMessage } from '../../protocol/stream/result-message.ts';
import type { QueryEngineConfig } from '../config.ts';
import { STRUCTURED_OUTPUT_ATTEMPTS } from '../submission/structured-output.ts';
import { answerText, ContinuedAnswers } from './continued-answers.ts';
import { commonFields, type ResultFacts, timings } from './result-fields.ts';

/** What a submission was seen to yield, as far as its result needs it. */
export interface SubmissionOutcome {
  observe(message: LoopMessage): void;
  /** A response came to its end: its stop reason was not known when its blocks were yielded. */
  responseEnded(messageId: string, stopReason: StopReason | null): void;
  /** The last assistant message that was not retracted. `byModel`: without errors and notes of the engine. */
  last(which?: { readonly byModel: boolean }): LastAnswer | undefined;
  /** The last reason that an answer of the API gave in this submission, whatever became of that answer. */
  readonly lastStopReason: StopReason | null;
  /** User messages that the loop yielded. */
  readonly userMessages: number;
  /** A request was announced. */
  readonly isAsked: boolean;
  /** It was sent: an answer began. */
  readonly isAnswered: boolean;
  /** The text of this message is another one for consumers, results included. */
  shownAs(uuid: string, text: string): void;
  /** The queued prompts seen so far are part of this turn now. */
  joined(): void;
  readonly joinedUuids: readonly string[];
}

interface LastAnswer {
  /** Of its last block, and of the answers that it continues; '' when its last block is no text. */
  readonly text: string;
  readonly stopReason: StopReason | null;
  readonly synthetic?: AssistantMessage['synthetic'];
  readonly model?: string;
  readonly requestId?: string;
  /** What the API said about the last refusal of the submission. */
  readonly refusal?: RefusalDetails;
}

export function createOutcome(): SubmissionOutcome {
  let blocks: AssistantMessage[] = [];
  const stopReasons = new Map<string, StopReason | null>();
  const continued = new ContinuedAnswers();
  let ended = '';
  let details: RefusalDetails | undefined;
  let joining: string[] = [];
  const joinedUuids: string[] = [];
  const outcome: Writable<SubmissionOutcome> = {
    joinedUuids,
    lastStopReason: null,
    userMessages: 0,
    isAsked: false,
    isAnswered: false,
    joined() {
      joinedUuids.push(...joining);
      joining = [];
    },
    observe(message) {
      if (message.type === 'attachment') joining.push(...listPromptUuids(message));
      continued.observe(message, blocks);
      if (message.type === 'stream_request_start') outcome.isAsked = true;
      else if (message.type === 'stream_events') {
        outcome.isAnswered = true;
        details = refusalIn(message) ?? details;
      }
      if (message.type === 'assistant') {
        blocks.push(message);
        // A message of a previous process, whose answers have ended.
        if (message.synthetic === undefined) {
          outcome.isAsked = true;
          outcome.isAnswered = true;
          outcome.lastStopReason = message.message.stop_reason ?? outcome.lastStopReason;
        }
      } else if (message.type === 'user') outcome.userMessages += 1;
      else if (message.type === 'tombstone') {
        const gone = new Set(message.uuids);
        blocks = blocks.filter((block) => !gone.has(block.uuid));
      } else if (message.type === 'system' && message.subtype === 'compact_boundary') {
        // Earlier blocks are dropped, except those that `last` may still return (L1 phase 7).
        const byModel = blocks.findLast(({ synthetic }) => synthetic === undefined);
        const newest = blocks.at(-1);
        const parts = byModel === undefined ? [] : continued.partsOf(byModel.message.id, blocks).slice(0, -1);
        blocks = blocks.filter(
          (block) => block === byModel || block === newest || parts.includes(block.message.id),
        );
      }
    },
    shownAs(uuid, text) {
      blocks = blocks.map((block) =>
        block.uuid === uuid
          ? { ...block, message: { ...block.message, content: [{ type: 'text', text }] } }
          : block,
      );
    },
    responseEnded(messageId, stopReason) {
      stopReasons.set(messageId, stopReason);
      continued.responseEnded(messageId, stopReason);
      ended = messageId;
      outcome.lastStopReason = stopReason ?? outcome.lastStopReason;
    },
    last(which) {
      const stopReason = stopReasons.get(ended);
      // An answer without a block: an earlier one's text is not what it said (L7 rule 7: an empty success).
      if (
        which?.byModel === true &&
        stopReason != null &&
        !blocks.some(({ message }) => message.id === ended)
      )
        return { text: '', stopReason, ...(details !== undefined && { refusal: details }) };
      const last = blocks.findLast((block) => which?.byModel !== true || block.synthetic === undefined);
      if (last === undefined) return undefined;
      const { id, stop_reason } = last.message;
      return {
        text: answerText(last.synthetic ? [id] : continued.partsOf(id, blocks), blocks),
        stopReason: stopReasons.get(id) ?? stop_reason,
        model: last.message.model,
        ...(last.requestId !== undefined && { requestId: last.requestId }),
        ...(last.synthetic && { synthetic: last.synthetic }),
        ...(details !== undefined && { refusal: details }),
      };
    },
  };
  return outcome;
}

/** What the end of an answer says about a refusal. */
function refusalIn({ events }: StreamEventsMessage): RefusalDetails | undefined {
  const end = events.at(events.at(-1)?.type === 'message_stop' ? -2 : -1);
  return end?.type === 'message_delta' ? (end.delta.stop_details ?? undefined) : undefined;
}

function listPromptUuids({ attachment }: AttachmentMessage): readonly string[] {
  if (attachment.type !== 'queued_command') return [];
  const { sourceUuid } = attachment as { readonly sourceUuid?: string };
  return sourceUuid === undefined ? [] : [sourceUuid];
}

type ResultLimits = Pick<QueryEngineConfig, 'maxBudgetUsd' | 'maxTurns' | 'outputFormat'>;

/** The result of a submission that ran the loop, or failed while it was being set up. */
export function buildResult(
  terminal: Terminal,
  outcome: Pick<SubmissionOutcome, 'last' | 'lastStopReason' | 'isAsked' | 'isAnswered' | 'userMessages'>,
  facts: ResultFacts,
  limits: ResultLimits,
  structured?: { readonly value: unknown },
): SDKResultMessage {
  const { result: kind, isError } = TERMINALS[terminal.reason];
  const last = outcome.last({ byModel: kind === 'answer' });
  const common = {
    type: 'result' as const,
    terminal_reason: terminal.reason,
    num_turns: countTurns(terminal, outcome),
    ...commonFields(facts),
  };
  switch (kind) {
    case 'answer':
      // The value that was promised is missing, whatever ended the run before there was one.
      if (limits.outputFormat !== undefined && structured === undefined)
        return {
          ...common,
          subtype: 'error_max_structured_output_retries',
          is_error: true,
          errors: [withoutValue(terminal.reason, last?.stopReason)],
          stop_reason: last?.stopReason ?? null,
        };
      return extended(common, {
        subtype: 'success' as const,
        is_error: isError === true,
        result: structured === undefined ? (last?.text ?? '') : JSON.stringify(structured.value),
        stop_reason: last?.stopReason ?? null,
        api_error_status: null,
        ...(structured !== undefined && { structured_output: structured.value }),
        ...timings(facts),
      });
    case 'shown_error':
      return {
        ...common,
        subtype: 'success',
        is_error: true,
        result: last?.text ?? terminal.errors?.join('\n') ?? '',
        stop_reason: 'stop_sequence',
        api_error_status: terminal.apiErrorStatus ?? last?.synthetic?.status ?? null,
        ...(last?.synthetic?.errorType !== undefined && { api_error_type: last.synthetic.errorType }),
        ...timings(facts),
      };
    default:
      return {
        ...common,
        subtype: kind,
        is_error: true,
        errors: sentences(terminal, limits),
        stop_reason: outcome.lastStopReason,
      };
  }
}

function countTurns(
  { reason }: Terminal,
  { isAsked, isAnswered, userMessages }: Pick<SubmissionOutcome, 'isAsked' | 'isAnswered' | 'userMessages'>,
): number {
  if (reason === 'turn_setup_failed') return 0;
  // The money was spent before: the request was announced, and not sent.
  if (reason === 'budget_exhausted' && !isAnswered && userMessages === 0) return 0;
  return isAsked || userMessages > 0 ? 1 + userMessages : 0;
}

/** The result of a submission that never asked the model: no terminal reason (L1 phase 5). */
export function resultWithoutQuery(text: string, facts: ResultFacts, command?: string): SDKResultMessage {
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: text,
    num_turns: 0,
    stop_reason: null,
    ...(command !== undefined && { local_command: command }),
    ...commonFields(facts),
  };
}

function withoutValue(reason: TerminalReason, stopReason: StopReason | null = null): string {
  const ended =
    reason === 'completed'
      ? stopReason === 'refusal'
        ? 'The model refused to answer'
        : 'The turn was ended'
      : 'A hook ended the run';
  return `${ended} before a structured output was accepted`;
}

function sentences(terminal: Terminal, limits: ResultLimits): readonly string[] {
  switch (terminal.reason) {
    case 'max_turns':
      return [`Reached maximum number of turns (${limits.maxTurns ?? terminal.turnCount - 1})`];
    case 'budget_exhausted':
      // Without one of its own it is a purse that others share, which says why.
      return [
        ...(limits.maxBudgetUsd === undefined ? [] : [`Reached maximum budget ($${limits.maxBudgetUsd})`]),
        ...(terminal.errors ?? []),
      ];
    case 'structured_output_retry_exhausted':
      return [`No valid structured output after ${STRUCTURED_OUTPUT_ATTEMPTS} attempts`];
    case 'aborted_streaming':
      return terminal.errors ?? ['Interrupted while the model was answering'];
    case 'aborted_tools':
      return terminal.errors ?? ['Interrupted while tools were running'];
    default:
      return terminal.errors ?? [`The run ended early: ${terminal.reason}`];
  }
}
