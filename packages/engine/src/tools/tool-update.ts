/**
 * Makes the one `tool_result` of a call, and its trace. Nothing else in the engine makes tool results while
 * it runs (L5).
 */

import { jsonOnce } from '@turnwright/base/json-values.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { UserMessage } from '../protocol/model/messages.ts';
import { NO_OUTPUT, type ToolResultBlock, type UserBlock } from '../protocol/model/wire.ts';
import type { Clock, Ids } from '../protocol/ports.ts';
import type { ToolResultContent } from '../protocol/tools/tool.ts';
import type { ToolCall, ToolTrace, ToolUpdate } from '../protocol/tools/tool-call.ts';
import { abortText } from './abort-text.ts';
import { denialNotice } from './gate/permission-record.ts';
import type { AnsweredOutcome, CallNotes } from './outcome.ts';

type ResultUpdate = Extract<ToolUpdate, { kind: 'result' }>;

export interface ResultPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  /** What of a result may enter the conversation. Default: all of it. */
  readonly admit?: (content: readonly UserBlock[]) => readonly UserBlock[];
}

interface AnsweredCall {
  readonly call: ToolCall;
  /** The tool's own name if it was found: a call may have used an alias. */
  readonly toolName: string;
  readonly notes: CallNotes;
  readonly queuedMs: number;
  readonly concurrent: boolean;
}

interface Answer {
  readonly content: ToolResultContent;
  /** undefined: omitted in the result. */
  readonly isError: boolean | undefined;
  readonly data: unknown;
  readonly traced: ToolTrace['outcome'];
  readonly nonExecution?: NonNullable<UserMessage['nonExecution']>;
}

export function toolUpdate(
  answered: AnsweredCall,
  outcome: AnsweredOutcome,
  ports: ResultPorts,
): ResultUpdate {
  const { call, notes } = answered;
  const answer = toAnswer(outcome);
  const content = withoutEmptyText(answer.content);
  const block: ToolResultBlock = {
    type: 'tool_result',
    tool_use_id: call.block.id,
    content,
    ...(answer.isError !== undefined && { is_error: answer.isError }),
  };
  const message: UserMessage = {
    type: 'user',
    uuid: ports.ids.uuid(),
    timestamp: isoTime(ports.clock.nowMs()),
    message: { role: 'user', content: ports.admit?.([block]) ?? [block] },
    kind: 'tool_result',
    toolUseResult: answer.data,
    sourceAssistantUuid: call.assistantUuid,
    ...(answer.nonExecution !== undefined && { nonExecution: answer.nonExecution }),
    ...decidedOn(outcome, notes),
  };
  const trace: ToolTrace = {
    id: call.block.id,
    name: answered.toolName,
    queuedMs: answered.queuedMs,
    endedMs: ports.clock.monotonicMs(),
    outcome: answer.traced,
    inputChars: call.unparsed?.raw.length ?? jsonOnce(call.block.input).length,
    resultChars: countChars(content),
    concurrent: answered.concurrent,
    ...(notes.startedMs !== undefined && { startedMs: notes.startedMs }),
    ...(notes.permission !== undefined && { permission: notes.permission }),
    ...(outcome.kind === 'returned' && outcome.output.ranIn !== undefined && { ranIn: outcome.output.ranIn }),
  };
  return {
    kind: 'result',
    callId: call.block.id,
    message,
    extraMessages: outcome.kind === 'returned' ? admitted(outcome.output.extraMessages, ports) : [],
    endsTurn: outcome.kind === 'returned' && outcome.output.endsTurn === true,
    hookContext: [...notes.hookContext],
    ...(notes.said !== undefined && notes.said.length > 0 && { said: notes.said }),
    trace,
    ...(notes.preventContinuation !== undefined && { preventContinuation: notes.preventContinuation }),
    ...(outcome.kind === 'denied' && {
      denial: {
        tool_name: answered.toolName,
        tool_use_id: call.block.id,
        tool_input: outcome.input,
      },
      denialNotice: denialNotice(notes, outcome.text),
      ...(outcome.interrupt === true && { interrupt: true }),
    }),
  };
}

function admitted(messages: readonly UserMessage[] = [], { admit }: ResultPorts): readonly UserMessage[] {
  return messages.map((message) => {
    const { content } = message.message;
    const fit = typeof content === 'string' ? content : (admit?.(content) ?? content);
    return fit === content
      ? message
      : Object.freeze({ ...message, message: { ...message.message, content: fit } });
  });
}

function decidedOn(
  outcome: AnsweredOutcome,
  { decision, permission }: CallNotes,
): Pick<UserMessage, 'decided'> {
  if (wasRejected(outcome)) return { decided: { nonExecutionKind: 'user-rejected' } };
  const denied = outcome.kind === 'denied' && { nonExecutionKind: deniedBy(permission?.source) };
  return decision === undefined ? {} : { decided: { permission: decision, ...denied } };
}

/** Without a host to ask, the missing answer counts as a denial by the user. */
const deniedBy = (source: string | undefined): 'user-rejected' | 'permission-rule' =>
  source === 'headless' ? 'user-rejected' : 'permission-rule';

/** The user stopped the turn with it. */
const wasRejected = (outcome: AnsweredOutcome): boolean =>
  outcome.kind === 'denied'
    ? outcome.interrupt === true
    : outcome.kind === 'aborted' && (outcome.why === 'interrupted' || outcome.why === 'preempted');

const REJECTED = 'User rejected tool use';

function toAnswer(outcome: AnsweredOutcome): Answer {
  switch (outcome.kind) {
    case 'returned': {
      const { content, data, isError, keepsData } = outcome.output;
      return isError === true
        ? { ...failure(textOfContent(content), 'error'), content, ...(keepsData && { data }) }
        : { content, isError, data, traced: 'ok' };
    }
    case 'threw':
      return failure(outcome.text, 'error');
    case 'refused': {
      const content = `<tool_use_error>${outcome.text}</tool_use_error>`;
      const data = outcome.text.startsWith('Error: ') ? outcome.text : `Error: ${outcome.text}`;
      switch (outcome.why) {
        case 'unknown_tool':
          return { content, isError: true, data, traced: 'unknown_tool', nonExecution: 'invalid' };
        case 'invalid':
        case 'cut':
        case 'failed_validation':
          return { content, isError: true, data, traced: 'invalid', nonExecution: outcome.why };
        case 'not_recorded':
          return { content, isError: true, data, traced: 'error', nonExecution: 'aborted' };
      }
      break;
    }
    case 'denied': {
      const answer = { ...failure(outcome.text, 'denied'), nonExecution: 'denied' as const };
      return wasRejected(outcome) ? { ...answer, data: REJECTED } : answer;
    }
    case 'aborted': {
      const text = abortText(outcome.why, outcome.started);
      const full =
        outcome.partial === undefined ? text : `${text}\n\nIts output until then:\n${outcome.partial}`;
      const failed = failure(full, 'aborted');
      const answer = wasRejected(outcome) ? { ...failed, data: REJECTED } : failed;
      return outcome.started ? answer : { ...answer, nonExecution: 'aborted' };
    }
  }
}

function failure(text: string, traced: ToolTrace['outcome']): Answer {
  return { content: text, isError: true, data: `Error: ${text}`, traced };
}

/** The API accepts no empty text, and a model takes an empty result for a failure (F08, F09). */
function withoutEmptyText(content: ToolResultContent): ToolResultContent {
  if (typeof content === 'string') return content.trim() === '' ? NO_OUTPUT : content;
  const blocks = content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  if (blocks.length === 0) return NO_OUTPUT;
  return blocks.length === content.length ? content : blocks;
}

function countChars(content: ToolResultContent): number {
  if (typeof content === 'string') return content.length;
  return content.reduce(
    (sum, block) => sum + (block.type === 'text' ? block.text.length : JSON.stringify(block).length),
    0,
  );
}
