/** What a host learns of a session before and while it runs. */
import {
  type AccountInfo,
  type AgentInfo,
  accountOf,
  agentList,
  commandList,
  type ModelChoice,
  modelList,
  type SlashCommandInfo,
} from '../engine/session-facts.ts';
import type { QueryEngineConfig } from '../engine/config.ts';

export interface InitializationResult {
  readonly commands: readonly SlashCommandInfo[];
  readonly agents: readonly AgentInfo[];
  readonly output_style: string;
  readonly available_output_styles: readonly string[];
  readonly models: readonly ModelChoice[];
  readonly account: AccountInfo;
  readonly fast_mode_state: 'off';
}

export function initializationOf(config: QueryEngineConfig): InitializationResult {
  return {
    commands: commandList(config),
    agents: agentList(config),
    output_style: 'default',
    available_output_styles: ['default'],
    models: modelList(config),
    account: accountOf(config),
    fast_mode_state: 'off',
  };
}
