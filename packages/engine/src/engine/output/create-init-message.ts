/** `system/init`, at the head of each submission (L1 phase 4). */
import { join } from 'node:path';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import { AGENT_TOOL, AGENT_TOOL_ALIAS } from '../../subagents/agent-tool.ts';
import { agentsIn, apiKeySourceOf } from '../host/session-listings.ts';
import { pluginInfos } from '../host/session-plugins.ts';
import { fastModeFields } from '../models/fast-mode-status.ts';
import { notesFolder } from '../project/notes-places.ts';
import type { Session } from '../session/session.ts';
import { CAPABILITIES, PROTOCOL_VERSION, VERSION } from '../version.ts';

/** `promptUuids`: of the prompts that are about to be answered, where their sender gave one. */
export function initMessage(
  model: string,
  session: Session,
  promptUuids: readonly string[] = [],
): SDKMessage {
  const { config, host, tools } = session;
  const notes = notesFolder(config);
  return {
    type: 'system',
    subtype: 'init',
    apiKeySource: apiKeySourceOf(config),
    claude_code_version: PROTOCOL_VERSION,
    turnwright_version: VERSION,
    cwd: tools.folder.now,
    original_cwd: tools.folder.root,
    // Clients look for it by the name that they have known for long.
    tools: tools.names().map((name) => (name === AGENT_TOOL ? AGENT_TOOL_ALIAS : name)),
    mcp_servers: session.mcp.statuses().map(({ name, status, source, error }) => ({
      name,
      status,
      ...(source !== undefined && { source }),
      ...(status === 'failed' && error !== undefined && { error }),
    })),
    model,
    ...(config.betas !== undefined && config.betas.length > 0 && { betas: config.betas }),
    permissionMode: session.permissions.mode,
    slash_commands: session.commands.list().map(({ name }) => name),
    terminal_slash_commands: [],
    output_style: config.outputStyles?.name ?? 'default',
    agents: agentsIn(config).map((agent) => agent.name),
    skills: session.skills.names(),
    plugins: pluginInfos(config),
    ...(config.plugins !== undefined &&
      config.plugins.errors.length > 0 && { plugin_errors: config.plugins.errors }),
    additional_directories: config.additionalDirectories ?? [],
    ...(notes !== undefined && { memory_paths: { auto: join(notes, '/') } }),
    served_by_anthropic: isAnthropics(config.baseUrl),
    analytics_disabled: true,
    product_feedback_disabled: true,
    view_mode: 'default',
    sandbox_enabled: session.sandbox !== undefined,
    per_turn_effort_active: false,
    ultrathink_available: false,
    ultrathink_typed_raises: false,
    ...(promptUuids.length > 0 && { user_message_uuids: promptUuids }),
    ...fastModeFields(session.model.fastModeStatus(model)),
    capabilities: CAPABILITIES,
    ...host.stamp(),
  };
}

function isAnthropics(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || new URL(baseUrl).hostname.endsWith('.anthropic.com');
}
