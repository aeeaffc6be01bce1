/** Answers the host's control requests by the query's method of the same name. */

import { isRecord } from '@turnwright/base/json-values.ts';
import {
  type JsonRpcMessage,
  type McpServerConfig,
  PERMISSION_MODES,
  type PermissionMode,
  PROTOCOL_VERSION,
  type ThinkingDisplay,
  TurnwrightError,
} from '@turnwright/engine';
import type { ControlChannel } from './control-channel.ts';
import { linkedServer, manifestReport, readPlugins } from './host-options.ts';
import type { WireFields } from './json-lines.ts';
import type { Answering, RequestHandler } from './request-handler.ts';
import { SESSION_ANSWERS } from './session-answers.ts';

/** One row per subtype. Returns a payload, or rejects with a sentence for the host. */
const ANSWERS: Readonly<Record<string, RequestHandler>> = {
  initialize: async (fields, session) => {
    const { query, initialize } = session;
    const result = fields === initialize ? query.initializationResult() : query.reinitialize();
    return { ...(await result), ...launchReport(fields, session) };
  },
  interrupt: async ({ cancel_queued }, { query }) => ({
    ...(await query.interrupt({ cancelQueued: cancel_queued === true })),
  }),
  cancel_async_message: async ({ message_uuid: uuid }, { query }) => ({
    cancelled: await query.cancelAsyncMessage(String(uuid)),
  }),
  async set_model({ model: given }, { query }) {
    if (given !== undefined && given !== null && typeof given !== 'string')
      throw new Error('"model" must be the name of a model, or absent for the default one.');
    await query.setModel(given === 'default' ? undefined : (given ?? undefined));
    const { applied } = await query.getSettings();
    return { model: applied.model };
  },
  async set_permission_mode({ mode: given }, { query }) {
    const mode = permissionMode(given);
    return { ...(await query.setPermissionMode(mode)) };
  },
  async set_mcp_permission_mode_override({ serverName, mode }, { query }) {
    const given = mode as 'default' | 'auto' | null;
    const { warning } = await query.setMcpPermissionModeOverride(String(serverName), given);
    return warning === undefined ? undefined : { warning };
  },
  async set_max_thinking_tokens({ max_thinking_tokens: tokens, thinking_display: display }, { query }) {
    await query.setMaxThinkingTokens(
      typeof tokens === 'number' || tokens === null ? tokens : undefined,
      display as ThinkingDisplay | null | undefined,
    );
  },
  async explain_permission({ tool_use_id: id, rule }, { channel }) {
    const question = channel.questions.get(String(id));
    if (question === undefined) throw new Error(`No permission question about ${String(id)} is open.`);
    const answer = typeof rule === 'string' ? question.checkRule?.(rule) : question.explain?.();
    return { ...(await answer) };
  },
  reload_skills: async (_, { query }) => ({ ...(await query.reloadSkills()) }),
  async apply_flag_settings({ settings }, { query }) {
    await query.applyFlagSettings(requireFields(settings, 'settings'));
  },
  async update_settings({ source, settings }, { query }) {
    await query.updateSettings(
      source as 'localSettings' | 'userSettings',
      requireFields(settings, 'settings'),
    );
    return {};
  },
  get_settings: async (_, { query }) => ({ ...(await query.getSettings()) }),
  list_permission_rules: async (_, { query }) => ({ state: await query.listPermissionRules() }),
  reload_plugins: async (fields, { query }) => ({
    ...(await query.reloadPlugins({
      holdOnCacheImpact: fields['hold_on_cache_impact'] === true,
      refuseIfBusy: fields['refuse_if_busy'] === true,
      addPlugins: readPlugins(fields['add_plugins']),
    })),
  }),
  reload_output_styles: async (_, { query }) => ({ ...(await query.reloadOutputStyles()) }),
  async read_file({ path, max_bytes: maxBytes, encoding }, { query }) {
    const file = await query.readFile(String(path), {
      ...(typeof maxBytes === 'number' && { maxBytes }),
      ...(encoding === 'base64' && { encoding }),
    });
    if (file === null) throw new Error(`${String(path)} is not there, or may not be read.`);
    return { ...file };
  },
  file_suggestions: async ({ query: begun }, { query, cwd }) => ({
    suggestions: await query.fileSuggestions(String(begun ?? '')),
    cwd,
  }),
  async seed_read_state({ path, mtime }, { query }) {
    await query.seedReadState(String(path), Number(mtime));
  },
  get_context_usage: async (_, { query }) => ({ ...(await query.getContextUsage()) }),
  get_hooks_listing: async (_, { query }) => ({ ...(await query.hooksListing()) }),
  mcp_status: async (_, { query }) => ({ mcpServers: await query.mcpServerStatus() }),
  async mcp_reconnect({ serverName }, { query }) {
    await query.reconnectMcpServer(String(serverName));
  },
  async mcp_toggle({ serverName, enabled }, { query }) {
    await query.toggleMcpServer(String(serverName), enabled === true);
  },
  mcp_read_resource: async ({ serverName, uri }, { query }) => ({
    ...(await query.readMcpResource(String(serverName), String(uri))),
  }),
  mcp_set_servers: async ({ servers }, { query, channel }) => ({
    ...(await query.setMcpServers(readServers(servers, channel))),
  }),
  // A message of a host's server. The answer is a receipt: a reply is sent to the server as a separate
  // message.
  async mcp_message({ server_name: name, message }, { channel }) {
    if (isRecord(message)) channel.said(String(name), message as unknown as JsonRpcMessage);
    return { mcp_response: { jsonrpc: '2.0', id: 0, result: {} } };
  },
  async stop_task({ task_id }, { query }) {
    await query.stopTask(String(task_id));
    return {};
  },
  async background_tasks({ tool_use_id: id }, { query }) {
    return { backgrounded: await query.backgroundTasks(typeof id === 'string' ? id : undefined) };
  },
  get_task_output: async ({ task_id }, { query }) => ({ ...(await query.getTaskOutput(String(task_id))) }),
  list_models: async (_, { query }) => ({ models: await query.supportedModels() }),
  get_binary_version: async () => ({ version: PROTOCOL_VERSION }),
  ...SESSION_ANSWERS,
};

/** undefined: an unknown request. */
export function answerFor(subtype: string): RequestHandler | undefined {
  return Object.hasOwn(ANSWERS, subtype) ? ANSWERS[subtype] : undefined;
}

/** The host's in-process servers are reached through the host. */
function readServers(value: unknown, channel: ControlChannel): Readonly<Record<string, McpServerConfig>> {
  if (!isRecord(value)) throw new Error('"servers" must be an object of servers by name.');
  const servers = Object.entries(value).map(([name, server]) =>
    isRecord(server) && server['type'] === 'sdk'
      ? [name, linkedServer(name, server, channel)]
      : [name, server],
  );
  return Object.fromEntries(servers) as Readonly<Record<string, McpServerConfig>>;
}

/** Outcome of the parts of an `initialize`. Only the first one sets the session up. */
function launchReport(fields: WireFields, { initialize }: Answering): WireFields {
  const first = fields === initialize;
  const manifests = manifestReport(fields);
  return {
    pid: process.pid,
    hook_on_failure_supported: true,
    ...(fields['hooks'] !== undefined && { hooks_applied: first }),
    ...(fields['mcpServers'] !== undefined && { mcp_servers_applied: first }),
    ...(Array.isArray(fields['plugins']) && { plugins_applied: first || isLaunchSet(fields, initialize) }),
    ...(first && manifests !== undefined && { sdk_mcp_manifests_parked: manifests }),
  };
}

function requireFields(value: unknown, name: string): WireFields {
  if (!isRecord(value)) throw new Error(`"${name}" must be an object.`);
  return value;
}

/** A host that repeats the request gets the same answer. */
function isLaunchSet(fields: WireFields, initialize: WireFields | undefined): boolean {
  return JSON.stringify(fields['plugins']) === JSON.stringify(initialize?.['plugins']);
}

function permissionMode(value: unknown): PermissionMode {
  const name = value === 'manual' ? 'default' : value;
  const mode = PERMISSION_MODES.find((known) => known === name);
  if (mode === undefined)
    throw new TurnwrightError(
      'invalid_mode',
      `Cannot set permission mode: must be one of ${PERMISSION_MODES.join(', ')}; got ${JSON.stringify(value)}.`,
    );
  return mode;
}
