/**
 * A session as the inspector's page shows it: figures and sentences for every iteration, without contents.
 * `turnwright explain --json` prints it, `turnwright inspect` serves it, and an export holds it. Times are in
 * ms since `startedAt`, tokens are the provider's, costs are in USD.
 */
import type { CacheBreak } from '../model/cache.ts';
import type { HookTrace } from '../tools/hook.ts';
import type { CommandPlace } from '../tools/isolation.ts';
import type { GateReasonType } from '../tools/permission.ts';
import type { ToolTrace } from '../tools/tool-call.ts';
import type { CostForecast } from './forecast.ts';
import type { SessionCost } from './spending.ts';
import type { TerminalReason } from './terminal.ts';
import type { TransitionReason } from './transition.ts';

/** The sum of `fresh`, `cacheRead`, `cacheWrite` is what the model read. */
export interface InspectedTokens {
  readonly fresh: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Of `cacheWrite`: kept for an hour. */
  readonly cacheWrite1h: number;
  readonly output: number;
  /** Of `output`. */
  readonly reasoning: number;
}

/** One HTTP request to the model. */
export interface InspectedAttempt {
  readonly start: number;
  readonly firstContent?: number;
  readonly end: number;
  readonly outcome: string;
  readonly status?: number;
  /** ms that were waited before it. */
  readonly waited?: number;
  readonly wasted?: true;
}

export interface InspectedCall {
  readonly id: string;
  readonly name: string;
  /** What it is about: a command, a file, a pattern; at most 200 characters. */
  readonly subject?: string;
  readonly queued: number;
  /** Absent when it never ran. */
  readonly start?: number;
  readonly end: number;
  readonly outcome: ToolTrace['outcome'];
  readonly resultChars: number;
  /** Where its command ran; absent if commands are not isolated, or it ran none. */
  readonly ranIn?: CommandPlace;
  /** Who decided that it may run. */
  readonly decidedBy?: GateReasonType;
  /** The rule that decided, as it is written. */
  readonly rule?: string;
  /** ms that a person or host was asked for. */
  readonly askedMs?: number;
  /** The judge of mode `auto` allowed it. */
  readonly isJudged?: true;
  /** Why it was asked about, judged or denied. */
  readonly why?: string;
  /** The last lines of what a failed call wrote. */
  readonly failure?: string;
}

/** A step that changed the conversation before the request. */
export interface InspectedStep {
  readonly step: string;
  readonly before: number;
  readonly after: number;
  readonly ms: number;
  readonly replaced: number;
}

/** A hook that ran. */
export interface InspectedHook {
  readonly event: string;
  /** `callback`, `command`, … */
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly outcome: HookTrace['outcome'];
  /** Name of the tool whose call it was about. */
  readonly tool?: string;
}

export type IterationMark =
  | 'retried'
  | 'fell_back'
  | 'compacted'
  | 'asked'
  | 'denied'
  | 'failed'
  | 'cache_break'
  | 'wasted'
  | 'recovered'
  | 'cut_off'
  | 'running'
  | 'left';

export interface InspectedIteration {
  /** Names it for the detail and for links; never changes. */
  readonly key: string;
  /** As `fork --at` and `explain` number it; of an agent behind the beginning of its id. */
  readonly step: string;
  /** Id of the agent; '' for the main thread. */
  readonly agent: string;
  /** Number of the submission in its journal, from 1. */
  readonly submission: number;
  readonly start: number;
  readonly end: number;
  readonly model: string;
  /** Models before it, where another one took over. */
  readonly fellBackFrom?: readonly string[];
  readonly in?: TransitionReason;
  readonly out: TransitionReason | TerminalReason | 'parked' | 'cut_off' | 'running';
  /** Why it ended as it did. */
  readonly sentence: string;
  /** The rule that decided; absent when none objected. */
  readonly rule?: string;
  readonly stopReason?: string;
  /** Absent when no answer began. */
  readonly tokens?: InspectedTokens;
  readonly costUsd?: number;
  readonly wastedUsd?: number;
  readonly context?: {
    readonly used: number;
    readonly overhead: number;
    readonly window: number;
    readonly autocompactAt: number;
    readonly blockingAt: number;
  };
  /** Entries of the conversation that was sent, and how many are new. */
  readonly sent: number;
  readonly added: number;
  readonly attempts: readonly InspectedAttempt[];
  readonly calls: readonly InspectedCall[];
  /** Calls that have no result yet, of an iteration that is not over. */
  readonly open?: readonly {
    readonly id: string;
    readonly name: string;
    readonly subject?: string;
    /** When the model had asked for it. */
    readonly start: number;
  }[];
  readonly steps: readonly InspectedStep[];
  /** Absent: none ran. */
  readonly hooks?: readonly InspectedHook[];
  readonly cacheBreak?: CacheBreak;
  readonly marks: readonly IterationMark[];
}

export interface InspectedSubmission {
  /** From 1. */
  readonly number: number;
  /** Beginning of the prompt. */
  readonly prompt: string;
  /** Why it ended. */
  readonly sentence: string;
  readonly terminal?: string;
  readonly start: number;
  readonly end: number;
  readonly costUsd?: number;
  readonly turns?: number;
}

/** An agent, or the main thread (id ''). */
export interface InspectedAgent {
  readonly id: string;
  /** Name of its definition; `main` for the main thread. */
  readonly type: string;
  readonly description: string;
  /** Id of the agent that started it; absent for the main thread. */
  readonly parent?: string;
  readonly toolUseId?: string;
  readonly iterations: number;
  readonly costUsd: number;
  /** With the agents below it. */
  readonly treeCostUsd: number;
  readonly start: number;
  readonly end: number;
  readonly sentence: string;
}

/** What a person looks for first. */
export interface InspectedEvent {
  readonly kind:
    | 'end'
    | 'recovery'
    | 'failure'
    | 'retry'
    | 'fallback'
    | 'compaction'
    | 'cache_break'
    | 'denial'
    | 'question'
    | 'judged'
    | 'wait';
  /** Of the iteration. */
  readonly key: string;
  readonly step: string;
  readonly sentence: string;
  readonly usd?: number;
}

export interface InspectedTotals {
  readonly iterations: number;
  /** Of the main thread. */
  readonly turns: number;
  readonly calls: number;
  readonly tokens: InspectedTokens;
  readonly costUsd: number;
  /** As `cost` names it: answers that broke, were withheld, or were interrupted. */
  readonly wastedUsd: number;
  /** Of the main thread: paid again because the cache did not hold. */
  readonly cacheBreakUsd: number;
  /** Share of what the model read that came from the cache, 0 to 1. */
  readonly cacheHit: number;
  /** Of the main thread's iterations, from the first to the last moment of each. */
  readonly activeMs: number;
  readonly modelMs: number;
  readonly toolMs: number;
  /** Back-off, rate limits, and questions to people. */
  readonly waitingMs: number;
  /** Work beside other work: it cost no time. */
  readonly hiddenMs: number;
}

export interface SessionInspection {
  readonly v: 1;
  readonly sessionId: string;
  readonly title: string;
  readonly cwd: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** ms since `startedAt`. */
  readonly end: number;
  readonly state: 'empty' | 'running' | 'stopped' | 'parked' | 'cut_off' | 'foreign';
  /** Why it stopped, or what it does now. */
  readonly sentence: string;
  readonly terminal?: string;
  /** Key of the iteration that cost most. */
  readonly dearest?: string;
  readonly redacted: boolean;
  readonly totals: InspectedTotals;
  /** As `turnwright cost` prints it. */
  readonly cost: SessionCost;
  /** Of the running prompt, or of a next one like the last. Absent: no run of its folder is recorded. */
  readonly forecast?: {
    readonly of: 'running' | 'next';
    /** USD of the running prompt so far. */
    readonly spentUsd: number;
    readonly forecast: CostForecast;
    readonly sentence: string;
  };
  readonly submissions: readonly InspectedSubmission[];
  /** The main thread first, agents behind the one that started them. */
  readonly agents: readonly InspectedAgent[];
  /** In the order in which they began. */
  readonly iterations: readonly InspectedIteration[];
  readonly events: readonly InspectedEvent[];
  /** Damaged places of the journal; empty: none. */
  readonly damage: readonly string[];
}

/** A message as it went to the model, or came from it. */
export interface InspectedEntry {
  readonly uuid: string;
  readonly role: 'user' | 'assistant';
  /** `prompt`, `tool_result`, `text`, `tool_use`, `thinking`, … */
  readonly kind: string;
  /** Name of the tool, of a call or its result. */
  readonly name?: string;
  readonly chars: number;
  /** Estimated share of the request. */
  readonly tokens: number;
  /** Its beginning. */
  readonly text: string;
  /** As data URLs; large ones and those beyond the fourth are left out. Absent: it has none. */
  readonly images?: readonly string[];
  readonly state: 'same' | 'new' | 'changed';
}

export interface InspectedRule {
  readonly name: string;
  /** What it asks. */
  readonly question: string;
  readonly verdict: 'no' | 'decided' | 'not reached';
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/** All that is known of one iteration, with the beginnings of its contents. */
export interface IterationDetail {
  readonly key: string;
  readonly sentence: string;
  readonly rules: readonly InspectedRule[];
  readonly sent: {
    /** Leading entries that are those of the request before. */
    readonly unchanged: number;
    readonly unchangedTokens: number;
    /** The entries behind them. */
    readonly entries: readonly InspectedEntry[];
    /** Entries of the request before that are gone; at most 50. */
    readonly removed: readonly InspectedEntry[];
    readonly removedCount: number;
    readonly system: {
      readonly text: string;
      readonly chars: number;
      readonly tools: readonly string[];
      /** Since the request before. */
      readonly changed: readonly string[];
    };
  };
  readonly answer: readonly InspectedEntry[];
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly input: string;
    readonly output?: InspectedEntry;
    readonly permission?: string;
  }[];
  readonly hooks: readonly string[];
  readonly breakAt?: string;
  /** The record as it was written, as JSON. */
  readonly raw: string;
}

/** Where a text was found. */
export interface InspectionHit {
  /** Of the iteration that it belongs to, or that read it first. */
  readonly key: string;
  readonly step: string;
  readonly where: string;
  readonly text: string;
}
