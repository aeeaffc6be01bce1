/** The host's control requests, each answered by the query's own method of that name. */
import { PERMISSION_MODES, type PermissionMode, PROTOCOL_VERSION, type Query } from '../../index.ts';
import type { HostChannel } from './host-channel.ts';
import { manifestReport } from './host-options.ts';
import type { Fields } from './wire.ts';

export interface Answering {
  readonly query: Query;
  readonly channel: HostChannel;
  /** The request that set the session up; a later `initialize` changes nothing. */
  readonly initialize: Fields | undefined;
}

/** The answer's payload. Rejects with a sentence for the host. */
export async function answerRequest(subtype: string, fields: Fields, session: Answering): Promise<Fields> {
  const { query } = session;
  switch (subtype) {
    case 'initialize':
      return { ...(await query.initializationResult()), ...launchReport(fields, session) };
    case 'interrupt':
      return { ...(await query.interrupt()) };
    case 'set_model': {
      const model = typeof fields['model'] === 'string' ? fields['model'] : undefined;
      await query.setModel(model === 'default' ? undefined : model);
      return { model: model ?? 'default' };
    }
    case 'set_permission_mode': {
      const mode = permissionMode(fields['mode']);
      await query.setPermissionMode(mode);
      return { mode };
    }
    case 'set_max_thinking_tokens': {
      const tokens = fields['max_thinking_tokens'];
      if (typeof tokens === 'number' || tokens === null) await query.setMaxThinkingTokens(tokens);
      return {};
    }
    case 'mcp_status':
      return { mcpServers: await query.mcpServerStatus() };
    case 'mcp_reconnect':
      await query.reconnectMcpServer(String(fields['serverName']));
      return {};
    case 'mcp_toggle':
      await query.toggleMcpServer(String(fields['serverName']), fields['enabled'] === true);
      return {};
    case 'mcp_set_servers':
      return { ...(await query.setMcpServers(serversOf(fields['servers']))) };
    case 'mcp_message':
      // The host's servers tell of themselves (`notifications/…`); nothing here depends on it.
      return { mcp_response: { jsonrpc: '2.0', id: 0, result: {} } };
    case 'list_models':
      return { models: await query.supportedModels() };
    case 'get_binary_version':
      return { version: PROTOCOL_VERSION };
    default:
      throw new Error(`Unsupported control request subtype: ${subtype}`);
  }
}

function serversOf(value: unknown): Readonly<Record<string, McpServerConfig>> {
  if (!isFields(value)) throw new Error('"servers" must be an object of servers by name.');
  return value as Readonly<Record<string, McpServerConfig>>;
}

/** What became of the parts of an `initialize`. Only the first one sets the session up. */
function launchReport(fields: Fields, { initialize }: Answering): Fields {
  const first = fields === initialize;
  const manifests = manifestReport(fields);
  return {
    pid: process.pid,
    hook_on_failure_supported: true,
    ...(fields['hooks'] !== undefined && { hooks_applied: first }),
    ...(fields['mcpServers'] !== undefined && { mcp_servers_applied: first }),
    ...(fields['plugins'] !== undefined && { plugins_applied: false }),
    ...(first && manifests !== undefined && { sdk_mcp_manifests_parked: manifests }),
  };
}

function permissionMode(value: unknown): PermissionMode {
  const name = value === 'manual' ? 'default' : value;
  const mode = PERMISSION_MODES.find((known) => known === name);
  if (mode === undefined)
    throw new Error(`There is no permission mode ${JSON.stringify(value)} in this engine.`);
  return mode;
}
