/**
 * Compiled, never run: the names that version 0.1.0 had before its redesign, as a consumer imports and reads them. A
 * line under `@ts-expect-error` is a name that is gone; CHANGELOG.md says what to use in its place.
 */
import type { Options, Query, QueryEngine, QueryEngineConfig, SDKMessage } from 'turnwright';

export type {
  AccountInfo,
  Admission,
  AgentDefinition,
  AgentInfo,
  AgentOption,
  AnyTool,
  AppState,
  AssistantBlock,
  AssistantErrorKind,
  AssistantMessage,
  Attachment,
  AttachmentMessage,
  BlobStore,
  CacheBreak,
  CacheBreakKind,
  CallModel,
  CallTerms,
  CallToolContent,
  CallToolResult,
  CanUseTool,
  CanUseToolContext,
  Clock,
  Command,
  CommandContext,
  CommandOrigin,
  CommandResult,
  CommandSource,
  CompactionOptions,
  ConfiguredMcpServer,
  ContentBlock,
  ContextCategory,
  ContextUsage,
  CustomPrompt,
  DecisionRecord,
  EffectClass,
  EffortLevel,
  ElicitationAnswer,
  ElicitationRequest,
  Exchange,
  ExternalMcpServer,
  FailureKind,
  ForkSessionOptions,
  GetSessionInfoOptions,
  GetSessionMessagesOptions,
  GetSubagentMessagesOptions,
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookInputBase,
  HookOutput,
  Ids,
  ImageBlock,
  ImportSessionToStoreOptions,
  Inbox,
  InboxItem,
  InboxPriority,
  InitializationResult,
  InterruptReceipt,
  JournalBody,
  JournalEntry,
  JournalStore,
  Json,
  JsonObject,
  JsonRpcMessage,
  JsonSchema,
  Lease,
  LeaseStore,
  LinkedMcpServer,
  ListSessionsOptions,
  ListSubagentsOptions,
  McpCall,
  McpClient,
  McpLoginOptions,
  McpPlace,
  McpRemoteServerConfig,
  McpServerConfig,
  McpServerEntry,
  McpServerInstance,
  McpServerStatus,
  McpStdioServerConfig,
  McpToolInfo,
  ModelChoice,
  ModelFailure,
  ModelInfo,
  ModelOutcome,
  ModelOutput,
  ModelPrice,
  ModelRequest,
  ModelUsage,
  Options,
  OrphanedPermission,
  PermissionBehavior,
  PermissionDenial,
  PermissionMode,
  PermissionResult,
  PermissionRulesState,
  PermissionRuleValue,
  PermissionUpdate,
  Permit,
  PersistentFiles,
  PresetPrompt,
  ProjectTrust,
  PromptState,
  Query,
  QueryEngineConfig,
  QueuedPrompt,
  RandomPort,
  ReadFileCache,
  ReadFileState,
  ResolveSettingsOptions,
  ResultUsage,
  RewindFilesResult,
  SDKAssistantMessage,
  SDKCommandLifecycle,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKResultError,
  SDKResultMessage,
  SDKResultSuccess,
  // @ts-expect-error `SDKRetraction`
  SDKRetraction,
  SDKSessionInfo,
  SDKStatus,
  SDKSystemInit,
  SDKSystemMessage,
  SDKTaskMessage,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
  SDKUserMessage,
  SDKUserMessageReplay,
  SdkMcpServer,
  SdkToolDefinition,
  SessionKey,
  SessionMessage,
  SessionMethods,
  SessionMutationOptions,
  SessionOptions,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
  SessionSummaryEntry,
  SessionUsage,
  SetMaxThinkingTokens,
  SetServersResult,
  SettingSource,
  SettingsReport,
  StartupOptions,
  StopReason,
  StreamEvent,
  SubmitOptions,
  SystemMessage,
  TaskInfo,
  TaskKind,
  TaskStatus,
  TaskTable,
  Terminal,
  TerminalReason,
  TextBlock,
  ThinkingConfig,
  ThinkingDisplay,
  TodoItem,
  Tool,
  ToolAnnotations,
  ToolCallExtra,
  ToolContext,
  ToolOutput,
  ToolProgress,
  ToolResultBlock,
  ToolUseBlock,
  TurnwrightErrorCode,
  Usage,
  UserBlock,
  UserMessage,
  ViewMessage,
  WarmQuery,
} from 'turnwright';
export {
  AbortError,
  archiveSession,
  BUILTIN_TOOL_NAMES,
  // @ts-expect-error `CannotRetryError`
  CannotRetryError,
  configurationHome,
  createSdkMcpServer,
  deleteSession,
  EXIT_REASONS,
  explainSession,
  // @ts-expect-error `FallbackTriggeredError`
  FallbackTriggeredError,
  foldSessionSummary,
  forkSession,
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  HOOK_EVENTS,
  InMemorySessionStore,
  importSessionToStore,
  LEGACY_TOOL_NAME_ALIASES,
  listMcpServers,
  listSessions,
  listSubagents,
  machineSettingsFile,
  mcpLogin,
  mcpLogout,
  modelAccess,
  PERMISSION_MODES,
  PROTOCOL_VERSION,
  projectTrust,
  QueryEngine,
  query,
  renameSession,
  resolveSettings,
  revokeTrust,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
  sessionContext,
  sessionDecisions,
  sessionsDirectory,
  startup,
  TERMINAL_REASONS,
  TurnwrightError,
  tagSession,
  tool,
  trustedFolders,
  trustProject,
  unarchiveSession,
  unknownBuiltinTools,
  VERSION,
} from 'turnwright';

type Has<T, Names extends keyof T> = Pick<T, Names>;
type Subtypes = Record<Extract<SDKMessage, { readonly subtype: unknown }>['subtype'], unknown>;
type Types = Record<SDKMessage['type'], unknown>;

export type EveryOption = Has<
  Options,
  | 'abortController'
  | 'additionalDirectories'
  | 'agent'
  | 'agentProgressSummaries'
  | 'agents'
  | 'allowDangerouslySkipPermissions'
  | 'allowedTools'
  | 'allowedToolsOnly'
  | 'betas'
  | 'canUseTool'
  | 'carryOn'
  | 'continue'
  | 'cwd'
  | 'debug'
  | 'debugFile'
  | 'disableSlashCommands'
  | 'disallowedTools'
  | 'effort'
  | 'enableFileCheckpointing'
  | 'engine'
  | 'env'
  | 'fallbackModel'
  | 'forkSession'
  | 'forwardSubagentText'
  | 'hooks'
  | 'includeHookEvents'
  | 'includePartialMessages'
  | 'loadTimeoutMs'
  | 'managedSettings'
  | 'managedSettingsFile'
  | 'maxBudgetUsd'
  | 'maxSubagentDepth'
  | 'maxSubagents'
  | 'maxSubagentsPerMessage'
  | 'maxThinkingTokens'
  | 'maxTurns'
  | 'mcpServers'
  | 'model'
  | 'onElicitation'
  | 'outputFormat'
  | 'perTaskStopAffordance'
  | 'permissionMode'
  | 'permissionPromptToolName'
  | 'permissionPrompts'
  | 'permissionTimeoutMs'
  | 'persistSession'
  | 'planModeInstructions'
  | 'plugins'
  | 'projectConfigRoot'
  | 'projectTrusted'
  | 'promptSuggestions'
  | 'replayUserMessages'
  | 'resume'
  | 'resumeDropsTurn'
  | 'resumeSessionAt'
  | 'sessionId'
  | 'sessionStore'
  | 'sessionStoreFlush'
  | 'settingSources'
  | 'settings'
  | 'skills'
  | 'stderr'
  | 'strictMcpConfig'
  | 'subagentDeadlineMs'
  | 'systemPrompt'
  | 'taskBudget'
  | 'thinking'
  | 'title'
  | 'toolAliases'
  | 'toolConfig'
  | 'tools'
  | 'trustRecorded'
  | 'verbatimPrompts'
>;
export type EveryField = Has<
  QueryEngineConfig,
  | 'abortController'
  | 'additionalDirectories'
  | 'admission'
  | 'agentLimits'
  | 'agentProgressSummaries'
  | 'agents'
  | 'allowDangerouslySkipPermissions'
  | 'allowRules'
  | 'apiKey'
  | 'apiKeySource'
  | 'appendSystemPrompt'
  | 'askRules'
  | 'authToken'
  | 'backgroundTasks'
  | 'backgroundWaitMs'
  | 'baseUrl'
  | 'betas'
  | 'blobs'
  | 'ca'
  | 'callModel'
  | 'canUseTool'
  | 'childEnv'
  | 'clock'
  | 'commandSources'
  | 'commands'
  | 'compaction'
  | 'configuredHooks'
  | 'credentials'
  | 'customSystemPrompt'
  | 'cwd'
  | 'debug'
  | 'deferToolsAbove'
  | 'denyRules'
  | 'directorySources'
  | 'disableSlashCommands'
  | 'durability'
  | 'effort'
  | 'enableFileCheckpointing'
  | 'env'
  | 'fallbackModel'
  | 'files'
  | 'forkSession'
  | 'forwardSubagentText'
  | 'getAppState'
  | 'handleElicitation'
  | 'headers'
  | 'home'
  | 'hookPolicy'
  | 'hooks'
  | 'idleNotificationMs'
  | 'ids'
  | 'inbox'
  | 'includeHookEvents'
  | 'includePartialMessages'
  | 'initialMessages'
  | 'jsonSchema'
  | 'leases'
  | 'loadTimeoutMs'
  | 'mainAgent'
  | 'maxBudgetUsd'
  | 'maxOutputTokens'
  | 'maxRetries'
  | 'maxToolConcurrency'
  | 'maxTurns'
  | 'mcpClients'
  | 'mcpServerPolicy'
  | 'mcpServers'
  | 'mcpTimeouts'
  | 'mcpToolChanges'
  | 'mediaLimits'
  | 'memoryFiles'
  | 'modelOverrides'
  | 'noProxy'
  | 'onTranscript'
  | 'orphanedPermission'
  | 'outputStyles'
  | 'ownDirectories'
  | 'permissionLocks'
  | 'permissionMode'
  | 'permissionPromptTool'
  | 'permissionRules'
  | 'permissionTimeoutMs'
  | 'persistSession'
  | 'persistentRetry'
  | 'planModeInstructions'
  | 'plansDirectory'
  | 'plugins'
  | 'preloadedSkills'
  | 'projectRoot'
  | 'promptCacheTtl'
  | 'promptSuggestions'
  | 'proxyUrl'
  | 'random'
  | 'readFileCache'
  | 'relevantMemory'
  | 'repeatGuard'
  | 'replayUserMessages'
  | 'resume'
  | 'resumeDropsTurn'
  | 'resumeSessionAt'
  | 'sessionId'
  | 'sessionStore'
  | 'sessionStoreFlush'
  | 'sessionTools'
  | 'sessionsDirectory'
  | 'setAppState'
  | 'setSDKStatus'
  | 'settingSources'
  | 'settingsAccess'
  | 'skills'
  | 'snipReplay'
  | 'stderr'
  | 'stopHookBlockCap'
  | 'store'
  | 'strictBudget'
  | 'takeOver'
  | 'taskBudget'
  | 'thinkingConfig'
  | 'timeouts'
  | 'title'
  | 'tokenBudget'
  | 'toolAliases'
  | 'toolConfig'
  | 'toolUseSummaries'
  | 'tools'
  | 'userAgent'
  | 'userSpecifiedModel'
  | 'verbatimPrompts'
  | 'verbose'
  | 'webFetch'
>;
export type EveryMethod = Has<
  Query,
  | 'accountInfo'
  | 'applyFlagSettings'
  | 'backgroundTasks'
  | 'callMcpTool'
  | 'cancelAsyncMessage'
  | 'close'
  | 'fileSuggestions'
  | 'getContextUsage'
  | 'getSettings'
  | 'getTaskOutput'
  | 'hooksListing'
  | 'initializationResult'
  | 'interrupt'
  | 'listPermissionRules'
  | 'mcpServerStatus'
  | 'readFile'
  | 'readMcpResource'
  | 'reconnectMcpServer'
  | 'reinitialize'
  | 'reloadOutputStyles'
  | 'reloadPlugins'
  | 'reloadSkills'
  | 'renameSession'
  | 'rewindFiles'
  | 'seedReadState'
  | 'setMaxThinkingTokens'
  | 'setMcpPermissionModeOverride'
  | 'setMcpServers'
  | 'setModel'
  | 'setPermissionMode'
  | 'stopTask'
  | 'streamInput'
  | 'supportedAgents'
  | 'supportedCommands'
  | 'supportedModels'
  | 'toggleMcpServer'
  | 'updateSettings'
  | 'usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET'
>;
export type EveryEngineMember = Has<
  QueryEngine,
  | 'close'
  | 'controls'
  | 'files'
  | 'interrupt'
  | 'mcp'
  | 'resume'
  | 'sessionId'
  | 'settings'
  | 'submitMessage'
  | 'successor'
  | 'tasks'
>;
// @ts-expect-error `enqueue`
export type EveryEngineMember_enqueue = Has<QueryEngine, 'enqueue'>;
// @ts-expect-error `getContextUsage`
export type EveryEngineMember_getContextUsage = Has<QueryEngine, 'getContextUsage'>;
// @ts-expect-error `mcpServerStatus`
export type EveryEngineMember_mcpServerStatus = Has<QueryEngine, 'mcpServerStatus'>;
// @ts-expect-error `modeMessage`
export type EveryEngineMember_modeMessage = Has<QueryEngine, 'modeMessage'>;
// @ts-expect-error `onAnnouncement`
export type EveryEngineMember_onAnnouncement = Has<QueryEngine, 'onAnnouncement'>;
// @ts-expect-error `permissionMode`
export type EveryEngineMember_permissionMode = Has<QueryEngine, 'permissionMode'>;
// @ts-expect-error `queued`
export type EveryEngineMember_queued = Has<QueryEngine, 'queued'>;
// @ts-expect-error `reconnectMcpServer`
export type EveryEngineMember_reconnectMcpServer = Has<QueryEngine, 'reconnectMcpServer'>;
// @ts-expect-error `reloadPlugins`
export type EveryEngineMember_reloadPlugins = Has<QueryEngine, 'reloadPlugins'>;
// @ts-expect-error `reloadSkills`
export type EveryEngineMember_reloadSkills = Has<QueryEngine, 'reloadSkills'>;
// @ts-expect-error `rename`
export type EveryEngineMember_rename = Has<QueryEngine, 'rename'>;
// @ts-expect-error `resumeInBatches`
export type EveryEngineMember_resumeInBatches = Has<QueryEngine, 'resumeInBatches'>;
// @ts-expect-error `setMcpServers`
export type EveryEngineMember_setMcpServers = Has<QueryEngine, 'setMcpServers'>;
// @ts-expect-error `setModel`
export type EveryEngineMember_setModel = Has<QueryEngine, 'setModel'>;
// @ts-expect-error `setPermissionMode`
export type EveryEngineMember_setPermissionMode = Has<QueryEngine, 'setPermissionMode'>;
// @ts-expect-error `setThinking`
export type EveryEngineMember_setThinking = Has<QueryEngine, 'setThinking'>;
// @ts-expect-error `submitInBatches`
export type EveryEngineMember_submitInBatches = Has<QueryEngine, 'submitInBatches'>;
// @ts-expect-error `takeQueued`
export type EveryEngineMember_takeQueued = Has<QueryEngine, 'takeQueued'>;
// @ts-expect-error `toggleMcpServer`
export type EveryEngineMember_toggleMcpServer = Has<QueryEngine, 'toggleMcpServer'>;
export type EveryType = Has<
  Types,
  | 'assistant'
  | 'command_lifecycle'
  | 'conversation_reset'
  | 'prompt_suggestion'
  | 'result'
  | 'stream_event'
  | 'system'
  | 'tool_progress'
  | 'tool_use_summary'
  | 'user'
>;
export type EverySubtype = Has<
  Subtypes,
  | 'commands_changed'
  | 'elicitation_complete'
  | 'init'
  | 'mirror_error'
  | 'model_refusal_no_fallback'
  | 'session_writes_lost'
  | 'success'
  | 'thinking_tokens'
>;
// @ts-expect-error `local_command_output`
export type EverySubtype_local_command_output = Has<Subtypes, 'local_command_output'>;
// @ts-expect-error `retraction`
export type EverySubtype_retraction = Has<Subtypes, 'retraction'>;
