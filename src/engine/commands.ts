/** Slash commands: local code that answers, or prepares a prompt (L1 phases 3 and 5). */
import type { ViewMessage } from '../protocol/messages.ts';
import type { UserBlock } from '../protocol/wire.ts';

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

export interface Command {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
  readonly description: string;
  readonly argumentHint?: string | undefined;
  run(args: string, context: CommandContext): CommandResult | Promise<CommandResult>;
}

export interface CommandCall {
  readonly command: Command;
  readonly args: string;
}

/** `/name args` when a command has that name; anything else, also an unknown `/word`, is a prompt. */
export function findCommand(
  prompt: string | readonly UserBlock[],
  commands: readonly Command[],
): CommandCall | undefined {
  const match = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(textOf(prompt).trim());
  if (match === null) return undefined;
  const name = match[1];
  const command = commands.find((c) => c.name === name || c.aliases?.includes(name ?? '') === true);
  return command === undefined ? undefined : { command, args: match[2] ?? '' };
}

/** A text is a text also when its sender wrote it as one block. */
function textOf(prompt: string | readonly UserBlock[]): string {
  if (typeof prompt === 'string') return prompt;
  const [only] = prompt;
  return prompt.length === 1 && only?.type === 'text' ? only.text : '';
}
