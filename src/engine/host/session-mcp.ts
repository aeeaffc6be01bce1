/** MCP servers, as a host may use them beside the model. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Scope } from '../../util/async/scope.ts';
import type { McpRoom } from '../mcp/mcp-room.ts';

export interface McpResourceContents {
  readonly contents: readonly {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    /** Base64. */
    readonly blob?: string;
    readonly _meta?: Readonly<Record<string, unknown>>;
  }[];
}

export interface SessionMcp {
  /** Connects the servers that live with the host. Resolves when each was tried; how it went is their status. */
  connectHostServers(): Promise<void>;
  /**
   * One `ui://` resource of a server: what a host shows of a tool. It is the server's, so not to be trusted. Rejects
   * with `invalid_option` for another address, and with the reason when the server is not there or refuses.
   */
  readResource(server: string, uri: string): Promise<McpResourceContents>;
  /** Calls of this server ask even where the mode would allow them; null: as the mode has it. */
  setModeOverride(server: string, mode: 'default' | 'auto' | null): { readonly warning?: string };
}

export function sessionMcp({
  mcp,
  scope,
}: {
  readonly mcp: McpRoom;
  readonly scope: Pick<Scope, 'signal'>;
}): SessionMcp {
  return {
    connectHostServers: () => mcp.startHosts(),
    async readResource(server, uri) {
      if (!/^ui:\/\//.test(uri))
        throw new TurnwrightError('invalid_option', `Only ui:// resources are read for a host, not ${uri}.`);
      const { contents } = await mcp.readResource(server, uri, scope.signal);
      return { contents: (Array.isArray(contents) ? contents : []) as McpResourceContents['contents'] };
    },
    setModeOverride(server, mode) {
      if (mode !== null && mode !== 'default' && mode !== 'auto')
        throw new TurnwrightError('invalid_option', 'The mode of a server can be "default", "auto" or null.');
      mcp.setModeOverride(server, mode !== null);
      return mcp.statuses().some(({ name }) => name === server)
        ? {}
        : { warning: `There is no MCP server "${server}" yet.` };
    },
  };
}
