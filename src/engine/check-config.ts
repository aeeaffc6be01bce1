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
  checkAgentLimits(config);
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
  if (config.sessionStore !== undefined && (config.persistSession === false || config.store !== undefined))
    refuse('sessionStore', 'needs session files, which it is a copy of');
  if (config.forkSession === true && config.resume === undefined) refuse('forkSession', 'needs "resume"');
}

/** 0 is a depth, and a number of agents; a deadline is some time. */
function checkAgentLimits({ agentLimits = {} }: QueryEngineConfig): void {
  const names = {
    maxDepth: 'maxSubagentDepth',
    maxPerMessage: 'maxSubagentsPerMessage',
    maxPerSession: 'maxSubagents',
  };
  for (const [field, name] of Object.entries(names)) {
    const value = agentLimits[field as keyof typeof names];
    if (value !== undefined && !(Number.isInteger(value) && value >= 0))
      refuse(name, 'must be a whole number, 0 or above');
  }
  const { deadlineMs } = agentLimits;
  if (deadlineMs !== undefined && !(deadlineMs > 0)) refuse('subagentDeadlineMs', 'must be a number above 0');
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
