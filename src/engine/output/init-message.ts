/** `system/init`, at the head of each submission (L1 phase 4). */
import { join } from 'node:path';
import type { SDKMessage } from '../../protocol/sdk-messages.ts';
import { commandsOf } from '../host/command-list.ts';
import { pluginInfos } from '../host/reload-plugins.ts';
import { agentsIn, apiKeySourceOf } from '../host/session-info.ts';
import { fastModeFields, fastModeStatus } from '../models/fast-mode-status.ts';
import type { EngineParts } from '../session/session-parts.ts';
import { CAPABILITIES, PROTOCOL_VERSION, VERSION } from '../version.ts';
import { notesFolder } from '../wiring/project/memory.ts';

/** Clients look for tools by the names that they have known for long. */
const NAMES: Readonly<Record<string, string>> = { Agent: 'Task' };

/** `promptUuids`: of the prompts that are about to be answered, where their sender gave one. */
export function initMessage(
  model: string,
  parts: EngineParts,
  promptUuids: readonly string[] = [],
): SDKMessage {
  const { config } = parts;
  const notes = notesFolder(config);
  return {
    type: 'system',
    subtype: 'init',
    apiKeySource: apiKeySourceOf(config),
    claude_code_version: PROTOCOL_VERSION,
    turnwright_version: VERSION,
    cwd: parts.folder.now,
    original_cwd: parts.folder.root,
    tools: parts.tools.names().map((name) => NAMES[name] ?? name),
    mcp_servers: parts.mcp.statuses().map(({ name, status, source, error }) => ({
      name,
      status,
      ...(source !== undefined && { source }),
      ...(status === 'failed' && error !== undefined && { error }),
    })),
    model,
    ...(config.betas !== undefined && config.betas.length > 0 && { betas: config.betas }),
    permissionMode: parts.permissions.mode,
    slash_commands: commandsOf(config, parts.mcp.commands).map(({ name }) => name),
    terminal_slash_commands: [],
    output_style: config.outputStyles?.name ?? 'default',
    agents: agentsIn(config).map((agent) => agent.name),
    skills: parts.skills.names(),
    plugins: pluginInfos(config),
    ...(config.plugins !== undefined &&
      config.plugins.errors.length > 0 && { plugin_errors: config.plugins.errors }),
    additional_directories: config.additionalDirectories ?? [],
    ...(notes !== undefined && { memory_paths: { auto: join(notes, '/') } }),
    served_by_anthropic: isAnthropics(config.baseUrl),
    analytics_disabled: true,
    product_feedback_disabled: true,
    view_mode: 'default',
    ...(promptUuids.length > 0 && { user_message_uuids: promptUuids }),
    ...fastModeFields(fastModeStatus(model, parts)),
    capabilities: CAPABILITIES,
    uuid: parts.ids.uuid(),
    session_id: parts.sessionId,
  };
}

function isAnthropics(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || new URL(baseUrl).hostname.endsWith('.anthropic.com');
}
