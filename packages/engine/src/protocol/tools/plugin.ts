/**
 * A folder with skills, commands, agents, hooks and MCP servers.
 *
 * @example
 * ```ts
 * const options: Options = { plugins: [{ type: 'local', path: './plugins/review' }] };
 * ```
 */
export interface PluginConfig {
  readonly type: 'local';
  /** Absolute, or relative to the working directory. */
  readonly path: string;
  /** true: its MCP servers are the host's own business. */
  readonly skipMcpDiscovery?: boolean | undefined;
}
