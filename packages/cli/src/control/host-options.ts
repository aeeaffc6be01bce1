/** Options from the host's `initialize`: callbacks, servers of its own, prompts. */

import { isRecord } from '@turnwright/base/json-values.ts';
import type {
  CanUseTool,
  CanUseToolContext,
  HookCallbackMatcher,
  HookEvent,
  HookOutput,
  LinkedMcpServer,
  McpServerConfig,
  Options,
  PermissionResult,
} from '@turnwright/engine';
import type { ControlChannel } from './control-channel.ts';
import type { WireFields } from './json-lines.ts';

/** Overrides the options from the flags (`flags`). */
export function hostOptions(
  initialize: WireFields,
  flags: Options,
  channel: ControlChannel,
): Partial<Options> {
  const { hooks, jsonSchema, agents, skills, plugins, title, forwardSubagentText } = initialize;
  const { planModeInstructions, toolAliases } = initialize;
  return {
    ...(isRecord(hooks) && { hooks: readHooks(hooks, channel) }),
    ...(initialize['perTaskStopAffordance'] === true && { perTaskStopAffordance: true }),
    ...(initialize['promptSuggestions'] === true && { promptSuggestions: true }),
    ...(initialize['agentProgressSummaries'] === true && { agentProgressSummaries: true }),
    ...(typeof title === 'string' && title !== '' && { title }),
    ...(isRecord(jsonSchema) && { outputFormat: { type: 'json_schema', schema: jsonSchema } }),
    ...(isRecord(agents) && { agents: { ...flags.agents, ...(agents as NonNullable<Options['agents']>) } }),
    ...(Array.isArray(plugins) && { plugins: [...(flags.plugins ?? []), ...readPlugins(plugins)] }),
    ...(Array.isArray(skills) && { skills: skills.map(String) }),
    ...(typeof forwardSubagentText === 'boolean' && { forwardSubagentText }),
    ...(typeof planModeInstructions === 'string' && { planModeInstructions }),
    ...(isRecord(toolAliases) && { toolAliases: toolAliases as NonNullable<Options['toolAliases']> }),
    mcpServers: { ...flags.mcpServers, ...readServers(initialize, channel) },
    onElicitation: askElicitation(channel),
    systemPrompt: readPrompt(initialize) ?? flags.systemPrompt,
  };
}

/** An empty list of texts: no system prompt. Absent: as the flags say. */
function readPrompt({ systemPrompt, appendSystemPrompt: append }: WireFields): Options['systemPrompt'] {
  if (Array.isArray(systemPrompt)) {
    const parts = systemPrompt.filter((part): part is string => typeof part === 'string' && part !== '');
    return typeof append === 'string' ? [...parts, append] : parts;
  }
  return typeof append === 'string' ? { type: 'preset', preset: 'turnwright', append } : undefined;
}

/** An invalid list of plugins is refused: a host that sent some must not continue without them. */
export function readPlugins(value: unknown): NonNullable<Options['plugins']> {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every((each) => isRecord(each) && typeof each['path'] === 'string'))
    throw new Error('Plugins must be a list of { type: "local", path }.');
  return value as NonNullable<Options['plugins']>;
}

function readHooks(hooks: WireFields, channel: ControlChannel): NonNullable<Options['hooks']> {
  const events = Object.entries(hooks).map(([event, matchers]) => {
    const list = (Array.isArray(matchers) ? matchers : []).filter(isRecord);
    return [event, list.map((matcher) => readMatcher(event, matcher, channel))] as const;
  });
  return Object.fromEntries(events) as { readonly [E in HookEvent]?: readonly HookCallbackMatcher[] };
}

function readMatcher(event: string, fields: WireFields, channel: ControlChannel): HookCallbackMatcher {
  const { matcher, hookCallbackIds, timeout, onFailure } = fields;
  const ids = Array.isArray(hookCallbackIds) ? hookCallbackIds.map(String) : [];
  return {
    ...(typeof matcher === 'string' && { matcher }),
    ...(typeof timeout === 'number' && { timeout }),
    ...((onFailure === 'continue' || onFailure === 'block') && { onFailure }),
    hooks: ids.map((callback_id) => async (input, toolUseId, { signal }) => {
      const tool_use_id = toolUseId === undefined ? {} : { tool_use_id: toolUseId };
      const request = { subtype: 'hook_callback', callback_id, input, ...tool_use_id };
      if (ANNOUNCEMENTS.has(event)) return announce(request, channel, signal);
      return ((await channel.request(request, signal)) ?? {}) as HookOutput;
    }),
  };
}

/** Events whose hooks are only notified: their answers have no effect. */
const ANNOUNCEMENTS: ReadonlySet<string> = new Set(['SessionEnd', 'Notification'] satisfies HookEvent[]);

/**
 * The end of the input is often the end of the session: a host that has closed it may still read, and loses
 * nothing.
 */
async function announce(
  request: WireFields & { readonly subtype: string },
  channel: ControlChannel,
  signal: AbortSignal,
): Promise<HookOutput> {
  if (channel.gone) channel.tell(request);
  else
    await channel.request(request, signal).catch((error: unknown) => {
      if (!channel.gone) throw error;
    });
  return {};
}

/** The host's in-process servers are reached through the host; the engine connects to the others. */
function readServers(initialize: WireFields, channel: ControlChannel): Record<string, McpServerConfig> {
  const { sdkMcpServers, sdkMcpServerManifests: manifests, mcpServers } = initialize;
  const { sdkMcpServerConfigs: configs } = initialize;
  const names = Array.isArray(sdkMcpServers) ? sdkMcpServers.map(String) : [];
  const linked = names.map((name): [string, LinkedMcpServer] => {
    const manifest = isRecord(manifests) ? manifests[name] : undefined;
    return [name, linkedServer(name, isRecord(configs) ? configs[name] : undefined, channel, manifest)];
  });
  const named = isRecord(mcpServers) ? (mcpServers as Record<string, McpServerConfig>) : {};
  return { ...named, ...Object.fromEntries(linked) };
}

/**
 * In-process servers that the host names on the command line (`"type": "sdk"`) are reached through it as
 * well.
 */
export function linkedFlags(flags: Options, channel: ControlChannel): Options {
  const servers = Object.entries(flags.mcpServers ?? {}).map(([name, server]): [string, McpServerConfig] => [
    name,
    server.type === 'sdk' ? linkedServer(name, server, channel) : server,
  ]);
  return { ...flags, mcpServers: Object.fromEntries(servers) };
}

/** `config`: what the host declares about calls of its tools. */
export function linkedServer(
  name: string,
  config: unknown,
  channel: ControlChannel,
  manifest?: unknown,
): LinkedMcpServer {
  const { tools, timeout } = isRecord(config) ? config : {};
  return {
    type: 'sdk',
    name,
    ...(tools !== undefined && { tools: tools as LinkedMcpServer['tools'] }),
    ...(typeof timeout === 'number' && { timeout }),
    ...(isRecord(manifest) && { manifest: { initializeResult: undefined, ...manifest } }),
    exchange: channel.exchangeWith(name),
    listen: (hear) => channel.listen(name, hear),
  };
}

/** Outcome of each manifest, for the answer to `initialize`. */
export function manifestReport({ sdkMcpServers, sdkMcpServerManifests }: WireFields): WireFields | undefined {
  if (!Array.isArray(sdkMcpServers) || !isRecord(sdkMcpServerManifests)) return undefined;
  const named = Object.entries(sdkMcpServerManifests).filter(([name]) => sdkMcpServers.includes(name));
  return Object.fromEntries(
    named.map(([name, manifest]) => {
      const wellFormed = isRecord(manifest) && isRecord(manifest['initializeResult']);
      return [name, wellFormed ? 'parked' : 'malformed'];
    }),
  );
}

/** A host without a user declines by itself. */
function askElicitation(channel: ControlChannel): NonNullable<Options['onElicitation']> {
  return async ({ serverName, message, mode, url, elicitationId, requestedSchema }, { signal }) => {
    const request = {
      subtype: 'elicitation',
      mcp_server_name: serverName,
      message,
      ...(mode !== undefined && { mode }),
      ...(url !== undefined && { url }),
      ...(elicitationId !== undefined && { elicitation_id: elicitationId }),
      ...(requestedSchema !== undefined && {
        requested_schema: requestedSchema,
        ...readFieldOrder(requestedSchema),
      }),
    };
    const answer = await channel.request(request, signal);
    const { action, content } = isRecord(answer) ? answer : {};
    if (action === 'accept') return { action, ...(isRecord(content) && { content }) };
    return { action: action === 'cancel' ? 'cancel' : 'decline' };
  };
}

/** Order of the form's fields: a host may keep the schema in an unordered map. */
function readFieldOrder({ properties }: WireFields): { readonly property_order?: readonly string[] } {
  return isRecord(properties) ? { property_order: Object.keys(properties) } : {};
}

export function askHost(channel: ControlChannel): CanUseTool {
  return async (tool_name, input, context) => {
    const { signal, toolUseID, suggestions, blockedPath, decisionReason, displayName, agentID } = context;
    const { description, mcpServer, requiresUserInteraction } = context;
    const request = {
      subtype: 'can_use_tool',
      tool_name,
      input,
      tool_use_id: toolUseID,
      display_name: displayName ?? tool_name,
      ...(description !== undefined && { description }),
      ...(mcpServer !== undefined && { mcp_server: mcpServer }),
      ...(suggestions !== undefined && { permission_suggestions: suggestions }),
      ...(blockedPath !== undefined && { blocked_path: blockedPath }),
      ...(decisionReason !== undefined && { decision_reason: decisionReason }),
      ...toReasonFields(context),
      ...(requiresUserInteraction === true && { requires_user_interaction: true }),
      ...(agentID !== undefined && { agent_id: agentID }),
    };
    channel.questions.set(toolUseID, context);
    try {
      return (await channel.request(request, signal)) as PermissionResult | null;
    } finally {
      channel.questions.delete(toolUseID);
    }
  };
}

function toReasonFields({ decisionReasonType: type, matchedAskRule: rule }: CanUseToolContext): WireFields {
  return {
    ...(type !== undefined && { decision_reason_type: type }),
    ...(type === 'hook' && { decision_reason_hook_event: 'PreToolUse' }),
    ...(rule !== undefined && {
      decision_reason_rule_source: rule.source,
      matched_ask_rule: {
        source: rule.source,
        tool_name: rule.toolName,
        ...(rule.ruleContent !== undefined && { rule_content: rule.ruleContent }),
      },
    }),
  };
}
