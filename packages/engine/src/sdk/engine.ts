/** The engine, for hosts that supply their own tools, stores and model layer. */
export type { AppState } from '../engine/app-state.ts';
export type { CompactionOptions } from '../engine/compaction-options.ts';
export type {
  AgentDefinition,
  McpClient,
  OrphanedPermission,
} from '../engine/config.ts';
export type {
  AccountInfo,
  AgentInfo,
  ModelChoice,
} from '../engine/host/session-listings.ts';
export { NOT_CONFIGURED } from '../engine/models/unreachable-model.ts';
export { failureResult } from '../engine/output/failure-result.ts';
export type { PublicConfig as QueryEngineConfig } from '../engine/published-names.ts';
export { QueryEngine, type QueuedPrompt } from '../engine/query-engine.ts';
export type { SDKStatus } from '../engine/session/status-reporter.ts';
export type { SubmitOptions } from '../engine/submission/prompt.ts';
export { PROTOCOL_VERSION, VERSION } from '../engine/version.ts';
export type { McpServerEntry, SetServersResult } from '../mcp/servers/mcp-servers.ts';
export type {
  Command,
  CommandContext,
  CommandOrigin,
  CommandResult,
  CommandSource,
} from '../protocol/tools/command.ts';
export type {
  ElicitationAnswer,
  ElicitationRequest,
  McpServerStatus,
  McpToolInfo,
} from '../protocol/tools/mcp.ts';

/** Why a session ended, as SessionEnd hooks receive it. */
export const EXIT_REASONS = ['clear', 'resume', 'logout', 'prompt_input_exit', 'other'] as const;
