import type { McpServerStatus } from '../../protocol/tools/mcp.ts';

/** Why a server cannot be used now. */
export function notConnected({
  name,
  status,
  error,
}: Pick<McpServerStatus, 'name' | 'status' | 'error'>): string {
  const why = error === undefined ? '' : ` ${error}`;
  switch (status) {
    case 'disabled':
      return `The MCP server "${name}" is switched off.`;
    case 'needs-auth':
      return `The MCP server "${name}" wants authorization.${why} ${howToLogIn(name)}`;
    default:
      return `The MCP server "${name}" is not connected.${why}`;
  }
}

export function howToLogIn(server: string): string {
  return `A person can log in with: turnwright mcp login ${server}`;
}
