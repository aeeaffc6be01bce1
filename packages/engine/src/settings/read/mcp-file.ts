/**
 * Files with MCP servers by name: a project's `.mcp.json`, and a part of the user's own file.
 */

import { readHandWrittenJson } from '@turnwright/base/files/plain-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';

export const MCP_FILE = '.mcp.json';

export type Servers = Readonly<Record<string, unknown>>;

export interface McpFile {
  /** The whole value; undefined when it holds no servers. */
  readonly value: unknown;
  /** Unchecked: each one is validated when it is used. */
  readonly servers: Servers;
  /** Why there are none: "is not JSON …". */
  readonly problem?: string;
}

/** `{ "mcpServers": { name: … } }`, or the inner object alone, as people write JSON. Never throws. */
export function parseMcpFile(text: string): McpFile {
  let value: unknown;
  try {
    value = readHandWrittenJson(text);
  } catch (error) {
    return { value: undefined, servers: {}, problem: `is not JSON: ${(error as Error).message}` };
  }
  const inner = isRecord(value) && 'mcpServers' in value ? value['mcpServers'] : value;
  if (isRecord(inner)) return { value, servers: inner };
  return { value: undefined, servers: {}, problem: 'holds no object of servers' };
}
