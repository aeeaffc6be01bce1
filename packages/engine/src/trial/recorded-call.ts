/** A call, with what the record says of its permission. */
import type { JsonObject } from '../protocol/json.ts';
import type { PolicyInForce } from '../protocol/session/policy-in-force.ts';
import type { RecordedAnswer } from '../protocol/session/policy-trial.ts';
import type { ToolTrace } from '../protocol/tools/tool-call.ts';

export type RecordedPermission = NonNullable<ToolTrace['permission']>;

export interface RecordedCall {
  readonly sessionId: string;
  readonly agentId: string | undefined;
  readonly toolUseId: string;
  readonly tool: string;
  /** As it was judged. */
  readonly input: JsonObject;
  /** The folder of the record: the session's own, and the base of paths. */
  readonly root: string;
  readonly cwd: string;
  /** Absent: another program's transcript. */
  readonly permission: RecordedPermission | undefined;
  /** Absent: it was not recorded. */
  readonly policy: PolicyInForce | undefined;
  readonly answer: RecordedAnswer;
  /** What the host put in the place of the input. */
  readonly answeredInput: JsonObject | undefined;
}

export interface ReadCalls {
  readonly calls: readonly RecordedCall[];
  /** Calls without a verdict: refused as malformed or unknown, or cut off before one. */
  readonly unjudged: number;
  /** Calls whose judged input was too long to be kept. */
  readonly withoutInput: number;
}

export const wasAsked = ({ askedMs }: RecordedPermission): boolean => askedMs !== undefined;
