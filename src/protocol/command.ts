/** Slash commands, as everybody means them who offers some: files, skills, plugins, MCP prompts, the host, the engine. */
import type { ViewMessage } from './messages.ts';
import type { UserBlock } from './wire.ts';

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
}

export interface CommandResult {
  /** What the conversation gains, in order. */
  readonly messages: readonly (string | readonly UserBlock[])[];
  /** false: the submission ends here, without asking the model. */
  readonly shouldQuery: boolean;
  /** Permission rules that hold for this submission only. */
  readonly allowedTools?: readonly string[] | undefined;
  /** The model of this submission only. */
  readonly model?: string | undefined;
  /** The conversation is compacted; only without `shouldQuery`. The result's text then says what came of it. */
  readonly compact?: { readonly instructions?: string } | undefined;
  /** The result's text when no query runs. */
  readonly resultText?: string | undefined;
}
