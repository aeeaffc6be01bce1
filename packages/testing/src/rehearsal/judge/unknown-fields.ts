import { isRecord } from '@turnwright/base/json-values.ts';
import { type ApiError, invalidRequest } from '../api-errors.ts';
import { walkMessages } from '../request/api-request.ts';
import { BLOCK_FIELDS } from './block-fields.ts';
import type { JudgeRule } from './judge-rule.ts';

const PROMPT_FIELDS = [
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'compaction',
  'context_management',
  'mcp_servers',
  'output_config',
  'output_format',
  'cache_control',
  'speed',
];
const REQUEST_FIELDS = new Set([
  ...PROMPT_FIELDS,
  'max_tokens',
  'stream',
  'metadata',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'service_tier',
  'container',
  'inference_geo',
  'fallbacks',
  'fallback_credit_token',
  'diagnostics',
  'thread',
]);
const COUNT_FIELDS = new Set(PROMPT_FIELDS);
const MESSAGE_FIELDS = new Set(['role', 'content']);
const SYSTEM_MESSAGE_FIELDS = new Set(['role', 'content', 'output_config', 'clear_at']);
const SYSTEM_BLOCK_FIELDS = new Set(['type', 'text', 'citations', 'cache_control']);
const TOOL_FIELDS = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'cache_control',
  'strict',
  'defer_loading',
  'allowed_callers',
  'input_examples',
  'eager_input_streaming',
]);
const TOP_OBJECTS: Readonly<Record<string, ReadonlySet<string>>> = {
  metadata: new Set(['user_id']),
  output_config: new Set(['effort', 'format', 'task_budget']),
  compaction: new Set(['type', 'instructions']),
  context_management: new Set(['edits']),
  thinking: new Set(['type', 'budget_tokens', 'display']),
  tool_choice: new Set(['type', 'name', 'disable_parallel_tool_use']),
};

/** No field that the API does not know: internal fields usually leak this way. */
export const unknownFields: JudgeRule = {
  name: 'unknown-fields',
  check(request, { countOnly }) {
    const { body } = request;
    return (
      extra(body, countOnly ? COUNT_FIELDS : REQUEST_FIELDS, '') ??
      extraInTopObjects(body) ??
      extraInTools(body['tools']) ??
      extraInList(body['system'], SYSTEM_BLOCK_FIELDS, 'system') ??
      extraInMessages(body['messages']) ??
      extraInBlocks(request)
    );
  },
};

function extra(
  value: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  path: string,
): ApiError | undefined {
  for (const field in value) {
    if (!known.has(field))
      return invalidRequest(`${path === '' ? '' : `${path}.`}${field}: Extra inputs are not permitted`);
  }
  return undefined;
}

function extraInTopObjects(body: Readonly<Record<string, unknown>>): ApiError | undefined {
  for (const [field, known] of Object.entries(TOP_OBJECTS)) {
    const value = body[field];
    const error = isRecord(value) ? extra(value, known, field) : undefined;
    if (error !== undefined) return error;
  }
  return undefined;
}

function extraInTools(tools: unknown): ApiError | undefined {
  if (!Array.isArray(tools)) return undefined;
  for (const [at, tool] of tools.entries()) {
    // Server tools have parameters of their own.
    if (!isRecord(tool) || (tool['type'] !== undefined && tool['type'] !== 'custom')) continue;
    const error = extra(tool, TOOL_FIELDS, `tools.${at}.custom`);
    if (error !== undefined) return error;
  }
  return undefined;
}

function extraInList(list: unknown, known: ReadonlySet<string>, path: string): ApiError | undefined {
  if (!Array.isArray(list)) return undefined;
  for (const [at, item] of list.entries()) {
    const error = isRecord(item) ? extra(item, known, `${path}.${at}`) : undefined;
    if (error !== undefined) return error;
  }
  return undefined;
}

function extraInMessages(messages: unknown): ApiError | undefined {
  if (!Array.isArray(messages)) return undefined;
  for (const [at, message] of messages.entries()) {
    if (!isRecord(message)) continue;
    const known = message['role'] === 'system' ? SYSTEM_MESSAGE_FIELDS : MESSAGE_FIELDS;
    const error = extra(message, known, `messages.${at}`);
    if (error !== undefined) return error;
  }
  return undefined;
}

const FIELD_SETS = new Map(
  Object.entries(BLOCK_FIELDS).map(([type, fields]) => [
    type,
    new Set(['type', ...Object.keys(fields.required), ...fields.optional]),
  ]),
);

function extraInBlocks(request: Parameters<JudgeRule['check']>[0]): ApiError | undefined {
  for (const { block, path } of walkMessages(request)) {
    const known = FIELD_SETS.get(block.type);
    const error = known === undefined ? undefined : extra(block, known, `${path}.${block.type}`);
    if (error !== undefined) return error;
  }
  return undefined;
}
