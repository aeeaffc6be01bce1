import type { UserMessage } from '../model/messages.ts';
import type { ToolCall } from '../tools/tool-call.ts';
import type { CarriedState } from './decision-record.ts';
import type { CollectedOfCalls } from './parking.ts';

/** Where another process continues an interrupted submission (L4.1). */
export interface ResumePoint {
  /** The interrupted iteration, or the next one if the last was decided. */
  readonly iteration: number;
  readonly turnCount: number;
  /** State that this iteration starts with; undefined: a fresh one. */
  readonly carried: CarriedState | undefined;
  /** The response of this iteration, whose tools are next; undefined: the model is called. */
  readonly response: RecordedResponse | undefined;
}

/** A response that was recorded before its tools had finished. */
export interface RecordedResponse {
  /** Its calls, in the model's order. */
  readonly calls: readonly ToolCall[];
  /** The answer is a refusal: calls without a result do not run. */
  readonly isRefusal: boolean;
  /** Results that were recorded, or that the resume made ("outcome unknown"). */
  readonly known: readonly UserMessage[];
  /** What these results brought besides their messages, where the run was parked. Default: nothing. */
  readonly collected?: CollectedOfCalls | undefined;
}
