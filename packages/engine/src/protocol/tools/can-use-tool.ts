/** The question to the host about a call, and the callback that answers it. */
import type { JudgeVerdict } from './auto-mode.ts';
import type {
  DecisionReasonType,
  PermissionResult,
  PermissionRuleSource,
  PermissionRuleValue,
  PermissionUpdate,
} from './permission.ts';
import type { PermissionExplanation, RuleCheck } from './permission-explanation.ts';

/** Facts about a permission question, beside the tool's name and input. */
export interface CanUseToolContext {
  /** Aborted when the question is withdrawn; with reason `'parked'` when the run ends before its answer. */
  readonly signal: AbortSignal;
  /** Id of the question. After a resume the same question is asked again under the same id. */
  readonly askId: string;
  /** Updates to offer as "always"; absent if no rule would allow the call. */
  readonly suggestions?: readonly PermissionUpdate[];
  /** The file that the question is about. */
  readonly blockedPath?: string;
  /** Why the call needs an answer, as a sentence. */
  readonly decisionReason?: string;
  /** What required the question: a rule, the mode, a hook, … */
  readonly decisionReasonType?: DecisionReasonType;
  /** The ask rule that requires confirmation. */
  readonly matchedAskRule?: PermissionRuleValue & { readonly source: PermissionRuleSource };
  /** In mode `auto`: why its judge did not decide about the call. */
  readonly judge?: JudgeVerdict;
  /** The question in one sentence, ready to show. */
  readonly title?: string;
  /** Name of the tool for people. */
  readonly displayName?: string;
  /** Subject of the call in one line: the path, the URL, the command or its description. */
  readonly description?: string;
  /** The tool's server, and where that server was configured; MCP tools only. */
  readonly mcpServer?: { readonly name: string; readonly source: string };
  /** The tool asks the user a question: no rule and no mode answers it. Absent: it does not. */
  readonly requiresUserInteraction?: true;
  /** Id of the call. */
  readonly toolUseID: string;
  /** The subagent that makes the call; absent for the main agent. */
  readonly agentID?: string;
  readonly requestId: string;
  /**
   * Why the call is asked about, in parts: who asks, each command of a line with its verdict and rule, what
   * it writes, why saved rules do not match, and what "always" would change. Computed by the first call, with
   * the rules of that moment; later calls return the same. Rejects if that fails; `decisionReason` is valid
   * also then.
   *
   * @example
   * ```ts
   * const canUseTool: CanUseTool = async (_tool, _input, { explain }) => {
   *   const explanation = await explain?.();
   *   return { behavior: 'deny', message: `Later. ${JSON.stringify(explanation)}` };
   * };
   * ```
   */
  explain?(): Promise<PermissionExplanation>;
  /**
   * What a rule that a person wrote would do, if it were an allow rule: whether it applies to this call, a
   * call that it allows and one that it just does not. It is not saved by this. Never rejects.
   *
   * @example
   * ```ts
   * const canUseTool: CanUseTool = async (_tool, input, { checkRule }) => {
   *   console.log(await checkRule?.('Bash(npm test:*)'));
   *   return { behavior: 'allow', updatedInput: input };
   * };
   * ```
   */
  checkRule?(rule: string): Promise<RuleCheck>;
}

/**
 * Asks the host. `null` counts as a denial.
 *
 * @example
 * ```ts
 * const canUseTool: CanUseTool = async (toolName, input, { description, suggestions = [] }) => {
 *   if (toolName === 'WebFetch') return { behavior: 'deny', message: 'Use what is in the repository.' };
 *   console.log(`${toolName}: ${description}`);
 *   // With the rules that the question offers, as "always" would.
 *   return { behavior: 'allow', updatedInput: input, updatedPermissions: suggestions };
 * };
 * ```
 */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  context: CanUseToolContext,
) => Promise<PermissionResult | null>;
