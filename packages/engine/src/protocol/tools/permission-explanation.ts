/** Why a call is asked about, in parts: for hosts that show more than one sentence. */
import type {
  DecisionReasonType,
  PermissionBehavior,
  PermissionDestination,
  PermissionMode,
  PermissionRuleSource,
  PermissionUpdate,
} from './permission.ts';

/** A rule, and where it was written. */
export interface RuleInFile {
  /** As it is written: `Bash(npm test *)`. */
  readonly rule: string;
  readonly behavior: PermissionBehavior;
  readonly source: PermissionRuleSource;
  /** The settings file that holds it; absent for rules of options, of a command and of the session. */
  readonly file?: string;
}

/** What `CanUseToolContext.explain` resolves with. Texts come from the call and may hold any character. */
export interface PermissionExplanation {
  /** From the outermost subagent to the one that makes the call; empty: the main agent makes it. */
  readonly asker: readonly AskingAgent[];
  /** The mode that applies to the call. */
  readonly mode: PermissionMode;
  /**
   * What rules and mode say at this moment: the answer to another question may have changed them since this
   * one was asked.
   */
  readonly verdict: PermissionBehavior;
  readonly reason: {
    readonly type: DecisionReasonType;
    /** A sentence; of a hook, its reason. */
    readonly text: string;
    /** The rule that asks, or that may deny. */
    readonly rule?: RuleInFile;
    /** The hook that asks: `PreToolUse:Bash`. */
    readonly hook?: string;
  };
  /**
   * The simple commands of a shell command in their order, each followed by those that it starts. Empty for
   * other tools.
   */
  readonly segments: readonly ExplainedSegment[];
  /** Why more may happen than `segments` says, as a clause; absent: nothing is hidden. */
  readonly unseen?: string;
  /** Files that the call says it writes. */
  readonly writes: readonly ExplainedPath[];
  /** Files outside the working directories that the call says it reads. */
  readonly readsOutside: readonly ExplainedPath[];
  /** Allow rules that come close, and why they do not match. */
  readonly missed: readonly MissedRule[];
  /** What "always" would change, one change each; empty: no rule would allow the call. */
  readonly offers: readonly PermissionOffer[];
  /** Where rules can be kept, and in which file. */
  readonly scopes: readonly PermissionScope[];
}

export interface AskingAgent {
  readonly agentId: string;
  /** Name of its definition: `reviewer`. */
  readonly agentType: string;
  /** What it was started for, in a few words. */
  readonly description: string;
}

export interface ExplainedSegment {
  /** As it is written. */
  readonly text: string;
  /** 0: a command of the line itself; 1: started by one of depth 0 before it, and so on. */
  readonly depth: number;
  /** The wrapper that starts it: `sudo`, `timeout`; absent at depth 0. */
  readonly startedBy?: string;
  /**
   * `allowed`: by `rules`. `reads`: it only reads inside the working directories, which needs no rule.
   * `edits`: mode acceptEdits lets it write where it writes. `asked`: an ask rule names it. `feared`: a deny
   * rule may name it, depending on what only the shell knows. `open`: nothing allows it.
   */
  readonly verdict: 'allowed' | 'reads' | 'edits' | 'asked' | 'feared' | 'open';
  /**
   * Of an `open` one, what keeps every rule from allowing it, as a clause: a variable, a substitution or a
   * pattern that only the shell knows. Absent: a rule could allow it.
   */
  readonly unknown?: string;
  /** The rules behind the verdict; empty: no rule. */
  readonly rules: readonly RuleInFile[];
  readonly writes: readonly ExplainedPath[];
  /** It writes files of which only the shell knows the names. */
  readonly writesUnknown: boolean;
  /** It uses the network; the hosts that it names, as far as they are known. Absent: it is not known to. */
  readonly network?: readonly string[];
}

export interface ExplainedPath {
  /** Absolute, as it is spelled. */
  readonly path: string;
  /** Where a link leads; absent: no link, or it cannot be determined. */
  readonly real?: string;
  /** Outside the working directories. */
  readonly outside: boolean;
  /** It decides over what may run later; no rule allows writing it. */
  readonly protected: boolean;
}

export interface MissedRule extends RuleInFile {
  /** Index in `segments`; absent: the rule is about the whole call. */
  readonly segment?: number;
  /** A clause: `argument 3 differs: the rule has "src", the command "lib"`. */
  readonly difference: string;
}

/** One change that "always" offers. */
export interface PermissionOffer {
  /** One rule, folder or mode. A host may change the destination of a rule. */
  readonly update: PermissionUpdate;
  /** The rule as it would be written; absent: a folder or a mode. */
  readonly rule?: string;
  /** A call that the rule allows, and one that it just does not: both held against the rule itself. */
  readonly matches?: string;
  readonly misses?: string;
  /** Why a host should not offer it as already chosen: it runs any text, or deletes files. */
  readonly caution?: string;
}

export interface PermissionScope {
  readonly destination: PermissionDestination;
  /** Absent: not kept in a file. */
  readonly file?: string;
}

/** What `CanUseToolContext.checkRule` resolves with. */
export type RuleCheck =
  | ({ readonly ok: true; readonly rule: string } & Pick<
      PermissionOffer,
      'matches' | 'misses' | 'caution'
    > & {
        /** It allows the call at hand, or a command of it. */
        readonly applies: boolean;
      })
  /** It is no rule; the sentence says why. */
  | { readonly ok: false; readonly problem: string };
