/** The words of `turnwright fork`: the step, what is changed, and several variants of it. */

import { findOptionRow, longFlag, type OptionName } from '@turnwright/engine/options/table.ts';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { UsageError } from '../usage-error.ts';
import { addRunFlags, type RunFlags, runFlags } from './run-flags.ts';

/** One way to go on from the step. */
export interface ForkVariant {
  readonly name: string;
  /** Absent: the step is asked again. */
  readonly prompt: string | undefined;
  readonly flags: RunFlags;
}

export interface ForkInvocation {
  readonly command: 'fork';
  readonly session: string | undefined;
  readonly at: string;
  readonly variants: readonly ForkVariant[];
  /** For all variants together. */
  readonly maxBudgetUsd: number | undefined;
  readonly verbose: boolean;
  readonly json: boolean;
  readonly diff: boolean;
  readonly diffFile: string | undefined;
  /** Where the working copies are made. */
  readonly copies: string | undefined;
  readonly inPlace: boolean;
}

interface Changes {
  readonly prompt?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly system?: string;
}

interface Given extends Changes {
  readonly at?: string;
  readonly variant?: readonly string[];
  readonly json?: true;
  readonly diff?: true;
  readonly diffFile?: string;
  readonly copies?: string;
  readonly inPlace?: true;
}

/** They name a session or an output of their own. */
const MEANINGLESS: readonly OptionName[] = ['resume', 'resumeSessionAt', 'sessionId', 'persistSession'];

export function addForkCommand(command: Command, onCall: (invocation: ForkInvocation) => void): void {
  addChanges(
    command
      .argument('[session]', 'id of a session; default the newest of this folder')
      .option(
        '--at <step>',
        'the step, as turnwright explain numbers it (3, or 2.3), or the id of a message',
      ),
  )
    .option(
      '--variant <variant>',
      'one of several: \'name: --model x --prompt "…"\'; repeat it',
      appendedWord,
    )
    .option('--copies <folder>', 'where the working copies are made (default: beside the repository)')
    .option(
      '--in-place',
      'in the folder itself, with the cache of the session; the files of now are kept in a copy',
    )
    .option('--diff', 'print what each variant changed')
    .option('--diff-file <file>', 'write it there')
    .option('--json', 'as JSON')
    .action((session: string | undefined, _flags: unknown, own: Command) => {
      onCall(toInvocation(session, own.opts<Given>(), runFlags(own.optsWithGlobals())));
    })
    .addHelpText(
      'after',
      `
The flags of a run (--model, --max-turns, --permission-mode, --max-budget-usd …)
count for all variants; --max-budget-usd is shared out among them, and is never
exceeded. --model a,b,c makes a variant for each model.`,
    );
}

/** What a variant may change besides the flags of a run, in short words. */
function addChanges(command: Command): Command {
  return command
    .option('--prompt <text>', 'what to say there; without it the step is asked again')
    .option('--allow <rules...>', 'as --allowedTools')
    .option('--deny <rules...>', 'as --disallowedTools')
    .option('--system <text>', 'as --system-prompt');
}

const appendedWord = (word: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  word,
];

function toInvocation(session: string | undefined, given: Given, common: RunFlags): ForkInvocation {
  const { at, json, diff, diffFile, copies, variant = [] } = given;
  if (at === undefined)
    throw new UsageError(
      'Say at which step: turnwright fork <session> --at 3. turnwright explain numbers them.',
    );
  // That a session is kept is true where nothing is given.
  for (const name of MEANINGLESS)
    if ((common.options[name] ?? true) !== true)
      throw new UsageError(
        `${longFlag(findOptionRow(name)?.flag ?? name)} means nothing for fork: the session is its argument.`,
      );
  const { maxBudgetUsd } = common.options;
  const flags = withChanges(common, given);
  const variants = makeVariants(flags, given.prompt, variant);
  const twice = variants.find(
    ({ name }, index) => variants.findIndex((each) => each.name === name) !== index,
  );
  if (twice !== undefined)
    throw new UsageError(`Two variants are named "${twice.name}": give each a name of its own.`);
  return {
    command: 'fork',
    session,
    at,
    variants,
    maxBudgetUsd,
    verbose: common.verbose === true,
    json: json === true,
    diff: diff === true,
    diffFile,
    copies,
    inPlace: given.inPlace === true,
  };
}

function makeVariants(
  flags: RunFlags,
  prompt: string | undefined,
  written: readonly string[],
): readonly ForkVariant[] {
  const models =
    flags.options.model
      ?.split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '') ?? [];
  if (models.length > 1 && written.length > 0)
    throw new UsageError('Give either several models in --model, or --variant.');
  if (models.length > 1)
    return models.map((model) => ({
      name: toName(model),
      prompt,
      flags: { ...flags, options: { ...flags.options, model } },
    }));
  if (written.length === 0) return [{ name: 'fork', prompt, flags }];
  return written.map((text) => readVariant(text, flags, prompt));
}

/** A model's id as a name of files. */
const toName = (model: string): string =>
  model
    .replaceAll(/[^\w.-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 64);

const SHAPE = `Write --variant 'name: --model x --prompt "…"'`;

function readVariant(text: string, common: RunFlags, prompt: string | undefined): ForkVariant {
  const [, name, words] = /^\s*([\w][\w.-]{0,63})\s*(?::([\s\S]*))?$/.exec(text) ?? [];
  if (name === undefined)
    throw new UsageError(
      `--variant "${text}" does not begin with a name of letters, digits, "-", "_" and ".". ${SHAPE}.`,
    );
  const parser = new Command()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  addRunFlags(parser.helpOption(false));
  addChanges(parser);
  try {
    parser.parse(splitWords(words ?? ''), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError || error instanceof InvalidArgumentError)) throw error;
    throw new UsageError(`--variant ${name}: ${error.message.replace(/^error: /, '')}. ${SHAPE}.`);
  }
  const given = parser.opts<Changes>();
  const own = withChanges(runFlags(parser.opts()), given);
  if (own.options.maxBudgetUsd !== undefined)
    throw new UsageError(
      `--variant ${name}: --max-budget-usd is for all variants together. Give it outside of --variant.`,
    );
  const rest = Object.entries(own).filter(
    ([key]) => key !== 'options' && key !== 'outputFormat' && key !== 'inputFormat',
  );
  const options = { ...common.options, ...own.options };
  return { name, prompt: given.prompt ?? prompt, flags: { ...common, ...Object.fromEntries(rest), options } };
}

function withChanges(flags: RunFlags, { allow, deny, system }: Changes): RunFlags {
  const { allowedTools = [], disallowedTools = [] } = flags.options;
  const options = {
    ...flags.options,
    ...(allow !== undefined && { allowedTools: [...allowedTools, ...allow] }),
    ...(deny !== undefined && { disallowedTools: [...disallowedTools, ...deny] }),
    ...(system !== undefined && { systemPrompt: system }),
  };
  return { ...flags, options };
}

/** Words as a shell separates them; nothing in them is expanded. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '\\' && quote !== "'" && at + 1 < text.length) {
      at += 1;
      word = (word ?? '') + text[at];
    } else if (quote !== '') {
      if (char === quote) quote = '';
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== '') throw new UsageError(`A ${quote} is not closed in: ${text.trim()}`);
  if (word !== undefined) words.push(word);
  return words;
}
