/** `system/init`, at the head of each submission (L1 phase 4). */
import type { SDKMessage } from '../protocol/sdk-messages.ts';
import { commandsOf } from './command-list.ts';
import { fastModeFields, fastModeStatus } from './fast-mode-status.ts';
import type { EngineParts } from './parts.ts';
import { pluginInfos } from './reload-plugins.ts';
import { agentsIn, apiKeySourceOf } from './session-facts.ts';
import { CAPABILITIES, PROTOCOL_VERSION, VERSION } from './version.ts';

export function initMessage(model: string, parts: EngineParts): SDKMessage {
  const { config } = parts;
  return {
    type: 'system',
    subtype: 'init',
    apiKeySource: apiKeySourceOf(config),
    claude_code_version: PROTOCOL_VERSION,
    turnwright_version: VERSION,
    cwd: parts.folder.now,
    original_cwd: parts.folder.root,
    tools: parts.tools.names(),
    mcp_servers: parts.mcp.statuses().map(({ name, status, error }) => ({
      name,
      status,
      ...(status === 'failed' && error !== undefined && { error }),
    })),
    model,
    ...(config.betas !== undefined && config.betas.length > 0 && { betas: config.betas }),
    permissionMode: parts.permissions.mode,
    slash_commands: commandsOf(config, parts.mcp.commands).map(({ name }) => name),
    output_style: config.outputStyles?.name ?? 'default',
    agents: agentsIn(config).map((agent) => agent.name),
    skills: parts.skills.names(),
    plugins: pluginInfos(config),
    ...(config.plugins !== undefined &&
      config.plugins.errors.length > 0 && { plugin_errors: config.plugins.errors }),
    additional_directories: config.additionalDirectories ?? [],
    ...fastModeFields(fastModeStatus(model, parts)),
    capabilities: CAPABILITIES,
    uuid: parts.ids.uuid(),
    session_id: parts.sessionId,
  };
}
