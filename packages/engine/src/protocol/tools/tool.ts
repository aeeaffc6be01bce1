/** The Tool contract, which built-in tools, in-process SDK tools and MCP tools implement. */

import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { JsonObject, JsonSchema } from '../json.ts';
import type { TodoItem } from '../model/attachment.ts';
import type { UserMessage } from '../model/messages.ts';
import type { DocumentBlock, ImageBlock, TextBlock, ToolReferenceBlock } from '../model/wire.ts';
import type { CommandPlace, SandboxPort } from './isolation.ts';
import type { McpOrigin } from './mcp.ts';
import type { JudgedPath } from './permission.ts';
import type { TaskTable } from './task.ts';

/** May a call run again after a crash (L4.1)? `pure`: yes; `idempotent`: with the same key; `unsafe`: no. */
export type EffectClass = 'pure' | 'idempotent' | 'unsafe';

export type ParseResult<Input> =
  | { readonly ok: true; readonly input: Input }
  /** One sentence per problem, naming the field and what was expected. */
  | { readonly ok: false; readonly issues: readonly string[] };

export type ToolResultContent =
  | string
  | readonly (TextBlock | ImageBlock | DocumentBlock | ToolReferenceBlock)[];

/** The result of a call, for the model (`content`) and for consumers (`data`). */
export interface ToolOutput<Output = unknown> {
  /** `data`: structured output for consumers (`tool_use_result`); `content`: what the model reads. */
  readonly data: Output;
  /** For the model. */
  readonly content: ToolResultContent;
  /** true: the call failed. Default false. */
  readonly isError?: boolean;
  /** A failed call keeps its `data`; default: consumers get its text instead. */
  readonly keepsData?: true;
  /** Of a failed call, what the server of the tool said, as it said it. */
  readonly serverError?: JsonObject;
  /** Where its command ran; absent if commands are not isolated, or it ran none. */
  readonly ranIn?: CommandPlace;
  /** Ends the turn once this result is recorded. Default false. */
  readonly endsTurn?: boolean;
  /** Synthetic user messages behind the result. */
  readonly extraMessages?: readonly UserMessage[];
  /** Changes the context of later calls. Applied in order; ignored for concurrency-safe calls. */
  readonly modifyContext?: (context: ToolContext) => ToolContext;
}

/** Progress of a running call, emitted as `tool_progress`. */
export interface ToolProgress {
  readonly type: string;
  /** Never replaced by later progress while the consumer has not taken it. */
  readonly lossless?: true;
  /** Called once the consumer has received this message and all before it, or will never receive it. */
  readonly taken?: () => void;
  readonly [key: string]: unknown;
}

interface HookedState {
  readonly hash: string;
  readonly mtimeMs: number;
  /** The text before; undefined: it was not kept. */
  readonly before?: string | undefined;
  /** The change was reported to the model, but not shown completely. */
  readonly told?: boolean;
}

/** A file that the model has read, as it was at that time. */
export interface ReadFileState {
  /** What the model has read of the file: content hash and mtime at that time. */
  hash: string;
  /** Modification time when it was read, in ms since 1970. */
  mtimeMs: number;
  /** The file as a hook of the session has left it, until the model has seen all of the change. */
  byHook?: HookedState | undefined;
  /** Only a part of the file was read. */
  readonly partial: boolean;
  /** The resolved path at that time. */
  readonly real?: string;
}

/** Files that this session has read; the engine's `readFileCache`. */
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

/** Everything that a tool may use besides its input. */
export interface ToolContext {
  readonly sessionId: string;
  /** Base of relative paths: the session's folder, or the folder that a shell command changed to. */
  readonly cwd: string;
  /** The session's own folder, for permission rules; default `cwd`. */
  readonly root?: string;
  /** The user's home folder, which `~` names in paths; undefined: none is known. */
  readonly home?: string | undefined;
  /**
   * The working directory that the model knows is gone, and `cwd` took its place: a sentence for the model.
   * A call that was meant for the former one must change nothing here.
   */
  readonly lostFolder?: string | undefined;
  /**
   * Sets the folder of later calls, if it belongs to the session; else resets it to the session's own. `path`
   * is absolute and resolved. Absent: every call starts in the same folder.
   */
  follow?(path: string): Promise<{ readonly folder: string; readonly followed: boolean }>;
  /** Absolute paths beside `cwd` that the tool may use. */
  readonly additionalDirectories: readonly string[];
  /** The complete environment of child processes. */
  readonly env: Readonly<Record<string, string>>;
  /** Of the span of the call (W3C), for other processes. Absent, and undefined: there is none. */
  readonly traceparent?: (() => string | undefined) | undefined;
  /** Isolation of shell commands. Absent: they run without isolation. */
  readonly sandbox?: SandboxPort | undefined;
  /** Aborted when the call must end: at most 100 ms are left then. */
  readonly signal: AbortSignal;
  readonly toolUseId: string;
  /** Idempotency key of the call: `submission/iteration/attempt/tool/<tool_use_id>`. */
  readonly effectKey: string;
  /** Chain of agents that led here, and its depth. */
  readonly queryTracking: { readonly chainId: string; readonly depth: number };
  /** The subagent that makes the call; absent for the main agent. */
  readonly agentId?: string;
  readonly files: PersistentFiles;
  /** Which files this agent has read, and in which state. */
  readonly readFileCache: ReadFileCache;
  readonly todos: TodoStore;
  /** Path of a file for output that a tool does not keep in memory; its folder is created on first use. */
  spillFile(name: string): Promise<string>;
  /** Returns a check whether a rule denies reading a file; undefined when no rule does. */
  readFilter?(): ((path: string) => Promise<boolean>) | undefined;
  /** The files of this call as its permission judged them: only these are opened. Absent: not judged. */
  readonly judged?: readonly JudgedPath[] | undefined;
  /**
   * A shell command with untrusted text in it: `shown` is what was judged, `text` what runs, with that text
   * in variables. Absent: the input runs as it is.
   */
  readonly filled?: {
    readonly shown: string;
    readonly text: string;
    readonly variables: Readonly<Record<string, string>>;
  };
  nowMs(): number;
  /** Aborted with the session, not with the turn: for work that outlives the call. */
  readonly sessionSignal: AbortSignal;
  /** Background tasks. Absent: work must not outlive its call. */
  readonly tasks?: TaskTable | undefined;
  /**
   * Resolves once the consumer has the block of this call, or immediately without a consumer; rejects if the
   * call is aborted before. Await it before anything is emitted to hosts.
   */
  delivered?(): Promise<void>;
}

interface ToolDescriptionOptions {
  readonly cwd: string;
  readonly model: string;
}

/** A tool. Its defaults are the safe ones: it runs alone, needs permission, and never runs twice. */
export interface Tool<Input = unknown, Output = unknown> {
  /** Must match `^[a-zA-Z0-9_-]{1,128}$`. */
  readonly name: string;
  /** Earlier names, under which calls are accepted too. */
  readonly aliases?: readonly string[];
  /** As the model receives it; `parse` decides what is accepted. */
  readonly inputJsonSchema: JsonSchema;
  /** Text for the model. `input` is present when one call is described. Taken once per session. */
  description(input: Input | undefined, options: ToolDescriptionOptions): string | Promise<string>;
  /** Validates the model's input. Must not throw. */
  parse(input: JsonObject): ParseResult<Input> | Promise<ParseResult<Input>>;
  /** Whether this call may run beside others; unparsed input counts as unsafe. Default false. */
  isConcurrencySafe?(input: Input): boolean;
  isReadOnly?(input: Input): boolean;
  /** Effect class of this call. Default `unsafe`. */
  effectClass?(input: Input): EffectClass;
  /** A check beyond the schema. Its message reaches the model inside `<tool_use_error>`. */
  validateInput?(input: Input, context: ToolContext): Promise<{ ok: true } | { ok: false; message: string }>;
  /** What permission rules of this tool match: paths, a command, a URL or a name. */
  permissionTarget?(
    input: Input,
    context: { readonly cwd: string; readonly home?: string | undefined },
  ): PermissionTarget;
  /** Every call needs an answer of the user or host, in any mode. Default false. */
  readonly requiresUserInteraction?: boolean;
  /** Set for tools of MCP servers. */
  readonly mcp?: McpOrigin;
  /** Rules of these tools hold for it too. */
  readonly ruledAs?: readonly string[];
  /** A policy for its calls, from the tool's configuration. */
  readonly policy?: ToolPolicy | undefined;
  /** Input fields that only the host's answer may set: refused in the model's input. */
  readonly hostFields?: readonly string[];
  /**
   * `deferrable`: found by ToolSearch while there are too many tools. Default for MCP tools, else `always`.
   */
  readonly loading?: 'always' | 'deferrable';
  /** Search terms for ToolSearch, besides name and description. */
  readonly searchHint?: string;
  /**
   * Input fields with a path: absolute for hooks and hosts, as the model wrote it for the stream and the API.
   */
  readonly pathFields?: readonly string[];
  /**
   * Adds derived fields for observers; the API never receives them. Called with a shallow copy of the input.
   * Fields that it overwrites are shown only if it also adds one.
   */
  backfillObservableInput?(input: Record<string, unknown>): void;
  /** Result length in characters above which it is written to a file (L2.2). Default 30,000. */
  readonly maxResultChars?: number;
  /** The call can be repeated, so its old results may be cleared (L2.4). Default false. */
  readonly microcompactable?: boolean;
  /**
   * Text for the model for a result in the form of `ToolOutput.data` that a hook supplies instead of the
   * tool's. undefined: another form, which is shown as JSON.
   */
  renderOutput?(data: unknown): ToolResultContent | undefined;
  run(
    input: Input,
    context: ToolContext,
  ): AsyncGenerator<ToolProgress, ToolOutput<Output>> | Promise<ToolOutput<Output>>;
}

export interface ToolPolicy {
  /** `ask` and `deny` take precedence over rules and mode; `allow` applies where these are silent. */
  readonly behavior: 'allow' | 'ask' | 'deny';
  /** The reason, in one sentence. */
  readonly reason: string;
}

export type PermissionTarget =
  | { readonly kind: 'read' | 'write'; readonly paths: readonly string[] }
  /**
   * `language`: language of the shell, `bash` or POSIX `sh`. Default `bash`. `leavesSandbox`: the call
   * requests to run outside the sandbox.
   */
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly language?: 'bash' | 'sh';
      readonly leavesSandbox?: boolean;
    }
  | { readonly kind: 'url'; readonly url: string }
  /** Something with a name, such as a skill: `Skill(name)` or `Skill(prefix:*)`, of either name. */
  | { readonly kind: 'name'; readonly name: string; readonly otherName?: string }
  | { readonly kind: 'none' };

// biome-ignore lint/suspicious/noExplicitAny: a set of tools is heterogeneous; each has its own types
export type AnyTool = Tool<any, any>;
