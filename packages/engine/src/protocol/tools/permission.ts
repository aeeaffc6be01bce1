import type { JsonObject } from '../json.ts';

/** Of a deny or ask rule, and of an allow rule with a star: each of them is held against every call. */
export const MOST_RULE_CHARS = 1_000;
/** A list of rules holds no more. */
export const MOST_RULES = 5_000;

export const PERMISSION_MODES = [
  'default',
  'acceptEdits',
  'bypassPermissions',
  'plan',
  'dontAsk',
  'auto',
] as const;
/** How calls are decided that no rule decides; see docs/permissions.md. */
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** What a rule does with a matching call. */
export type PermissionBehavior = 'allow' | 'deny' | 'ask';

/**
 * A rule in parts: `Tool` or `Tool(specifier)`.
 *
 * @example
 * ```ts
 * const rule: PermissionRuleValue = { toolName: 'Read', ruleContent: '~/notes/**' };
 * ```
 */
export interface PermissionRuleValue {
  /** Name of a tool, or of an MCP server as `mcp__server`. */
  readonly toolName: string;
  /** Inside the parentheses of `Tool(specifier)`. */
  readonly ruleContent?: string;
}

/** The rule as a person writes it, in settings too: `Tool` or `Tool(specifier)`. */
export function formatRule({ toolName, ruleContent }: PermissionRuleValue): string {
  return ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
}

export type PermissionDestination =
  | 'userSettings'
  | 'projectSettings'
  | 'localSettings'
  | 'session'
  | 'cliArg';

/** Source of a rule: a destination that updates may name, or one that only startup options fill. */
export type PermissionRuleSource = PermissionDestination | 'flagSettings' | 'policySettings' | 'command';

/** The rule that decided, and its source. */
export interface MatchedRule {
  readonly source: PermissionRuleSource;
  readonly value: PermissionRuleValue;
}

/**
 * A change of rules, mode or directories. A settings file as destination also stores it there.
 *
 * @example
 * ```ts
 * const update: PermissionUpdate = {
 *   type: 'addRules',
 *   behavior: 'allow',
 *   rules: [{ toolName: 'Bash', ruleContent: 'npm test:*' }],
 *   destination: 'session',
 * };
 * ```
 */
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

/** Restrictions that no rule and no mode lifts. */
export interface PermissionLocks {
  /** Only managed rules may allow calls. */
  readonly managedRulesOnly?: boolean | undefined;
  readonly blockReadsOutside?: boolean | undefined;
  readonly blockWritesOutside?: boolean | undefined;
  /** Denies what no allow rule names, also in bypassPermissions (F88). */
  readonly allowedToolsOnly?: boolean | undefined;
  /** Denies calls instead of asking about them. */
  readonly denyInsteadOfPrompting?: boolean | undefined;
}

/** How a host classifies its answer. */
export type PermissionDecisionClassification = 'user_temporary' | 'user_permanent' | 'user_reject';

/**
 * The answer of a host (`canUseTool`).
 *
 * @example
 * ```ts
 * const allow: PermissionResult = { behavior: 'allow', updatedInput: { command: 'npm test -- --run' } };
 * const deny: PermissionResult = { behavior: 'deny', message: 'Use the test script instead.' };
 * ```
 */
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

/** Who decided about a call, as reported with its result. */
export interface PermissionDecision {
  readonly decision: 'accept' | 'reject';
  /** `config`: a rule, the mode or similar; the `user_` values: the user or host that was asked. */
  readonly source: 'config' | 'hook' | 'user_temporary' | 'user_permanent' | 'user_reject';
  /** What kind of source decided; absent when the user or host did, or when the tool needs no permission. */
  readonly reason_type?: DecisionReasonType;
}

/**
 * What decided about a call, or requires its confirmation. `asyncAgent`: permission prompts are switched off.
 * `classifier`: the judge of mode `auto` allowed it, or handed it on.
 */
export type DecisionReasonType =
  | 'rule'
  | 'mode'
  | 'hook'
  | 'permissionPromptTool'
  | 'workingDir'
  | 'safetyCheck'
  | 'asyncAgent'
  | 'sandboxOverride'
  | 'classifier'
  | 'other';

/** Additional values of the gate: who was asked, and that the tool needs no permission. */
export type GateReasonType = DecisionReasonType | 'host' | 'headless' | 'unanswered' | 'tool';

/** A path of a call, and the file that it resolved to when the call was judged. */
export interface JudgedPath {
  /** Absolute path as given. */
  readonly spelled: string;
  /** Resolved path; undefined if it could not be resolved. */
  readonly real: string | undefined;
}

/** The one gate's verdict on a call (L5). */
export type GateVerdict =
  | {
      readonly kind: 'allow';
      readonly reasonType: GateReasonType;
      readonly reason?: string;
      readonly updatedInput?: JsonObject;
      /** A sentence about `updatedInput` for the model, added to the result. */
      readonly note?: string;
      /** The first rule that allows it. */
      readonly matched?: MatchedRule;
      readonly judged?: readonly JudgedPath[];
    }
  | {
      readonly kind: 'deny';
      readonly reasonType: GateReasonType;
      /** What the model reads. */
      readonly message: string;
      /** Ends the turn as if the user had interrupted it. */
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
      /** Name of the hook that asks. */
      readonly hook?: string;
      readonly judged?: readonly JudgedPath[];
    }
  /** The answer arrives later from elsewhere: the run is parked. */
  | { readonly kind: 'pending'; readonly askId: string };

/** A tool call that was denied. */
export interface PermissionDenial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  /** As the model wrote it. */
  readonly tool_input: Record<string, unknown>;
}
