/**
 * Slash commands, in the form that every source of them uses: files, skills, plugins, MCP prompts, the host,
 * the engine.
 */

import type { ViewMessage } from '../model/messages.ts';
import type { EffortLevel, UserBlock } from '../model/wire.ts';
import type { VerifyConditions } from '../session/verification.ts';
import type { ContextUsage } from '../stream/context-usage.ts';
import type { ModelUsage } from '../stream/result-message.ts';

/** The source of a command. `builtin`: the engine; `host`: the embedding program. */
export type CommandOrigin = 'builtin' | 'host' | 'user' | 'project' | 'plugin' | 'skill' | 'mcp';

/** Names of sources for hooks, where they differ. */
export const COMMAND_SOURCES: Partial<Record<CommandOrigin, string>> = {
  project: 'projectSettings',
  user: 'userSettings',
};

export interface Command {
  /** Without the slash. */
  readonly name: string;
  /** Other names, without the slash. */
  readonly aliases?: readonly string[] | undefined;
  /** The alias that lists with descriptions show, in place of the name. */
  readonly shownAs?: string | undefined;
  readonly description: string;
  /** What to write behind the name, such as `[file]`. */
  readonly argumentHint?: string | undefined;
  /** Default `host`. */
  readonly origin?: CommandOrigin | undefined;
  /** false: it comes with a folder that is not trusted, and takes the place of no other. Default true. */
  readonly isTrusted?: boolean | undefined;
  /** Rejects with a sentence for the user; that sentence is then the result. */
  run(args: string, context: CommandContext): CommandResult | Promise<CommandResult>;
}

/**
 * Commands from one source. A session asks its sources in order, and the first one that knows a name owns it.
 * Files of the user and of a trusted project take precedence over built-in commands.
 */
export interface CommandSource {
  /** Name of the source, for messages about it. */
  readonly name: string;
  /** Reads the source once; later calls return the same promise. Must not reject. */
  load?(): Promise<void>;
  /** What is loaded so far, without I/O. The same array while nothing changed. */
  readonly commands: readonly Command[];
}

export interface CommandContext {
  readonly sessionId: string;
  readonly cwd: string;
  /** The conversation so far. */
  readonly messages: readonly ViewMessage[];
  /** Aborted when the submission is interrupted. */
  readonly signal: AbortSignal;
  readonly session: CommandSession;
  /**
   * Runs a shell command like a call of the model, through the one gate, with these rules allowed as well.
   * The host is not asked: a command that no rule allows is refused. Untrusted text belongs into a template,
   * never into the command. Never rejects.
   */
  shell(command: string | ShellTemplate, allowedTools: readonly string[]): Promise<ShellAnswer>;
  /**
   * The files that a text mentions with `@path`, read under the rules of Read. Files that may not be read are
   * left out.
   */
  mentionedFiles(text: string): Promise<readonly UserBlock[]>;
}

/**
 * A shell command as its author wrote it, with placeholders for untrusted text. That text reaches the
 * shell as data: in variables, in whatever quotes the placeholder is.
 */
export interface ShellTemplate {
  readonly pieces: readonly (string | ForeignText)[];
  /** Whose command it is, for hooks. */
  readonly of?: { readonly name: string; readonly source: CommandOrigin } | undefined;
}

interface ForeignText {
  /** The value within quotes. */
  readonly text: string;
  /** The values without quotes, each one word; an empty list is nothing. */
  readonly words: readonly string[];
  /** May be the beginning of a program's name: a folder that the command itself comes from. */
  readonly namesProgram?: boolean;
}

export type ShellAnswer =
  | { readonly ok: true; readonly output: string }
  /** Refused, failed or timed out, in one sentence. */
  | { readonly ok: false; readonly why: string };

/** What a command can read and change of its session. */
interface CommandSession {
  /** The model of the next submissions, by id. */
  readonly model: string;
  /**
   * Takes effect with the next submission; undefined: the default model. Rejects with a sentence if the model
   * is not available.
   */
  setModel(model?: string): Promise<void>;
  /** Effort of the next submissions; undefined if the model has none. */
  readonly effort: EffortLevel | undefined;
  /** Takes effect with the next submission; undefined: as configured. */
  setEffort(level?: EffortLevel): void;
  /** What must hold when the conversation's next prompts end; undefined: nothing. */
  readonly goal: VerifyConditions | undefined;
  /** Holds until it was verified, or another one is set; also in a later process. */
  setGoal(goal?: VerifyConditions): Promise<void>;
  /** All commands of the session, in lookup order. */
  commands(): readonly Command[];
  contextUsage(): Promise<ContextUsage>;
  cost(): {
    readonly totalUsd: number;
    readonly models: Readonly<Record<string, ModelUsage>>;
  };
}

export interface CommandResult {
  /** Messages appended to the conversation, in order. */
  readonly messages: readonly (string | readonly UserBlock[])[];
  /** false: the submission ends here, without a model call. */
  readonly shouldQuery: boolean;
  /** Permission rules that hold for this submission only. */
  readonly allowedTools?: readonly string[] | undefined;
  /** Completion conditions of this submission, beside those of the session. */
  readonly verify?: VerifyConditions | undefined;
  /** Model and effort for this submission only. */
  readonly model?: string | undefined;
  /** Effort of the submission that it starts; absent: unchanged. */
  readonly effort?: EffortLevel | undefined;
  /** Compacts the conversation; only without `shouldQuery`. The outcome becomes the result's text. */
  readonly compact?: { readonly instructions?: string } | undefined;
  /** Ends this conversation and begins another one; only without `shouldQuery`. */
  readonly clear?: true | undefined;
  /** The result's text when no query runs. */
  readonly resultText?: string | undefined;
  /** Sentences for the user, shown as notices. */
  readonly notices?: readonly string[] | undefined;
}
