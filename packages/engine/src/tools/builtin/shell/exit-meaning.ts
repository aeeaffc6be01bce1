/**
 * Static facts about a command line: the meaning of exit code 1, and whether it prints nothing on success.
 */

/** Programs whose exit code 1 is an answer, not a failure, by the first words of the command. */
const EXIT_1: readonly (readonly [names: readonly string[], meaning: string])[] = [
  [['grep', 'egrep', 'fgrep', 'rg', 'git grep'], 'No matches found'],
  [['diff', 'git diff'], 'Files differ'],
  [['find'], 'Some directories were inaccessible'],
  [['test', '['], 'Condition is false'],
];

const QUIET = new Set('cd chgrp chmod chown cp ln mkdir mv rm rmdir touch unset wait'.split(' '));

/**
 * The meaning of an exit code other than 0 that is not a failure; undefined: a failure. The last command of
 * the line decides.
 */
export function exitMeaning(line: string, code: number): string | undefined {
  if (code !== 1) return undefined;
  const last = splitCommands(line).at(-1) ?? '';
  return EXIT_1.find(([names]) => names.some((name) => startsWith(last, name)))?.[1];
}

/** Whether no command of the line prints anything on success. */
export function isQuiet(line: string): boolean {
  const commands = splitCommands(line);
  return commands.length > 0 && commands.every((command) => QUIET.has(/^\S+/.exec(command)?.[0] ?? ''));
}

/**
 * A complete command, with its quotes, or the operator behind it. For display only; permissions do not use
 * it.
 */
const COMMAND = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[<>]&|&>|[^;&|\n'"\\])+/gs;

function splitCommands(line: string): readonly string[] {
  return (line.match(COMMAND) ?? []).map((command) => command.trim()).filter((command) => command !== '');
}

function startsWith(command: string, words: string): boolean {
  return command === words || command.startsWith(`${words} `);
}
