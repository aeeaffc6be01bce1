/** Information about a session before and while it runs. */

import type { QueryEngineConfig } from '../../engine/config.ts';
import { commandList, loadCommands } from '../../engine/host/command-list.ts';
import {
  type AccountInfo,
  type AgentInfo,
  agentList,
  type ModelChoice,
  modelList,
  toAccountInfo,
} from '../../engine/host/session-listings.ts';
import { configuredFastMode, fastModeFields } from '../../engine/models/fast-mode-status.ts';
import { CAPABILITIES, PROTOCOL_VERSION } from '../../engine/version.ts';
import type { FastModeDisabledReason, FastModeState } from '../../protocol/model/model.ts';
import type { SlashCommandInfo } from '../../protocol/stream/session-messages.ts';
import type { PermissionMode } from '../../protocol/tools/permission.ts';

/** What a session offers: commands, agents, models, output styles, account. */
export interface InitializationResult {
  readonly commands: readonly SlashCommandInfo[];
  readonly agents: readonly AgentInfo[];
  /** Name of the style in use. */
  readonly output_style: string;
  readonly available_output_styles: readonly string[];
  readonly models: readonly ModelChoice[];
  readonly account: AccountInfo;
  readonly fast_mode_state: FastModeState;
  /** Why fast mode is off. Absent: it is on, or available. */
  readonly fast_mode_disabled_reason?: FastModeDisabledReason;
  /** Version of the protocol that the engine implements. */
  readonly claude_code_version: string;
  /** Permission mode at the start of the session. */
  readonly current_permission_mode: PermissionMode;
  /** Names of protocol features that this version has. */
  readonly capabilities: readonly string[];
}

export async function buildInitialization(config: QueryEngineConfig): Promise<InitializationResult> {
  await Promise.all([loadCommands(config), config.skills?.catalogue.complete()]);
  return {
    commands: commandList(config),
    agents: agentList(config),
    output_style: config.outputStyles?.name ?? 'default',
    available_output_styles: (await config.outputStyles?.list()) ?? ['default'],
    models: modelList(config),
    account: toAccountInfo(config),
    ...fastModeFields(configuredFastMode(config)),
    claude_code_version: PROTOCOL_VERSION,
    current_permission_mode: config.permissionMode ?? 'default',
    capabilities: CAPABILITIES,
  };
}
