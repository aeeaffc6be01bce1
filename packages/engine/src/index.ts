/** Turnwright: the agentic loop as a library. Named exports only. */

export type { FileData, PersistentFiles } from '@turnwright/base/persistent-files.ts';
export {
  AbortError,
  TurnwrightError,
  type TurnwrightErrorCode,
} from './protocol/errors.ts';
export type { Json, JsonObject, JsonSchema } from './protocol/json.ts';
export type { Life } from './protocol/life.ts';
export type { Attachment, PromptAttachment, TodoItem } from './protocol/model/attachment.ts';
export type { CacheBreak, CacheBreakKind } from './protocol/model/cache.ts';
export type { AssistantErrorKind, FailureKind, ModelFailure } from './protocol/model/failure.ts';
export type {
  AssistantMessage,
  AttachmentMessage,
  SystemMessage,
  UserMessage,
  ViewMessage,
} from './protocol/model/messages.ts';
export type {
  CallModel,
  ModelInfo,
  ModelOutcome,
  ModelOutput,
  ModelPrice,
  ModelRequest,
  RetryState,
} from './protocol/model/model.ts';
export type { View } from './protocol/model/view.ts';
export type {
  AssistantBlock,
  ContentBlock,
  EffortLevel,
  ImageBlock,
  ResultUsage,
  StopReason,
  StreamEvent,
  TextBlock,
  ThinkingConfig,
  ToolResultBlock,
  ToolUseBlock,
  Usage,
  UserBlock,
} from './protocol/model/wire.ts';
export type {
  Admission,
  AdmissionNeed,
  BlobStore,
  Clock,
  Ids,
  Inbox,
  InboxItem,
  InboxPriority,
  JournalStore,
  Lease,
  LeaseStore,
  Permit,
  RandomPort,
} from './protocol/ports.ts';
export type { DecisionRecord } from './protocol/session/decision-record.ts';
export type { RewindFilesResult } from './protocol/session/file-history.ts';
export {
  type CostForecast,
  describeForecast,
  describeNextRun,
  type ForecastBasis,
  usdText,
} from './protocol/session/forecast.ts';
export type {
  InspectedAgent,
  InspectedAttempt,
  InspectedCall,
  InspectedEntry,
  InspectedEvent,
  InspectedHook,
  InspectedIteration,
  InspectedRule,
  InspectedStep,
  InspectedSubmission,
  InspectedTokens,
  InspectedTotals,
  InspectionHit,
  IterationDetail,
  IterationMark,
  SessionInspection,
} from './protocol/session/inspection.ts';
export type { JournalBody, JournalEntry } from './protocol/session/journal.ts';
export type {
  ChangedCall,
  PolicyChange,
  PolicyTrial,
  RecordedAnswer,
  SmallestOffer,
  SmallestSet,
  TriedRule,
  TriedVerdict,
  VerdictCounts,
} from './protocol/session/policy-trial.ts';
export type { FactDifference, ReplayDifference, ReplayReport } from './protocol/session/replay-report.ts';
export type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
  SessionSummaryEntry,
} from './protocol/session/session-store.ts';
export type {
  SessionCost,
  SpendingCounts,
  SpendingPurpose,
  SpendingRow,
  SpendingWaste,
} from './protocol/session/spending.ts';
export {
  describeTerminal,
  TERMINAL_REASONS,
  TERMINALS,
  type Terminal,
  type TerminalMeaning,
  type TerminalReason,
} from './protocol/session/terminal.ts';
export type { Verification, VerifyCheck, VerifyConditions } from './protocol/session/verification.ts';
export type { ContextCategory, ContextSize, ContextUsage } from './protocol/stream/context-usage.ts';
export type { SDKSystemInit } from './protocol/stream/init-message.ts';
export type {
  ModelUsage,
  SDKResultError,
  SDKResultMessage,
  SDKResultSuccess,
} from './protocol/stream/result-message.ts';
export type {
  SDKAssistantMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKSystemMessage,
  SDKTaskMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
} from './protocol/stream/sdk-messages.ts';
export type {
  PromptState,
  SDKCommandLifecycle,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
} from './protocol/stream/session-messages.ts';
export type { AutoMode, JudgeVerdict } from './protocol/tools/auto-mode.ts';
export {
  BUILTIN_TOOL_NAMES,
  type BuiltinToolName,
  LEGACY_TOOL_NAME_ALIASES,
  leaderOfFamily,
  type ToolFacts,
  type ToolFamily,
  toolFacts,
} from './protocol/tools/builtin-tools.ts';
export type { CanUseTool, CanUseToolContext } from './protocol/tools/can-use-tool.ts';
export { HOOK_EVENTS, type HookEvent, type HookInputBase } from './protocol/tools/hook.ts';
export type { HookCallback, HookCallbackMatcher, HookOutput } from './protocol/tools/hook-callback.ts';
export type {
  LanguageServerConfig,
  LanguageServerStatus,
  LanguageServersOption,
  LanguageServersSettings,
} from './protocol/tools/language.ts';
export {
  PERMISSION_MODES,
  type PermissionBehavior,
  type PermissionDenial,
  type PermissionMode,
  type PermissionResult,
  type PermissionRuleValue,
  type PermissionUpdate,
} from './protocol/tools/permission.ts';
export type {
  AskingAgent,
  ExplainedPath,
  ExplainedSegment,
  MissedRule,
  PermissionExplanation,
  PermissionOffer,
  PermissionScope,
  RuleCheck,
  RuleInFile,
} from './protocol/tools/permission-explanation.ts';
export type { TaskInfo, TaskKind, TaskStatus, TaskTable } from './protocol/tools/task.ts';
export type {
  AnyTool,
  EffectClass,
  ReadFileCache,
  ReadFileState,
  Tool,
  ToolContext,
  ToolOutput,
  ToolProgress,
} from './protocol/tools/tool.ts';
export type {
  EventLogger,
  Meter,
  SpanAttributes,
  TraceContext,
  TracedContents,
  Tracer,
  TraceSpan,
  TracingOptions,
} from './protocol/tracing.ts';
export { createSdkMcpServer } from './sdk/create-sdk-mcp-server.ts';
export {
  type CallToolContent,
  type CallToolResult,
  type SdkToolDefinition,
  type ToolAnnotations,
  type ToolCallExtra,
  tool,
} from './sdk/define-tool.ts';
export * from './sdk/engine.ts';
export { EXIT_REASONS, NOT_CONFIGURED } from './sdk/engine.ts';
export {
  type CourseStep,
  type ForkAtOptions,
  type ForksAtStep,
  forkAt,
  type SessionCourse,
  type SessionFork,
} from './sdk/fork-at.ts';
export {
  checkLogin,
  type Login,
  type LoginPlace,
  type ModelToKeep,
  removeLogin,
  storeApiKeyHelper,
  storeLogin,
  storeModelChoice,
} from './sdk/logins.ts';
export {
  addMcpServer,
  type CheckedMcpServer,
  checkMcpServers,
  type KeptServer,
  removeMcpServer,
  type ServerScope,
} from './sdk/mcp/kept-servers.ts';
export type {
  CallTerms,
  Exchange,
  ExternalMcpServer,
  JsonRpcMessage,
  LinkedMcpServer,
  McpRemoteServerConfig,
  McpServerConfig,
  McpServerInstance,
  McpStdioServerConfig,
  SdkMcpServer,
} from './sdk/mcp/mcp-server-config.ts';
export {
  type ConfiguredMcpServer,
  listMcpServers,
  type McpLoginOptions,
  type McpPlace,
  mcpLogin,
  mcpLogout,
} from './sdk/mcp/server-logins.ts';
export * from './sdk/providers.ts';
export { type InterruptReceipt, type Query, query } from './sdk/query/query.ts';
export type { InitializationResult } from './sdk/query/session-info.ts';
export type {
  McpAnswer,
  McpCall,
  McpResource,
  RunForecast,
  SessionMethods,
  SessionUsage,
  SideQuestion,
} from './sdk/query/session-methods.ts';
export type { SetMaxThinkingTokens, ThinkingDisplay } from './sdk/query/thinking-controls.ts';
export { type StartupOptions, startup, type WarmQuery } from './sdk/query/warm-query.ts';
export {
  type AgentOption,
  type CustomPrompt,
  type EarlyZodSchema,
  type Options,
  type OutputFormat,
  type OutputSchema,
  type PresetPrompt,
  type SettingSource,
  type StandardSchema,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
} from './sdk/query-options.ts';
export { recordSession, replaySession } from './sdk/replay-session.ts';
export {
  type InterruptedTurn,
  type SessionResumePoint,
  sessionResumePoint,
} from './sdk/session-resume-point.ts';
export {
  archiveSession,
  configurationHome,
  costForecast,
  createJournalMapper,
  deleteSession,
  type EraseRequest,
  eraseFromSession,
  explainInspection,
  explainSession,
  type ForecastQuestion,
  type ForkSessionOptions,
  foldSessionSummary,
  forkSession,
  type GetSessionInfoOptions,
  type GetSessionMessagesOptions,
  type GetSubagentMessagesOptions,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  type ImportSessionToStoreOptions,
  InMemorySessionStore,
  type InspectionSource,
  importSessionToStore,
  inspectSession,
  type JournalFormat,
  type JournalMapper,
  type JournalMapperOptions,
  journalFormat,
  type ListSessionsOptions,
  type ListSubagentsOptions,
  listSessions,
  listSubagents,
  type OpenInspection,
  openInspection,
  type RecordsToResume,
  renameSession,
  type SDKSessionInfo,
  type SessionMessage,
  type SessionMutationOptions,
  type SessionOptions,
  type SessionOutcome,
  type SessionPrompt,
  sessionContext,
  sessionCost,
  sessionDecisions,
  sessionPrompts,
  sessionsDirectory,
  tagSession,
  unarchiveSession,
} from './sdk/sessions.ts';
export {
  type AvailableModels,
  commandAdvice,
  type EndpointAnswer,
  fieldsWithoutEffect,
  listLanguageServers,
  listModels,
  type ModelAccess,
  machineSettingsFile,
  modelAccess,
  type PermissionRulesState,
  type ProjectTrust,
  probeModel,
  projectTrust,
  type ResolveSettingsOptions,
  resolveSettings,
  revokeTrust,
  type SandboxState,
  type SettingKey,
  type SettingsReport,
  sandboxState,
  settingsKeys,
  trustedFolders,
  trustProject,
  unknownBuiltinTools,
} from './sdk/settings.ts';
export { type TryPolicyOptions, tryPolicy } from './sdk/try-policy.ts';
