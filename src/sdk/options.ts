/** The options of `query()`. Names and meanings are those of the field's de-facto SDK where both have them. */
import type { QueryEngineConfig } from '../engine/config.ts';
import type { BaseOptions } from '../options/options.ts';
import type { McpServerConfig } from './mcp/server-config.ts';

export type { AgentOption, CustomPrompt, PresetPrompt, SettingSource } from '../options/option-values.ts';

/** Separates what stays the same from what varies in a system prompt given as an array; never sent. */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

export interface Options extends BaseOptions {
  // Extensions

  /**
   * MCP servers, by name: in-process servers of ours (`createSdkMcpServer`) or of the MCP SDK, servers behind a function,
   * and those to start (`stdio`) or to reach (`http`, `sse`). `${VAR}` and `${VAR:-default}` in the last two are replaced
   * from `env`. A server that cannot be used is `failed` and delays nothing.
   */
  mcpServers?: Readonly<Record<string, McpServerConfig>> | undefined;

  // Process

  /** Fields of the engine's own configuration. They win over what is made of the other options. */
  engine?: Partial<QueryEngineConfig> | undefined;
}
