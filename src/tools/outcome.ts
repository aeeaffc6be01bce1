/** How one call ended: what the gate hands to the executor, before it becomes a message. */
import type { InformationalBody } from '../protocol/messages.ts';
import type {
  DecisionReasonType,
  JudgedPath,
  PermissionDecision,
  PermissionDecisionClassification,
} from '../protocol/permission.ts';
import type { ToolOutput, ToolTrace } from '../protocol/tool.ts';
import { headOf, tailOf } from '../util/text/cut-text.ts';

export type AbortWhy = 'interrupted' | 'discarded' | 'superseded' | 'failed';

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
  /** A rule, hook or host said no. */
  | {
      readonly kind: 'denied';
      readonly text: string;
      /** Of the call, as hosts get it. */
      readonly input: Record<string, unknown>;
      readonly interrupt?: boolean;
    }
  /** The answer will come from elsewhere, later. */
  | { readonly kind: 'pending'; readonly askId: string }
  /** `partial`: what the tool still said after the abort. */
  | {
      readonly kind: 'aborted';
      readonly why: AbortWhy;
      readonly started: boolean;
      readonly partial?: string;
    };

/** What is learned about a call on its way through the gate, kept also when the call is abandoned. */
export interface CallNotes {
  readonly hookContext: string[];
  /** Collects what hooks that ran after the call say to the person, for who shows it behind the result. */
  readonly said?: InformationalBody[];
  /** ms on the monotonic clock; present once the tool itself runs. */
  startedMs?: number;
  /** Where the files of the call were when it was judged. */
  judged?: readonly JudgedPath[];
  permission?: NonNullable<ToolTrace['permission']>;
  /** Why somebody was to be asked. */
  asked?: { readonly reasonType: DecisionReasonType; readonly message: string };
  /** What the person or host called the answer. */
  answer?: PermissionDecisionClassification | undefined;
  decision?: PermissionDecision;
  preventContinuation?: { readonly stopReason: string; readonly hookName?: string };
}

/** Text of anything thrown, of a length a model can bear. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const max = 10_000;
  if (text.length <= max) return text;
  const half = max / 2;
  return `${headOf(text, half)}\n… (${text.length - max} characters left out) …\n${tailOf(text, half)}`;
}
