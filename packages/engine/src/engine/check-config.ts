import { isAbsolute } from 'node:path';
import { checkOptions, checkValue, invalidOption } from '../options/check-options.ts';
import { numberAboveZero, objectWith, wholeNumber } from '../options/kinds.ts';
import { ENGINE_OPTIONS } from '../options/table.ts';
import type { QueryEngineConfig } from './config.ts';

/** The kinds of fields that are no option. */
const FIELDS = {
  maxOutputTokens: { is: wholeNumber(1) },
  tokenBudget: { is: objectWith('{ target } with a number above 0', { target: numberAboveZero }) },
};

/** Throws `invalid_option`, naming the field, for values that no run could mean. */
export function checkConfig(config: QueryEngineConfig): void {
  const given: Record<string, unknown> = {};
  for (const name of ENGINE_OPTIONS) if (config[name] !== undefined) given[name] = config[name];
  checkOptions(given);
  for (const name of ['maxOutputTokens', 'tokenBudget'] as const)
    checkValue(name, FIELDS[name], config[name]);
  if (!isAbsolute(config.cwd)) throw invalidOption('cwd', 'must be an absolute path');
  for (const directory of config.additionalDirectories ?? []) {
    if (!isAbsolute(directory))
      throw invalidOption('additionalDirectories', `must hold absolute paths; "${directory}" is none`);
  }
  const { forkSession, home, parkAfterMs, persistSession, resume, sessionId, store } = config;
  if (parkAfterMs !== undefined && store === undefined && (persistSession === false || home === undefined))
    throw invalidOption('parkAfterMs', 'needs a session that is kept, in session files or in a store');
  if (resume !== undefined && sessionId !== undefined && forkSession !== true && sessionId !== resume)
    throw invalidOption('sessionId', 'goes with "resume" only when the session is forked');
  if (config.sessionStore !== undefined && (config.persistSession === false || config.store !== undefined))
    throw invalidOption('sessionStore', 'needs session files, which it is a copy of');
}
