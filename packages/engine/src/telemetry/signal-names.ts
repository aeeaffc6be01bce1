/**
 * The names of all spans, metrics and events, and of what they hold. Those that begin with `gen_ai`, `mcp`,
 * `error`, `http` and `server` are of OpenTelemetry's conventions for generative AI, as they were at
 * `CONVENTIONS`; a test compares them. Those that begin with `claude_code` are the ones that Claude Code
 * documents. The rest is of Turnwright.
 */

/** The commit of open-telemetry/semantic-conventions-genai that the names are from. */
export const CONVENTIONS = '024a4f944a1291fcb627c9c47da69e79868dd15e';

export const ATTRIBUTE = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agentName: 'gen_ai.agent.name',
  agentId: 'gen_ai.agent.id',
  conversation: 'gen_ai.conversation.id',
  requestModel: 'gen_ai.request.model',
  maxTokens: 'gen_ai.request.max_tokens',
  stream: 'gen_ai.request.stream',
  reasoningLevel: 'gen_ai.request.reasoning.level',
  responseId: 'gen_ai.response.id',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  timeToFirstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  modality: 'gen_ai.token.modality',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  systemInstructions: 'gen_ai.system_instructions',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  errorType: 'error.type',
  httpStatus: 'http.response.status_code',
  resendCount: 'http.request.resend_count',
  terminalReason: 'turnwright.terminal_reason',
  querySource: 'turnwright.query_source',
  requestId: 'turnwright.request_id',
  iteration: 'turnwright.iteration.number',
  transition: 'turnwright.iteration.transition',
  rule: 'turnwright.iteration.rule',
  cost: 'turnwright.cost.usd',
  agent: 'turnwright.agent',
  purpose: 'turnwright.purpose',
  retryDelay: 'turnwright.retry.delay_ms',
  hookEvent: 'turnwright.hook.event',
  hookType: 'turnwright.hook.type',
  hookOutcome: 'turnwright.hook.outcome',
  permissionVerdict: 'turnwright.permission.verdict',
  permissionSource: 'turnwright.permission.source',
  compactionStep: 'turnwright.context.step',
  tokensBefore: 'turnwright.context.tokens_before',
  tokensAfter: 'turnwright.context.tokens_after',
} as const;

export const OPERATION = { chat: 'chat', invokeAgent: 'invoke_agent', executeTool: 'execute_tool' } as const;

/** Spans whose name is not that of an operation. */
export const SPAN = {
  iteration: 'turnwright.iteration',
  permission: 'turnwright.permission',
  context: 'turnwright.context',
} as const;

/** Bounds of durations in seconds, as the conventions advise. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];

export const METRIC = {
  agentDuration: ['gen_ai.invoke_agent.duration', 's', 'Time of a submission or an agent.', SECONDS],
  toolDuration: ['gen_ai.execute_tool.duration', 's', 'Time of a tool call.', SECONDS],
  callDuration: ['gen_ai.client.inference.duration', 's', 'Time of a request to the model.', SECONDS],
  firstChunk: ['gen_ai.client.inference.time_to_first_chunk', 's', 'Time to the first chunk.', SECONDS],
  callInput: ['gen_ai.client.inference.operation.input_tokens', '{token}', 'Input of a request.', TOKENS],
  callOutput: ['gen_ai.client.inference.operation.output_tokens', '{token}', 'Output of a request.', TOKENS],
  input: ['gen_ai.client.inference.usage.input_tokens', '{token}', 'Input tokens, cached ones included.'],
  output: ['gen_ai.client.inference.usage.output_tokens', '{token}', 'Output tokens.'],
  cacheRead: ['gen_ai.client.inference.usage.cache_read.input_tokens', '{token}', 'Read from the cache.'],
  cacheWrite: ['gen_ai.client.inference.usage.cache_write.input_tokens', '{token}', 'Written to the cache.'],
  reasoning: ['gen_ai.client.inference.usage.reasoning.output_tokens', '{token}', 'Tokens of thinking.'],
  cost: ['turnwright.cost', '{USD}', 'Cost of model calls.'],
  iterations: ['turnwright.iterations', '{iteration}', 'Iterations of the loop, by how they ended.'],
} as const satisfies Readonly<Record<string, MetricRow>>;

/** Name, unit, what it is, and the bounds of a histogram; without bounds it is a counter. */
export type MetricRow = readonly [
  name: string,
  unit: string,
  description: string,
  bounds?: readonly number[],
];

export const CLAUDE_CODE_METRIC = {
  sessions: ['claude_code.session.count', 'count', 'Sessions started.'],
  lines: ['claude_code.lines_of_code.count', 'count', 'Lines of code added and removed.'],
  commits: ['claude_code.commit.count', 'count', 'Commits made.'],
  pullRequests: ['claude_code.pull_request.count', 'count', 'Pull requests made.'],
  cost: ['claude_code.cost.usage', 'USD', 'Cost of the session.'],
  tokens: ['claude_code.token.usage', 'tokens', 'Tokens used.'],
  editDecisions: ['claude_code.code_edit_tool.decision', 'count', 'Decisions about edits.'],
  activeTime: ['claude_code.active_time.total', 's', 'Active time.'],
} as const satisfies Readonly<Record<string, MetricRow>>;

export const CLAUDE_CODE_EVENT = {
  prompt: 'user_prompt',
  request: 'api_request',
  error: 'api_error',
  result: 'tool_result',
  decision: 'tool_decision',
} as const;
