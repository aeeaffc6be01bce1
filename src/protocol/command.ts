/** Slash commands, as everybody means them who offers some: files, skills, plugins, MCP prompts, the host, the engine. */
import type { ContextUsage } from './context-usage.ts';
import type { ViewMessage } from './messages.ts';
import type { ModelUsage } from './result-message.ts';
import type { EffortLevel, UserBlock } from './wire.ts';

/** Who brought a command along. `builtin`: the engine; `host`: the program around it. */
export type CommandOrigin = 'builtin' | 'host' | 'user' | 'project' | 'plugin' | 'skill' | 'mcp';

export interface Command {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
  readonly description: string;
  readonly argumentHint?: string | undefined;
  /** Default `host`. */
  readonly origin?: CommandOrigin | undefined;
  /** Rejects with a sentence for the person who typed it; that is then the result. */
  run(args: string, context: CommandContext): CommandResult | Promise<CommandResult>;
}

/**
 * Commands from one place. A session asks its sources in order, and the first that has a name owns it; the engine's
 * own names come before all of them.
 */
export interface CommandSource {
  /** For messages about it. */
  readonly name: string;
  /** Reads what there is to read, once; later calls return the same promise. Must not reject. */
  load?(): Promise<void>;
  /** From what is at hand, without I/O. The same array while nothing changed. */
  readonly commands: readonly Command[];
}

export interface CommandContext {
  readonly sessionId: string;
  readonly cwd: string;
  /** The conversation so far. */
  readonly messages: readonly ViewMessage[];
  readonly signal: AbortSignal;
  readonly session: CommandSession;
  /**
   * Runs a shell command in the way the model's own calls run, through the one gate, with these rules allowed as well.
   * Nobody is asked: what no rule allows is refused. Never rejects.
   */
  shell(command: string, allowedTools: readonly string[]): Promise<ShellAnswer>;
  /** The files that a text names with `@path`, read under the rules of Read; what may not be read is left out. */
  mentionedFiles(text: string): Promise<readonly UserBlock[]>;
}

export type ShellAnswer =
  | { readonly ok: true; readonly output: string }
  /** Refused, failed or cut off: a sentence. */
  | { readonly ok: false; readonly why: string };

/** What a command may see and switch of the session it runs in. */
export interface CommandSession {
  /** The model of the next submissions, by id. */
  readonly model: string;
  /** From the next submission on; undefined: the default. Rejects with a sentence for a model that cannot be had. */
  setModel(model?: string): Promise<void>;
  /** How hard the model thinks in the next submissions; undefined: it takes no effort. */
  readonly effort: EffortLevel | undefined;
  /** From the next submission on; undefined: as configured. */
  setEffort(level?: EffortLevel): void;
  /** Every command of the session, in the order in which names are looked up. */
  commands(): readonly Command[];
  contextUsage(): Promise<ContextUsage>;
  cost(): {
    readonly totalUsd: number;
    readonly models: Readonly<Record<string, ModelUsage>>;
  };
}

export interface CommandResult {
  /** What the conversation gains, in order. */
  readonly messages: readonly (string | readonly UserBlock[])[];
  /** false: the submission ends here, without asking the model. */
  readonly shouldQuery: boolean;
  /** Permission rules that hold for this submission only. */
  readonly allowedTools?: readonly string[] | undefined;
  /** The model of this submission only, and how hard it thinks. */
  readonly model?: string | undefined;
  readonly effort?: EffortLevel | undefined;
  /** The conversation is compacted; only without `shouldQuery`. The result's text then says what came of it. */
  readonly compact?: { readonly instructions?: string } | undefined;
  /** The conversation is put away and another one begins; only without `shouldQuery`. */
  readonly clear?: true | undefined;
  /** The result's text when no query runs. */
  readonly resultText?: string | undefined;
  /** For the person, one sentence each. */
  readonly notices?: readonly string[] | undefined;
}
