/** The flags of a run: those of the table of options, and the command line's own. */

import type { Options } from '@turnwright/engine';
import { type OptionFlag, type OptionName, optionFlags } from '@turnwright/engine/options/table.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { jsonObject } from './flag-values.ts';
import { OPTION_SENTENCES } from './option-sentences.ts';
import { OWN_FLAGS, type OwnFlag, type OwnFlags } from './own-flags.ts';

export interface RunFlags extends OwnFlags {
  /** The flags that are an option, under its name; absent means not given. */
  readonly options: Options;
}

/** Sentences of the help for flags whose meaning differs from that of their option. */
const OTHERWISE: { readonly [Name in OptionName]?: string } = {
  systemPrompt: "in place of Turnwright's own system prompt",
  tools: 'the built-in tools that exist ("" for none, "default" for all)',
  persistSession: 'writes no session',
  resume: 'id of the session to resume; without one, a list at the terminal to choose from',
  settings: 'settings above all settings files, as JSON or a file',
  settingSources: 'settings files to read, of user,project,local (default all)',
};

export function addRunFlags(program: Command): void {
  const flags = new Map(optionFlags().map((flag) => [flag.name, flag]));
  const own = Object.values(OWN_FLAGS);
  for (const [heading, sentences] of Object.entries(OPTION_SENTENCES)) {
    program.optionsGroup(`${heading}:`);
    const add = (after: OptionName | undefined) => {
      for (const flag of own)
        if (flag.help?.heading === heading && flag.help.after === after) program.addOption(ownOption(flag));
    };
    add(undefined);
    for (const [key, sentence] of Object.entries(sentences)) {
      const name = key as OptionName;
      const flag = flags.get(name);
      if (flag !== undefined) program.addOption(createOption(flag, OTHERWISE[name] ?? sentence));
      flags.delete(name);
      add(name);
    }
  }
  for (const flag of flags.values()) program.addOption(createOption(flag).hideHelp());
  for (const flag of own) if (flag.help === undefined) program.addOption(ownOption(flag).hideHelp());
}

/** The parsed flags; those that set an option are under the name of the option. */
export function runFlags(given: object): RunFlags {
  const optionOfAttribute = new Map(
    optionFlags().map((flag) => [createOption(flag).attributeName(), flag.name]),
  );
  const options: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  for (const [attribute, value] of Object.entries(given)) {
    const name = optionOfAttribute.get(attribute);
    if (name === undefined) own[attribute] = value;
    else options[name] = value;
  }
  return { ...(own as unknown as OwnFlags), options };
}

function ownOption({ flag, choices, default: byDefault, read, help }: OwnFlag): Option {
  const option = new Option(flag, help?.sentence);
  if (choices !== undefined) option.choices(choices);
  if (read !== undefined) option.argParser(read as (words: string, previous: unknown) => unknown);
  return byDefault === undefined ? option : option.default(byDefault);
}

function createOption({ row: { flag, is }, takes }: OptionFlag, sentence?: string): Option {
  const option = new Option(flag, sentence);
  if (takes === 'none') return option;
  if (is.choices !== undefined) return option.choices(is.choices);
  return option.argParser((words: string, previous: unknown) => {
    const value = reading(() =>
      is.fromJson === undefined ? is.read?.(words, previous as never) : is.fromJson(jsonObject(words)),
    );
    if (!is.accepts(value)) throw new InvalidArgumentError(`Give ${is.expected}.`);
    return value;
  });
}

/** Turns an error of a parser into one of commander. */
function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw error;
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}
