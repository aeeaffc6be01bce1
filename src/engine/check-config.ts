import { isAbsolute } from 'node:path';
import { TurnwrightError } from '../protocol/errors.ts';
import type { QueryEngineConfig } from './config.ts';

/** Throws `invalid_option`, naming the field, for values that no run could mean. */
export function checkConfig(config: QueryEngineConfig): void {
  if (!isAbsolute(config.cwd)) refuse('cwd', 'must be an absolute path');
  for (const directory of config.additionalDirectories ?? []) {
    if (!isAbsolute(directory))
      refuse('additionalDirectories', `must hold absolute paths; "${directory}" is none`);
  }
  positive(config, 'maxTurns', true);
  positive(config, 'maxBudgetUsd', false);
  positive(config, 'maxOutputTokens', true);
  if (config.taskBudget !== undefined && !(config.taskBudget.total > 0))
    refuse('taskBudget', 'needs a total above 0');
  if (config.tokenBudget !== undefined && !(config.tokenBudget.target > 0))
    refuse('tokenBudget', 'needs a target above 0');
  if (
    config.resume !== undefined &&
    config.sessionId !== undefined &&
    config.forkSession !== true &&
    config.sessionId !== config.resume
  ) {
    refuse('sessionId', 'goes with "resume" only when the session is forked');
  }
  if (config.resumeSessionAt !== undefined && config.resume === undefined)
    refuse('resumeSessionAt', 'needs "resume"');
  if (config.forkSession === true && config.resume === undefined) refuse('forkSession', 'needs "resume"');
}

function positive(
  config: QueryEngineConfig,
  name: 'maxTurns' | 'maxBudgetUsd' | 'maxOutputTokens',
  whole: boolean,
): void {
  const value = config[name];
  if (value === undefined) return;
  if (!(value > 0) || !Number.isFinite(value)) refuse(name, 'must be a number above 0');
  if (whole && !Number.isInteger(value)) refuse(name, 'must be a whole number');
}

function refuse(name: string, what: string): never {
  throw new TurnwrightError('invalid_option', `The option "${name}" ${what}.`);
}
