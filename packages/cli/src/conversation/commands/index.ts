/** Runs and completes what is typed as `/name argument`. */
import { existsSync } from 'node:fs';
import { commandAdvice } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { COMMANDS } from './command-table.ts';
import { CommandMistake, type ConversationCommand } from './command-type.ts';
import { isOverriding, listOtherCommands, ownBeside } from './help.ts';

export type { ConversationCommand } from './command-type.ts';
export { COMMANDS };

/** A path, as `/usr/bin is full`, is no command line. */
const COMMAND_LINE = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/;

/**
 * Runs a command line. False: it is none, or one of the engine's (a command of a file, a skill, a prompt of
 * an MCP server), which is to be sent as a prompt. A name that does not exist is never sent: it gets a
 * sentence, and its line goes back to the editor if it is nearly that of a command. Two commands in one word
 * are not sent either.
 */
export async function runSlashCommand(text: string, context: ConversationCommandContext): Promise<boolean> {
  const { edit, query, theme } = context;
  const echoing = withEcho(text.trim(), context);
  const glued = await gluedSentence(text.trim());
  if (glued !== undefined) {
    echoing.print(wrap(glued, context.columns).map(theme.warn));
    return true;
  }
  const [, name, argument = ''] = COMMAND_LINE.exec(text.trim()) ?? [];
  if (name === undefined) return false;
  try {
    const command = commandNamed(name);
    const engine = isLast(command) ? [] : await query.supportedCommands();
    if (engine.some((each) => each.name === name && isOverriding(each))) return false;
    if (command !== undefined) await command.run(argument.trim(), echoing);
    else {
      if (engine.some((each) => each.name === name || each.aliases?.includes(name))) return false;
      const advice = await commandAdvice(name);
      const near = advice === undefined ? listNear(name, [...COMMANDS, ...engine]) : [];
      // What cannot be mended is not left for the next line to be typed behind it.
      if (near.length > 0) edit(text);
      throw new CommandMistake(unknownSentence(name, near, advice));
    }
  } catch (error) {
    const sentence = oneLine((error as Error).message);
    const isMistake = error instanceof CommandMistake;
    const said = isMistake ? sentence : `/${name} failed: ${sentence}`;
    echoing.print(wrap(said, context.columns).map(isMistake ? theme.warn : theme.bad));
  }
  return true;
}

/** The way out of the conversation cannot be replaced, and waits for no request. */
const isLast = (command: ConversationCommand | undefined): boolean => command?.name === 'exit';

/** The first lines that a command prints follow its own. */
function withEcho(line: string, context: ConversationCommandContext): ConversationCommandContext {
  let isShown = false;
  const print: ConversationCommandContext['print'] = (lines) => {
    if (!isShown) context.echo(line);
    isShown = true;
    context.print(lines);
  };
  // The context stays what it is: its state and columns are those of each moment.
  return Object.create(context, { print: { value: print } }) as ConversationCommandContext;
}

/** Words that people type in place of a command; sent to the model they would cost money and do nothing. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['exit', '/exit'],
  ['quit', '/exit'],
  [':q', '/exit'],
  ['help', '/help'],
]);

/** The command line that is meant by a line; other lines as they are. */
export function asCommand(text: string): string {
  return WORDS.get(text.trim().toLowerCase()) ?? text;
}

function commandNamed(name: string): ConversationCommand | undefined {
  return COMMANDS.find((command) => command.name === name || command.aliases?.includes(name));
}

function listNear(name: string, commands: readonly { readonly name: string }[]): readonly string[] {
  return [...new Set(commands.map((each) => each.name))]
    .filter((each) => each.startsWith(name.slice(0, 3)) || isTypo(each, name))
    .slice(0, 3);
}

function unknownSentence(name: string, near: readonly string[], advice: string | undefined): string {
  if (advice !== undefined) return `There is no /${name} here. ${advice}`;
  const hint =
    near.length === 0
      ? '/help shows which there are.'
      : `Did you mean ${near.map((each) => `/${each}`).join(' or ')}?`;
  return `There is no command /${name}. ${hint}`;
}

/** Of two commands without a blank between them, as `/cost/vim`, which are no path; undefined: it is none. */
async function gluedSentence(text: string): Promise<string | undefined> {
  const [, word, name, next] = /^(\/([^\s/]+)\/([^\s/]+))(?:\s|$)/.exec(text) ?? [];
  if (word === undefined || name === undefined || next === undefined || existsSync(word)) return undefined;
  const isBegun = (await isKnown(name)) || listNear(name, COMMANDS).length > 0;
  if (!isBegun || !(await isKnown(next))) return undefined;
  return `${word} is two commands in one, so nothing was sent. Write /${name} or /${next}.`;
}

async function isKnown(name: string): Promise<boolean> {
  return commandNamed(name) !== undefined || (await commandAdvice(name)) !== undefined;
}

/** One letter is missing, too many, or another one. */
function isTypo(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return Math.max(a.length, b.length) - start - end <= 1;
}

/** What a command line may be completed to. */
interface Completion {
  /** The whole line. */
  readonly text: string;
  readonly label: string;
  readonly detail: string;
  readonly waits?: boolean;
}

/** Names of commands, and values of the argument behind a name. Empty: there is nothing to complete. */
export async function completeCommand(
  text: string,
  context: ConversationCommandContext,
): Promise<readonly Completion[]> {
  const [, name, argument] = /^\/([^\s/]*)(?:\s+(.*))?$/.exec(text) ?? [];
  if (name === undefined) return [];
  if (argument === undefined && !text.includes(' ')) return namesFrom(name, context);
  const command = commandNamed(name);
  const values = (await command?.complete?.(argument ?? '', context)) ?? [];
  return values.map((value) => ({ text: `/${name} ${value}`, label: value, detail: '' }));
}

async function namesFrom(
  prefix: string,
  { query }: ConversationCommandContext,
): Promise<readonly Completion[]> {
  const engine = await query.supportedCommands();
  const own = ownBeside(COMMANDS, engine);
  const others = listOtherCommands(own, engine);
  const all = [
    ...own.map(({ name, argument = '', summary, ends = false }) => ({
      name,
      argument,
      detail: summary,
      waits: ends,
    })),
    ...others.map(({ name, argumentHint, description }) => ({
      name,
      argument: argumentHint,
      detail: description,
      waits: false,
    })),
  ];
  return all
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ name, argument, detail, waits }) => ({
      text: argument === '' ? `/${name}` : `/${name} `,
      label: `/${name} ${argument}`.trimEnd(),
      detail,
      waits,
    }));
}
