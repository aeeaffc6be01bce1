/**
 * The options of `query()`. Names and meanings are those of the field's de-facto SDK where both have them.
 */
import type { PublicConfig as QueryEngineConfig } from '../engine/published-names.ts';
import type { BaseOptions } from '../options/options.ts';
import type { McpServerConfig } from './mcp/mcp-server-config.ts';

export {
  type AgentOption,
  type CustomPrompt,
  type PresetPrompt,
  type SettingSource,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
} from '../options/option-values.ts';
export type {
  EarlyZodSchema,
  OutputFormat,
  OutputSchema,
  StandardSchema,
} from '../options/output-format.ts';

/** Options of `query()`. docs/options.md lists them with defaults, flags, variables and settings keys. */
export interface Options<Output = unknown> extends BaseOptions<Output> {
  // Extensions

  /**
   * MCP servers, by name: in-process servers of ours (`createSdkMcpServer`) or of the MCP SDK, servers behind
   * a function, and those to start (`stdio`) or to reach (`http`, `sse`). `${VAR}` and `${VAR:-default}` in
   * the last two are replaced from `env`. A server that cannot be used is `failed` and delays nothing.
   *
   * @example
   * ```ts
   * const options: Options = {
   *   mcpServers: {
   *     files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/work'] },
   *     issues: { type: 'http', url: 'https://mcp.example.com', headers: { 'x-key': '${KEY}' } },
   *   },
   *   allowedTools: ['mcp__files'],
   * };
   * ```
   */
  mcpServers?: Readonly<Record<string, McpServerConfig>> | undefined;

  // Process

  /**
   * Fields of the engine's own configuration. They win over what is made of the other options.
   *
   * @example
   * ```ts
   * // In a test: a scripted model in place of the network.
   * const model = scriptedModel([say('It is empty.')]);
   * const options: Options = { engine: { callModel: model.callModel } };
   * ```
   */
  engine?: Partial<QueryEngineConfig<Output>> | undefined;
}
