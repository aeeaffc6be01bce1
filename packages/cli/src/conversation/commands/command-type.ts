/** A command of the conversation: what is typed as `/name argument`. */
import type { ConversationCommandContext } from '../command-context.ts';

export interface ConversationCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line, for `/help` and the completion list. */
  readonly summary: string;
  /** The argument as the help shows it, for example `[file]`; absent: it takes none. */
  readonly argument?: string;
  /** It ends something: Enter on a part of its name completes it, and the next one runs it. */
  readonly ends?: true;
  /** Values for the argument that begin with `prefix`. */
  complete?(prefix: string, context: ConversationCommandContext): Promise<readonly string[]>;
  /** Rejects with a sentence, which the conversation prints. */
  run(argument: string, context: ConversationCommandContext): Promise<void>;
}

/** A mistake of the person: the conversation prints the sentence, without "failed". */
export class CommandMistake extends Error {}
