/** The Tool contract: what a built-in tool, an in-process SDK tool and an MCP tool all are. */
import type { PersistentFiles } from './files.ts';
import type { JsonObject, JsonSchema } from './json.ts';
import type { InformationalBody, ProgressMessage, TodoItem, UserMessage } from './messages.ts';
import type {
  DecisionReasonType,
  GateReasonType,
  GateVerdict,
  JudgedPath,
  PermissionDenial,
} from './permission.ts';
import type { CommandPlace, SandboxPort } from './sandbox.ts';
import type { TaskTable } from './task.ts';
import type { DocumentBlock, ImageBlock, TextBlock, ToolUseBlock } from './wire.ts';

/**
 * What may happen again after a crash (L4.1): `pure` may run again, `idempotent` may run again with the same
 * key, `unsafe` (the default) never.
 */
export type EffectClass = 'pure' | 'idempotent' | 'unsafe';

export type ParseResult<Input> =
  | { readonly ok: true; readonly input: Input }
  /** One sentence per problem, each naming its field and what was expected. */
  | { readonly ok: false; readonly issues: readonly string[] };

export type ToolResultContent = string | readonly (TextBlock | ImageBlock | DocumentBlock)[];

export interface ToolOutput<Output = unknown> {
  /** Structured, for consumers (`tool_use_result`). */
  readonly data: Output;
  /** What the model reads. */
  readonly content: ToolResultContent;
  readonly isError?: boolean;
  /** Where its command ran; absent: commands are not isolated, or it is none. */
  readonly ranIn?: CommandPlace;
  /** The turn ends once this result is recorded. */
  readonly endsTurn?: boolean;
  /** More messages behind the result, as synthetic user messages. */
  readonly extraMessages?: readonly UserMessage[];
  /** Applied in order, only by tools that are not concurrency-safe. */
  readonly modifyContext?: (context: ToolContext) => ToolContext;
}

export interface ToolProgress {
  readonly type: string;
  /** Never pushed out by later progress that nobody has taken yet. */
  readonly lossless?: true;
  /** Called once the consumer has it and whatever came before it, or once it is certain that nobody takes it. */
  readonly taken?: () => void;
  readonly [key: string]: unknown;
}

export interface ReadFileState {
  /** What the model has seen of the file: content hash and mtime when it was read or written. */
  readonly hash: string;
  readonly mtimeMs: number;
  readonly partial: boolean;
  /** The path without links, where it was read or written. */
  readonly real?: string;
}

/** Which files this session has read; the engine's `readFileCache`. */
export interface ReadFileCache {
  get(path: string): ReadFileState | undefined;
  set(path: string, state: ReadFileState): void;
  delete(path: string): void;
  entries(): Iterable<[string, ReadFileState]>;
}

export interface TodoStore {
  get(): readonly TodoItem[];
  set(todos: readonly TodoItem[]): void;
}

/** Everything a tool may touch. Narrow ports, no bag of options. */
export interface ToolContext {
  readonly sessionId: string;
  /** Where relative paths count from: the session's folder, or where a shell command went in it. */
  readonly cwd: string;
  /** The session's own folder, for permission rules; default `cwd`. */
  readonly root?: string;
  /**
   * Later calls start in this folder, if it is one of the session's; in the session's own otherwise. `path` is absolute and
   * free of links. Absent: every call starts in the same one.
   */
  follow?(path: string): Promise<{ readonly folder: string; readonly followed: boolean }>;
  readonly additionalDirectories: readonly string[];
  /** The whole environment of child processes. */
  readonly env: Readonly<Record<string, string>>;
  /** Isolation of shell commands. Absent: they run as any program does. */
  readonly sandbox?: SandboxPort | undefined;
  readonly signal: AbortSignal;
  readonly toolUseId: string;
  /** `submission/iteration/attempt/tool/<tool_use_id>`: hand it on as an idempotency key. */
  readonly effectKey: string;
  readonly queryTracking: { readonly chainId: string; readonly depth: number };
  readonly agentId?: string;
  readonly files: PersistentFiles;
  readonly readFileCache: ReadFileCache;
  readonly todos: TodoStore;
  /** Where a tool that streams much output spills what it does not keep; made on first use. */
  spillFile(name: string): Promise<string>;
  /** Says of a file that a rule denies reading it; undefined when no rule does, so that searches ask nothing. */
  readFilter?(): ((path: string) => Promise<boolean>) | undefined;
  /** The files of this call, as its permission was decided: they are opened there and nowhere else. Absent: nobody looked. */
  readonly judged?: readonly JudgedPath[] | undefined;
  nowMs(): number;
  /** Ends with the session, not with the turn: for what outlives the call. */
  readonly sessionSignal: AbortSignal;
  /** Background tasks. Absent: nothing may outlive its call. */
  readonly tasks?: TaskTable | undefined;
  /**
   * Resolves once the consumer has the block of this call, at once where there is no consumer; rejects when the call is
   * aborted before. To be awaited before anything is announced to hosts.
   */
  delivered?(): Promise<void>;
}

export interface ToolDescriptionOptions {
  readonly cwd: string;
  readonly model: string;
}

export interface Tool<Input = unknown, Output = unknown> {
  /** `^[a-zA-Z0-9_-]{1,128}$` */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly inputJsonSchema: JsonSchema;
  /** `input` is present when describing one call. May be async; the wire text is taken once per session. */
  description(input: Input | undefined, options: ToolDescriptionOptions): string | Promise<string>;
  /** Contract: never throws. */
  parse(input: JsonObject): ParseResult<Input> | Promise<ParseResult<Input>>;
  /** For this input; unparsed input counts as unsafe. Default false. */
  isConcurrencySafe?(input: Input): boolean;
  isReadOnly?(input: Input): boolean;
  /** Default `unsafe`. */
  effectClass?(input: Input): EffectClass;
  /** A check beyond the schema; its message reaches the model inside `<tool_use_error>`. */
  validateInput?(input: Input, context: ToolContext): Promise<{ ok: true } | { ok: false; message: string }>;
  /** The paths this call would read or write, for permission rules; and the specifier text rules match. */
  permissionTarget?(input: Input, context: { readonly cwd: string }): PermissionTarget;
  /** Always needs a person or host, whatever the mode. */
  readonly requiresUserInteraction?: boolean;
  /** Of a tool that an MCP server offers. */
  readonly mcp?: McpOrigin;
  /** What whoever configured the tool says about calls of it. */
  readonly policy?: ToolPolicy | undefined;
  /** Input fields that only a host's answer may bring: refused in what the model writes. */
  readonly hostFields?: readonly string[];
  /**
   * `deferrable`: left out of requests, and found by ToolSearch, while too many tools are at hand. Default for MCP
   * tools; `always` for others.
   */
  readonly loading?: 'always' | 'deferrable';
  /** Words by which ToolSearch finds it, besides its name and description. */
  readonly searchHint?: string;
  /** Input fields that hold a path: hooks and hosts get it absolute, the stream and the API as the model wrote it. */
  readonly pathFields?: readonly string[];
  /**
   * Adds derived fields that observers see and the API never does. Called with a shallow copy of the input; what it
   * overwrites is shown only beside a field that it adds.
   */
  backfillObservableInput?(input: Record<string, unknown>): void;
  /** Characters of result beyond which stage 1 spills it. Default 30 000; Infinity: bounds itself. */
  readonly maxResultChars?: number;
  /** A re-runnable read, search, list, fetch or shell: its old results may be dropped. */
  readonly microcompactable?: boolean;
  /**
   * What the model reads of a result in the form of `ToolOutput.data`, for a hook that puts one in the place of the tool's.
   * undefined: it is in another form, and is shown as JSON.
   */
  renderOutput?(data: unknown): ToolResultContent | undefined;
  run(
    input: Input,
    context: ToolContext,
  ): AsyncGenerator<ToolProgress, ToolOutput<Output>> | Promise<ToolOutput<Output>>;
}

export interface McpOrigin {
  /** As the configuration calls it. */
  readonly server: string;
  /** As it calls itself. */
  readonly serverName?: string;
  /** Where the server is from: `sdk` for one of the host's process, else the scope of its configuration. */
  readonly source: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** What people call the tool, where the server says so. */
  readonly title?: string;
}

export interface ToolPolicy {
  /** `ask` and `deny` hold whatever rules and mode say; `allow` holds where they say nothing. */
  readonly behavior: 'allow' | 'ask' | 'deny';
  /** Why, in a sentence. */
  readonly reason: string;
}

export type PermissionTarget =
  | { readonly kind: 'read' | 'write'; readonly paths: readonly string[] }
  /**
   * `language`: of the shell that runs it, `bash` or what a shell called `sh` may be. Default `bash`. `leavesSandbox`: it
   * asks to run outside of the sandbox, where there is one.
   */
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly language?: 'bash' | 'sh';
      readonly leavesSandbox?: boolean;
    }
  | { readonly kind: 'url'; readonly url: string }
  /** Something that has a name, as a skill has: `Skill(name)`, or `Skill(prefix:*)`. */
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'none' };

// biome-ignore lint/suspicious/noExplicitAny: a set of tools is heterogeneous; each is checked where it is defined
export type AnyTool = Tool<any, any>;

/** A complete call, as it came from the model. */
export interface ToolCall {
  readonly block: ToolUseBlock;
  readonly assistantUuid: string;
  readonly effectKey: string;
  /** The input did not parse as JSON; it never runs. */
  readonly unparsed?: { readonly raw: string; readonly cut: boolean };
}

/** What a call came to, for the decision record. */
export interface ToolTrace {
  readonly id: string;
  readonly name: string;
  readonly queuedMs: number;
  readonly startedMs?: number;
  readonly endedMs: number;
  readonly outcome: 'ok' | 'error' | 'denied' | 'invalid' | 'aborted' | 'unknown_tool';
  readonly inputChars: number;
  readonly resultChars: number;
  readonly concurrent: boolean;
  /** Where its command ran; absent: commands are not isolated, or it is none. */
  readonly ranIn?: CommandPlace;
  readonly permission?: {
    readonly verdict: GateVerdict['kind'];
    /** What decided: a rule, the mode, a hook, the host, … */
    readonly source: GateReasonType;
    /** The rule that decided, as written, and where it is from. */
    readonly rule?: string;
    readonly ruleSource?: string;
    readonly askedMs?: number;
  };
}

/** Why a call was denied that no person or host denied. */
export interface DenialNotice {
  readonly decision_reason_type: DecisionReasonType;
  readonly decision_reason?: string;
}

export type ToolUpdate =
  | { readonly kind: 'progress'; readonly message: ProgressMessage }
  | {
      readonly kind: 'result';
      readonly callId: string;
      readonly message: UserMessage;
      readonly extraMessages: readonly UserMessage[];
      readonly endsTurn: boolean;
      /** PostToolUse `continue: false`. */
      readonly preventContinuation?: { readonly stopReason: string; readonly hookName?: string };
      /** From hooks around this call, for the model. */
      readonly hookContext: readonly string[];
      /** What hooks that ran after the call say to the person; shown behind the result. */
      readonly said?: readonly InformationalBody[];
      readonly denial?: PermissionDenial;
      /** What is announced of the denial; absent where nothing is. */
      readonly denialNotice?: DenialNotice | undefined;
      /** deny + interrupt: the run stops as `aborted_tools`. */
      readonly interrupt?: boolean;
      readonly trace: ToolTrace;
    };

/**
 * Runs the calls of one iteration. Contract: exactly one `result` update per added call, on every path.
 * `add` starts a call as soon as its turn comes; nothing waits for the consumer but outward steps.
 */
export interface ToolExecutor {
  add(call: ToolCall): void;
  /** The consumer has taken the call's block: its gate may now ask hooks and hosts. */
  delivered(callId: string): void;
  /** Updates that are ready, without waiting. */
  take(): ToolUpdate[];
  /** Calls added and not yet reported. */
  readonly open: number;
  /** Resolves when `take()` would return something, or nothing is open. */
  ready(): Promise<void>;
  /** Stops everything that runs or waits; each open call is answered with `why`. */
  abort(why: 'interrupted' | 'discarded' | 'superseded' | 'failed'): Promise<void>;
}
