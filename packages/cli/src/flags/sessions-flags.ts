/** The flags of `turnwright sessions`. */
import { type Command, Option } from 'commander';
import { positiveInteger } from './flag-values.ts';

export interface SessionsInvocation {
  readonly command: 'sessions';
  readonly action: string;
  readonly words: readonly string[];
  readonly flags: {
    readonly all?: true;
    readonly json?: true;
    readonly limit?: number;
    /** Of what was said. */
    readonly search?: string;
    /** A message: copy up to it. */
    readonly at?: string;
    readonly title?: string;
    /** A message, or a text; `-`: on stdin. To be erased. */
    readonly message?: string;
    readonly text?: string;
    /** URL of a database; true: that of TURNWRIGHT_DB. */
    readonly db?: string | true;
  };
}

export function addSessionsCommand(command: Command, onCall: (invocation: SessionsInvocation) => void): void {
  command
    .argument('[action]', 'list (the default), show, rename, tag, fork, erase or delete')
    .argument('[words...]', 'id of a session, and what the action needs')
    .option('--all', 'list: of every folder')
    .option('--json', 'list, show: as JSON')
    .addOption(new Option('--limit <n>', 'list: at most n').argParser(positiveInteger))
    .option('--search <text>', 'list: those in which this was said, with the line')
    .option('--at <message>', 'fork: up to this message')
    .option('--title <title>', 'fork: name of the copy')
    .option('--message <message>', 'erase: everything that this message says')
    .option('--db [url]', 'list: those of a database (default: the variable TURNWRIGHT_DB)')
    .option('--text <text>', 'erase: this text wherever it occurs; - reads it from stdin')
    .action((action: string | undefined, words: string[], flags: SessionsInvocation['flags']) =>
      onCall({ command: 'sessions', action: action ?? 'list', words, flags }),
    );
}
