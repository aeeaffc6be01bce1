/** Outcome of one call: what the gate returns to the executor, before it becomes a message. */

import type { Writable } from '@turnwright/base/collections/writable.ts';
import { takeEnd, takeStart } from '@turnwright/base/text/cut-text.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { InformationalBody } from '../protocol/model/messages.ts';
import type { Wait } from '../protocol/session/parking.ts';
import type { JudgeVerdict } from '../protocol/tools/auto-mode.ts';
import type {
  DecisionReasonType,
  GateVerdict,
  JudgedPath,
  PermissionDecision,
  PermissionDecisionClassification,
} from '../protocol/tools/permission.ts';
import type { ToolOutput } from '../protocol/tools/tool.ts';
import type { AbortWhy, ToolTrace } from '../protocol/tools/tool-call.ts';

export type CallOutcome =
  /** The tool returned, well or badly. */
  | { readonly kind: 'returned'; readonly output: ToolOutput }
  /** The tool (or a check of its own) threw. */
  | { readonly kind: 'threw'; readonly text: string }
  /** The engine refused the call before it ran. */
  | {
      readonly kind: 'refused';
      readonly why: 'unknown_tool' | 'invalid' | 'failed_validation' | 'cut' | 'not_recorded';
      readonly text: string;
    }
  /** Denied by a rule, hook or host. */
  | {
      readonly kind: 'denied';
      readonly text: string;
      /** Input of the call, as hosts receive it. */
      readonly input: Record<string, unknown>;
      readonly interrupt?: boolean;
    }
  /** It waits for longer than its run may: another run answers it. */
  | { readonly kind: 'parked'; readonly wait: Wait }
  /** `partial`: output of the tool after the abort. */
  | {
      readonly kind: 'aborted';
      readonly why: AbortWhy;
      readonly started: boolean;
      readonly partial?: string;
    };

/** Outcome of a call that gets its result in this run. */
export type AnsweredOutcome = Exclude<CallOutcome, { kind: 'parked' }>;

/** In a word, for traces, why a call has no good result; undefined: it has one. */
export function errorTypeOf(outcome: AnsweredOutcome): string | undefined {
  switch (outcome.kind) {
    case 'returned':
      return outcome.output.isError === true ? 'tool_error' : undefined;
    case 'threw':
      return 'tool_error';
    case 'refused':
      return outcome.why;
    default:
      return outcome.kind;
  }
}

/** Part of the record of a permission. */
export type CallJudgement = Pick<
  NonNullable<ToolTrace['permission']>,
  'ruled' | 'hook' | 'policy' | 'cwd' | 'input' | 'tool'
>;

/** Facts about a call that the gate collects, kept also when the call is abandoned. */
export interface CallNotes {
  readonly hookContext: string[];
  /** Collects messages for the user from hooks that ran after the call; emitted behind the result. */
  readonly said?: InformationalBody[];
  /** ms on the monotonic clock; present once the tool itself runs. */
  startedMs?: number;
  /** The files of the call as they were judged. */
  judged?: readonly JudgedPath[];
  permission?: NonNullable<ToolTrace['permission']>;
  /** Under which policy it was judged, for the record. */
  judgement?: Writable<CallJudgement>;
  /** What the rules said first. */
  ruled?: Exclude<GateVerdict, { kind: 'pending' }>;
  /** The input that it is about. */
  judgedInput?: JsonObject;
  /** Why a question was required. */
  asked?: { readonly reasonType: DecisionReasonType; readonly message: string };
  /** What the judge of mode `auto` said. */
  judge?: JudgeVerdict;
  /** Classification of the answer by the user or host. */
  answer?: PermissionDecisionClassification | undefined;
  decision?: PermissionDecision;
  preventContinuation?: { readonly stopReason: string; readonly hookName?: string };
}

/** Text of anything thrown, bounded in length. */
export function boundedErrorText(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const max = 10_000;
  if (text.length <= max) return text;
  const half = max / 2;
  return `${takeStart(text, half)}\n… (${text.length - max} characters left out) …\n${takeEnd(text, half)}`;
}

/** Where the outcome has no text of its own, as after an abort, it stays as it is. */
export function withSentence(outcome: CallOutcome, sentence: string): CallOutcome {
  if ('text' in outcome)
    return outcome.text.includes(sentence) ? outcome : { ...outcome, text: `${outcome.text}\n${sentence}` };
  if (outcome.kind !== 'returned') return outcome;
  const { content } = outcome.output;
  const told =
    typeof content === 'string'
      ? `${content}\n\n(${sentence})`
      : [...content, { type: 'text' as const, text: sentence }];
  return { ...outcome, output: { ...outcome.output, content: told } };
}
