import type { JsonObject } from './json.ts';

export const PERMISSION_MODES = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk'] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

export type PermissionBehavior = 'allow' | 'deny' | 'ask';

export interface PermissionRuleValue {
  readonly toolName: string;
  /** Inside the parentheses of `Tool(specifier)`. */
  readonly ruleContent?: string;
}

export type PermissionDestination =
  | 'userSettings'
  | 'projectSettings'
  | 'localSettings'
  | 'session'
  | 'cliArg';

/** Where a rule in force comes from: a place an update may name, or one that only a launch can fill. */
export type PermissionRuleSource = PermissionDestination | 'flagSettings' | 'policySettings' | 'command';

/** The rule that decided, and where it is from. */
export interface MatchedRule {
  readonly source: PermissionRuleSource;
  readonly value: PermissionRuleValue;
}

export type PermissionUpdate =
  | {
      readonly type: 'addRules' | 'replaceRules' | 'removeRules';
      readonly rules: readonly PermissionRuleValue[];
      readonly behavior: PermissionBehavior;
      readonly destination: PermissionDestination;
    }
  | { readonly type: 'setMode'; readonly mode: PermissionMode; readonly destination: PermissionDestination }
  | {
      readonly type: 'addDirectories' | 'removeDirectories';
      readonly directories: readonly string[];
      readonly destination: PermissionDestination;
    };

/** What a host calls its answer. */
export type PermissionDecisionClassification = 'user_temporary' | 'user_permanent' | 'user_reject';

/** What a host answers (`canUseTool`). */
export type PermissionResult =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: Record<string, unknown>;
      readonly updatedPermissions?: readonly PermissionUpdate[];
      readonly toolUseID?: string;
      /** For clients to read, in `tool_result_meta`. Default `user_temporary`. */
      readonly decisionClassification?: PermissionDecisionClassification;
    }
  | {
      readonly behavior: 'deny';
      readonly message: string;
      readonly interrupt?: boolean;
      readonly toolUseID?: string;
      /** For clients to read, in `tool_result_meta`. Default `user_reject`. */
      readonly decisionClassification?: PermissionDecisionClassification;
    };

/** Who decided on a call, as clients read it beside its result. */
export interface PermissionDecision {
  readonly decision: 'accept' | 'reject';
  /** `config`: a rule, the mode or the like; the `user_` ones: the person or host that was asked. */
  readonly source: 'config' | 'hook' | 'user_temporary' | 'user_permanent' | 'user_reject';
  /** What kind of thing decided; absent when a person or host did, and when it is the tool itself that needs no permission. */
  readonly reason_type?: DecisionReasonType;
}

export interface CanUseToolContext {
  readonly signal: AbortSignal;
  readonly suggestions?: readonly PermissionUpdate[];
  readonly blockedPath?: string;
  readonly decisionReason?: string;
  /** What kind of thing asked: a rule, the mode, a hook, … */
  readonly decisionReasonType?: DecisionReasonType;
  /** The ask rule that wants this call confirmed. */
  readonly matchedAskRule?: PermissionRuleValue & { readonly source: PermissionRuleSource };
  readonly title?: string;
  readonly displayName?: string;
  /** What the call is about, in a line: the path, the address, the command or what it is said to do. */
  readonly description?: string;
  /** The server whose tool this is, and where that server is from. */
  readonly mcpServer?: { readonly name: string; readonly source: string };
  /** The tool is a question to a person: no rule and no mode answers it. Absent: it is not. */
  readonly requiresUserInteraction?: true;
  readonly toolUseID: string;
  readonly agentID?: string;
  readonly requestId: string;
}

/** Asks the host. `null`: this host has no answer, which counts as a denial. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  context: CanUseToolContext,
) => Promise<PermissionResult | null>;

/** What kind of thing decided on a call, or wants it confirmed. `asyncAgent`: permission prompts are switched off. */
export type DecisionReasonType =
  | 'rule'
  | 'mode'
  | 'hook'
  | 'permissionPromptTool'
  | 'workingDir'
  | 'safetyCheck'
  | 'asyncAgent'
  | 'sandboxOverride'
  | 'other';

/** What the gate knows beyond that: who was asked, and that the tool itself decides. */
export type GateReasonType = DecisionReasonType | 'host' | 'headless' | 'unanswered' | 'tool';

/** A path of a call, and the file that it meant when the call was judged. */
export interface JudgedPath {
  /** Absolute, as spelled. */
  readonly spelled: string;
  /** Without links; undefined: that could not be told. */
  readonly real: string | undefined;
}

/** The one gate's verdict on a call (L5). */
export type GateVerdict =
  | {
      readonly kind: 'allow';
      readonly reasonType: GateReasonType;
      readonly reason?: string;
      readonly updatedInput?: JsonObject;
      /** The rule that allows it; of several, the first. */
      readonly matched?: MatchedRule;
      readonly judged?: readonly JudgedPath[];
    }
  | {
      readonly kind: 'deny';
      readonly reasonType: GateReasonType;
      /** What the model reads. */
      readonly message: string;
      /** End the turn as if the user had interrupted. */
      readonly interrupt?: boolean;
      readonly matched?: MatchedRule;
    }
  | {
      readonly kind: 'ask';
      readonly reasonType: GateReasonType;
      readonly message: string;
      readonly suggestions?: readonly PermissionUpdate[];
      readonly blockedPath?: string;
      readonly matched?: MatchedRule;
      readonly judged?: readonly JudgedPath[];
    }
  /** The answer will come from elsewhere, later: the run parks. */
  | { readonly kind: 'pending'; readonly askId: string };

export interface PermissionDenial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: Record<string, unknown>;
}
