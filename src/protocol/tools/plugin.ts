/** A folder with skills, commands, agents, hooks and MCP servers. */
export interface PluginConfig {
  readonly type: 'local';
  /** Absolute, or relative to the working directory. */
  readonly path: string;
  /** true: its MCP servers are the host's own business. */
  readonly skipMcpDiscovery?: boolean | undefined;
}
