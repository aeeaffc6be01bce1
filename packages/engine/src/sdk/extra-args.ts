/**
 * `extraArgs`, flags of a command line. Most flags are other names of options, which are accepted. Other
 * flags are refused by name, because a caller may rely on a flag that would be ignored.
 */

import { readJsonObject } from '@turnwright/base/bounded-json.ts';
import { checkOptions, mustBe } from '../options/check-options.ts';
import { optionOfFlag } from '../options/table.ts';
import { TurnwrightError } from '../protocol/errors.ts';
import type { Options } from './query-options.ts';

/** Flags about the streams of a process, which have no effect in process. */
const OF_THE_PROCESS: readonly string[] = ['print', 'verbose', 'output-format', 'input-format'];

/**
 * The options with what their `extraArgs` mean; an option that is given itself wins. Throws `invalid_option`.
 */
export function withExtraArgs(given: Options): Options {
  if (given.extraArgs === undefined) return given;
  const { extraArgs, ...options } = given;
  const meant = Object.entries(extraArgs).map(([flag, words]) => parseExtraArg(flag, words));
  const said = Object.entries(options).filter(([, value]) => value !== undefined);
  const all: Options = { ...Object.assign({}, ...meant), ...Object.fromEntries(said) };
  checkOptions(all);
  return all;
}

function parseExtraArg(flag: string, words: string | null): Options {
  if (OF_THE_PROCESS.includes(flag)) return {};
  if (flag === 'dangerously-skip-permissions') return { permissionMode: 'bypassPermissions' };
  const option = optionOfFlag(flag);
  if (option === undefined) refuse(`--${flag} has no meaning in process`);
  const { name, row, takes, negates } = option;
  if (negates) return { [name]: false };
  if (words === null) return takes === 'value' ? refuse(`--${flag} needs a value`) : { [name]: true };
  const { is } = row;
  const value = is.fromJson === undefined ? is.read?.(words, undefined) : is.fromJson(json(words, flag));
  if (!is.accepts(value)) refuse(`--${flag} ${mustBe(is, words)}`);
  return { [name]: value };
}

function json(words: string, flag: string): Readonly<Record<string, unknown>> {
  return readJsonObject(words) ?? refuse(`--${flag} takes a JSON object`);
}

function refuse(why: string): never {
  throw new TurnwrightError('invalid_option', `Option "extraArgs": ${why}.`);
}
