/** One MCP client's talk with one server: handshake, list of tools, calls. */
import { PROTOCOL_VERSION } from '../../engine/version.ts';
import { type Exchange, resultOf } from './json-rpc.ts';
import type { LinkedMcpServer } from './server-config.ts';

export interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface McpSession {
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined;
  readonly instructions: string | undefined;
  readonly tools: readonly ListedTool[];
  call(
    name: string,
    input: unknown,
    meta: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown>;
}

const MCP_PROTOCOL = '2025-11-25';
/** More pages than this are no list of tools. */
const MAX_PAGES = 100;

/** Throws when the server refuses, or answers what is no MCP. */
export async function openMcpSession(
  exchange: Exchange,
  manifest: LinkedMcpServer['manifest'],
  signal: AbortSignal,
): Promise<McpSession> {
  let count = 0;
  const request = async (method: string, params: Readonly<Record<string, unknown>>, ending: AbortSignal) => {
    count += 1;
    return resultOf(await exchange({ jsonrpc: '2.0', id: count, method, params }, { signal: ending }));
  };

  let initialized = manifest?.initializeResult;
  if (!isRecord(initialized)) {
    const clientInfo = { name: 'turnwright', version: PROTOCOL_VERSION };
    const params = { protocolVersion: MCP_PROTOCOL, capabilities: {}, clientInfo };
    initialized = await request('initialize', params, signal);
    await exchange({ jsonrpc: '2.0', method: 'notifications/initialized' }, { signal });
  }
  const { serverInfo, capabilities, instructions } = isRecord(initialized) ? initialized : {};
  const tools: ListedTool[] = [];
  if (isRecord(manifest?.toolsListResult)) tools.push(...toolsIn(manifest.toolsListResult));
  else if (!isRecord(capabilities) || capabilities['tools'] !== undefined) {
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const listed = await request('tools/list', cursor === undefined ? {} : { cursor }, signal);
      if (!isRecord(listed)) break;
      tools.push(...toolsIn(listed));
      cursor = listed['nextCursor'];
      if (typeof cursor !== 'string') break;
    }
  }
  return {
    serverInfo: isServerInfo(serverInfo) ? { name: serverInfo.name, version: serverInfo.version } : undefined,
    instructions: typeof instructions === 'string' ? instructions : undefined,
    tools,
    call: (name, input, meta, ending) =>
      request('tools/call', { name, arguments: input, _meta: { ...meta, progressToken: count + 1 } }, ending),
  };
}

function toolsIn(result: Readonly<Record<string, unknown>>): readonly ListedTool[] {
  const { tools } = result;
  if (!Array.isArray(tools)) return [];
  return tools.filter((tool): tool is ListedTool => isRecord(tool) && typeof tool['name'] === 'string');
}

function isServerInfo(value: unknown): value is { readonly name: string; readonly version: string } {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
