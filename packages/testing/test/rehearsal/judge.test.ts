import { isLong } from '@turnwright/test/long-form.ts';
import {
  assistant,
  errorOf,
  png,
  type RawOptions,
  READ_TOOL,
  raw,
  request,
  user,
} from '@turnwright/test/rehearsal/raw-http.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RehearsalServer, RULE_NAMES, reply, startRehearsal } from '../../src/rehearsal/index.ts';

const use = (id: string, name = 'Read') => ({ type: 'tool_use', id, name, input: { file_path: 'a' } });
const result = (id: string, content: unknown = 'ok') => ({ type: 'tool_result', tool_use_id: id, content });
const txt = (text: string, more: Record<string, unknown> = {}) => ({ type: 'text', text, ...more });
const image = (width: number, height: number, mediaType = 'image/png') => ({
  type: 'image',
  source: { type: 'base64', media_type: mediaType, data: png(width, height) },
});
const marked = { cache_control: { type: 'ephemeral' } };
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const OLD = { model: 'claude-haiku-4-5' };

let server: RehearsalServer;
beforeAll(async () => {
  server = await startRehearsal({
    scenario: () => reply('fine'),
    windows: { 'claude-tiny': 2000 },
    models: { 'claude-tiny': { maxOutput: 1500 } },
  });
});
afterAll(() => server.close());

interface Case {
  readonly rule: string;
  readonly why: string;
  readonly body?: unknown;
  readonly options?: RawOptions;
  readonly status?: number;
  readonly type?: string;
  readonly says: string | RegExp;
}

const body = (messages: readonly unknown[], rest: Record<string, unknown> = {}) => request(messages, rest);

const REFUSED: readonly Case[] = [
  {
    rule: 'api-key',
    why: 'no key',
    options: { headers: { 'x-api-key': undefined } },
    status: 401,
    type: 'authentication_error',
    says: 'x-api-key header is required',
  },
  {
    rule: 'api-key',
    why: 'an empty key',
    options: { headers: { 'x-api-key': '' } },
    status: 401,
    type: 'authentication_error',
    says: 'x-api-key header is required',
  },
  {
    rule: 'api-version',
    why: 'no version',
    options: { headers: { 'anthropic-version': undefined } },
    says: 'anthropic-version: header is required',
  },
  { rule: 'json-body', why: 'no JSON', body: '{"model": ', says: /^The request body is not valid JSON/ },
  { rule: 'json-body', why: 'a list', body: '[]', says: /expected an object/ },
  {
    rule: 'request-shape',
    why: 'no model',
    body: { max_tokens: 1, messages: [user('x')] },
    says: 'model: Field required',
  },
  {
    rule: 'request-shape',
    why: 'no messages',
    body: { model: 'claude-opus-5-5', max_tokens: 1 },
    says: 'messages: Field required',
  },
  {
    rule: 'request-shape',
    why: 'no message',
    body: body([]),
    says: 'messages: at least one message is required',
  },
  {
    rule: 'request-shape',
    why: 'a strange role',
    body: body([{ role: 'tool', content: 'x' }]),
    says: 'messages: Unexpected role "tool". Allowed roles are "user" or "assistant"',
  },
  {
    rule: 'request-shape',
    why: 'no content',
    body: body([{ role: 'user' }]),
    says: 'messages.0.content: Field required',
  },
  {
    rule: 'request-shape',
    why: 'a number as content',
    body: body([user(4)]),
    says: 'messages.0.content: Input should be a valid list',
  },
  {
    rule: 'request-shape',
    why: 'a system image',
    body: body([user('x')], { system: [image(1, 1)] }),
    says: "system.0.type: Input should be 'text'",
  },
  {
    rule: 'content-blocks',
    why: 'an unknown block',
    body: body([user([{ type: 'hologram' }])]),
    says: /^messages\.0\.content\.0: Input tag 'hologram' found using 'type'/,
  },
  {
    rule: 'content-blocks',
    why: 'a block without its text',
    body: body([user([{ type: 'text' }])]),
    says: 'messages.0.content.0.text.text: Field required',
  },
  {
    rule: 'content-blocks',
    why: 'a call said by the user',
    body: body([user([use('a')])]),
    says: 'messages.0.content.0: `tool_use` blocks can only be in `assistant` messages',
  },
  {
    rule: 'content-blocks',
    why: 'a result said by the assistant',
    body: body([user('x'), assistant([result('a')]), user('y')]),
    says: /`tool_result` blocks can only be in `user` messages/,
  },
  {
    rule: 'content-blocks',
    why: 'a call inside a result',
    body: body([user('x'), assistant([use('a')]), user([result('a', [use('b')])])]),
    says: /^messages\.2\.content\.0\.tool_result\.content\.0: Input tag 'tool_use'/,
  },
  {
    rule: 'content-blocks',
    why: 'is_error as text',
    body: body([user('x'), assistant([use('a')]), user([{ ...result('a'), is_error: 'no' }])]),
    says: /is_error: Input should be a valid boolean/,
  },
  {
    rule: 'unknown-fields',
    why: 'an unknown top-level field',
    body: body([user('x')], { session: 1 }),
    says: 'session: Extra inputs are not permitted',
  },
  {
    rule: 'unknown-fields',
    why: 'an internal field on a message',
    body: body([{ ...user('x'), uuid: 'u' }]),
    says: 'messages.0.uuid: Extra inputs are not permitted',
  },
  {
    rule: 'unknown-fields',
    why: 'an internal field on a block',
    body: body([user([txt('x', { kind: 'prompt' })])]),
    says: 'messages.0.content.0.text.kind: Extra inputs are not permitted',
  },
  {
    rule: 'unknown-fields',
    why: 'an internal field inside a result',
    body: body([user('x'), assistant([use('a')]), user([result('a', [txt('t', { uuid: 1 })])])]),
    says: /tool_result\.content\.0\.text\.uuid: Extra/,
  },
  {
    rule: 'unknown-fields',
    why: 'an internal field on a tool',
    body: body([user('x')], { tools: [{ ...READ_TOOL, isReadOnly: true }] }),
    says: 'tools.0.custom.isReadOnly: Extra inputs are not permitted',
  },
  {
    rule: 'unknown-fields',
    why: 'cache_control on thinking',
    body: body([
      user('x'),
      assistant([{ type: 'thinking', thinking: 't', signature: 's', ...marked }, txt('y')]),
      user('z'),
    ]),
    says: /thinking\.cache_control: Extra/,
  },
  {
    rule: 'beta-fields',
    why: 'context edits without the beta',
    body: body([user('x')], { context_management: { edits: [] } }),
    says: 'context_management: Extra inputs are not permitted',
  },
  {
    rule: 'beta-fields',
    why: 'a task budget without the beta',
    body: body([user('x')], { output_config: { task_budget: { type: 'tokens', total: 5 } } }),
    says: 'output_config.task_budget: Extra inputs are not permitted',
  },
  {
    rule: 'message-thread',
    why: 'a thread without the beta',
    body: body([user('x')], { thread: { type: 'create' } }),
    says: 'thread: Extra inputs are not permitted',
  },
  {
    rule: 'message-thread',
    why: 'a thread that is not held',
    options: { headers: { 'anthropic-beta': 'message-threads-2026-08-12' } },
    body: body([user('x')], { thread: { type: 'continue', previous_message_id: 'msg_1' } }),
    status: 404,
    type: 'not_found_error',
    says: 'Message thread not found: msg_1',
  },
  {
    rule: 'known-model',
    why: 'an unknown model',
    body: body([user('x')], { model: 'claude-opus-9' }),
    status: 404,
    type: 'not_found_error',
    says: 'model: claude-opus-9',
  },
  {
    rule: 'max-tokens',
    why: 'none',
    body: { model: 'claude-opus-5-5', messages: [user('x')] },
    says: 'max_tokens: Field required',
  },
  {
    rule: 'max-tokens',
    why: 'zero',
    body: body([user('x')], { max_tokens: 0 }),
    says: 'max_tokens: must be greater than or equal to 1',
  },
  {
    rule: 'max-tokens',
    why: 'a fraction',
    body: body([user('x')], { max_tokens: 1.5 }),
    says: 'max_tokens: Input should be a valid integer',
  },
  {
    rule: 'max-tokens',
    why: 'above the cap',
    body: body([user('x')], { model: 'claude-opus-4-1', max_tokens: 32_001 }),
    says: 'max_tokens: 32001 > 32000, which is the maximum allowed number of output tokens for claude-opus-4-1',
  },
  {
    rule: 'task-budget',
    why: 'not in tokens',
    body: body([user('x')], { output_config: { task_budget: { type: 'usd', total: 5 } } }),
    options: { headers: { 'anthropic-beta': 'task-budgets-2026-03-13' } },
    says: "output_config.task_budget.type: Input should be 'tokens'",
  },
  {
    rule: 'tool-name',
    why: 'a space',
    body: body([user('x')], { tools: [{ ...READ_TOOL, name: 'Read file' }] }),
    says: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  },
  {
    rule: 'tool-name',
    why: '129 letters',
    body: body([user('x')], { tools: [{ ...READ_TOOL, name: 'a'.repeat(129) }] }),
    says: /tools\.0\.custom\.name/,
  },
  {
    rule: 'tool-name',
    why: 'a bad name in history',
    body: body([user('x'), assistant([use('a', 'no way')]), user([result('a')])]),
    says: /^messages\.1\.content\.0\.tool_use\.name/,
  },
  {
    rule: 'tool-name-unique',
    why: 'twice the same',
    body: body([user('x')], { tools: [READ_TOOL, READ_TOOL] }),
    says: 'tools: Tool names must be unique.',
  },
  {
    rule: 'tool-schema',
    why: 'no schema',
    body: body([user('x')], { tools: [{ name: 'A' }] }),
    says: 'tools.0.custom.input_schema: Field required',
  },
  {
    rule: 'tool-schema',
    why: 'no type',
    body: body([user('x')], { tools: [{ name: 'A', input_schema: {} }] }),
    says: 'tools.0.custom.input_schema.type: Field required',
  },
  {
    rule: 'tool-schema',
    why: 'not an object',
    body: body([user('x')], { tools: [{ name: 'A', input_schema: { type: 'string' } }] }),
    says: "tools.0.custom.input_schema.type: Input should be 'object'",
  },
  {
    rule: 'tool-schema',
    why: 'anyOf at the top',
    body: body([user('x')], { tools: [{ name: 'A', input_schema: { type: 'object', anyOf: [{}] } }] }),
    says: /does not support oneOf, allOf, or anyOf/,
  },
  {
    rule: 'tool-schema',
    why: 'an unknown type inside',
    body: body([user('x')], {
      tools: [{ name: 'A', input_schema: { type: 'object', properties: { a: { type: 'text' } } } }],
    }),
    says: /JSON schema is invalid/,
  },
  ...['#/$defs/none', '#/definitions/none', '#/properties/b/items', '#/$defs/a~1c'].map(
    ($ref): Case => ({
      rule: 'tool-schema',
      why: `a reference that leads nowhere: ${$ref}`,
      body: body([user('x')], {
        tools: [
          { name: 'A', input_schema: { type: 'object', properties: { a: { $ref } }, $defs: { 'a/b': {} } } },
        ],
      }),
      says: /JSON schema is invalid: ".*" refers to nothing in it/,
    }),
  ),
  {
    rule: 'tool-schema',
    why: 'required: true inside',
    body: body([user('x')], {
      tools: [
        {
          name: 'A',
          input_schema: { type: 'object', properties: { a: { type: 'string', required: true } } },
        },
      ],
    }),
    says: /JSON schema is invalid/,
  },
  {
    rule: 'tool-choice',
    why: 'a tool that is not offered',
    body: body([user('x')], { tools: [READ_TOOL], tool_choice: { type: 'tool', name: 'Write' } }),
    says: "tool_choice: Tool 'Write' not found in provided tools",
  },
  {
    rule: 'tool-choice',
    why: 'forced while thinking',
    body: body([user('x')], {
      tools: [READ_TOOL],
      tool_choice: { type: 'any' },
      thinking: { type: 'adaptive' },
    }),
    says: 'Thinking may not be enabled when tool_choice forces tool use.',
  },
  {
    rule: 'deferred-tools',
    why: 'nothing but deferred tools',
    body: body([user('x')], { tools: [{ ...READ_TOOL, defer_loading: true }] }),
    says: 'tools: At least one tool must have defer_loading=false.',
  },
  {
    rule: 'deferred-tools',
    why: 'a breakpoint on a deferred tool',
    body: body([user('x')], {
      tools: [
        READ_TOOL,
        { ...READ_TOOL, name: 'Late', defer_loading: true, cache_control: { type: 'ephemeral' } },
      ],
    }),
    says: 'tools.1: Tools with defer_loading cannot use cache_control',
  },
  {
    rule: 'deferred-tools',
    why: 'a reference to a tool that is not declared',
    body: body(
      [
        user('x'),
        assistant([{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: {} }]),
        user([
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'tool_reference', tool_name: 'Gone' }],
          },
        ]),
      ],
      { tools: [READ_TOOL] },
    ),
    says: "messages.2.content.0: Tool reference 'Gone' not found in available tools",
  },
  {
    rule: 'beta-fields',
    why: 'an effort inside the conversation without its beta',
    body: body([user('x'), { role: 'system', content: [], output_config: { effort: 'low' } }]),
    says: 'messages.1.output_config: Extra inputs are not permitted',
  },
  {
    rule: 'first-message-user',
    why: 'the assistant begins',
    body: body([assistant('x'), user('y')]),
    says: 'messages: first message must use the "user" role',
  },
  {
    rule: 'system-messages',
    why: 'an old model',
    body: body([user('x'), { role: 'system', content: 's' }], OLD),
    says: "role 'system' is not supported on this model",
  },
  {
    rule: 'system-messages',
    why: 'at the head',
    body: body([{ role: 'system', content: 's' }, user('x')]),
    says: /^messages\.0: use the top-level 'system' parameter/,
  },
  {
    rule: 'system-messages',
    why: 'before a user message',
    body: body([user('x'), { role: 'system', content: 's' }, user('y')]),
    says: /^messages\.1: role 'system' must precede an 'assistant' message/,
  },
  {
    rule: 'system-messages',
    why: 'behind the assistant',
    body: body([user('x'), assistant('y'), { role: 'system', content: 's' }]),
    says: /must follow a 'user' message/,
  },
  {
    rule: 'strict-alternation',
    why: 'two user messages in a row',
    body: body([user('x'), user('y')]),
    says: /multiple "user" roles in a row/,
  },
  {
    rule: 'empty-content',
    why: 'an empty string',
    body: body([user('')]),
    says: 'messages.0: all messages must have non-empty content except for the optional final assistant message',
  },
  {
    rule: 'empty-content',
    why: 'an empty list in the middle',
    body: body([user('x'), assistant([]), user('y')]),
    says: /^messages\.1: all messages must have non-empty/,
  },
  {
    rule: 'empty-final-assistant',
    why: 'an empty last answer',
    body: body([user('x'), assistant([])], OLD),
    says: /final assistant content must be non-empty/,
  },
  {
    rule: 'empty-text',
    why: 'an empty block',
    body: body([user([txt('')])]),
    says: 'messages: text content blocks must be non-empty',
  },
  {
    rule: 'empty-text',
    why: 'an empty block beside a call',
    body: body([user('x'), assistant([txt(''), use('a')]), user([result('a')])]),
    says: 'messages: text content blocks must be non-empty',
  },
  {
    rule: 'empty-text',
    why: 'an empty block inside a result',
    body: body([user('x'), assistant([use('a')]), user([result('a', [txt('')])])]),
    says: 'messages: text content blocks must be non-empty',
  },
  {
    rule: 'empty-text',
    why: 'an empty system block',
    body: body([user('x')], { system: [txt('')] }),
    says: 'system: text content blocks must be non-empty',
  },
  {
    rule: 'empty-text',
    why: 'a breakpoint on an empty block',
    body: body([user([txt('', marked)])]),
    says: 'messages.0.content.0.text: cache_control cannot be set for empty text blocks',
  },
  {
    rule: 'blank-text',
    why: 'white space alone',
    body: body([user([txt(' \n ')])]),
    says: 'messages: text content blocks must contain non-whitespace text',
  },
  {
    rule: 'blank-text',
    why: 'a blank string',
    body: body([user('  ')]),
    says: 'messages: text content blocks must contain non-whitespace text',
  },
  {
    rule: 'tool-use-id',
    why: 'a strange id',
    body: body([user('x'), assistant([use('a:b')]), user([result('a:b')])]),
    says: /String should match pattern '\^\[a-zA-Z0-9_-\]\+\$'/,
  },
  {
    rule: 'tool-use-id',
    why: 'twice in one message',
    body: body([user('x'), assistant([use('a'), use('a')]), user([result('a')])]),
    says: 'messages.1.content.1: `tool_use` ids must be unique',
  },
  {
    rule: 'tool-use-id',
    why: 'again in a later turn',
    body: body([
      user('x'),
      assistant([use('a')]),
      user([result('a')]),
      assistant([use('a')]),
      user([result('a')]),
    ]),
    says: 'messages.3.content.0: `tool_use` ids must be unique',
  },
  {
    rule: 'tool-result-duplicate',
    why: 'two results for one call',
    body: body([user('x'), assistant([use('a')]), user([result('a'), result('a')])]),
    says: 'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
  },
  {
    rule: 'tool-result-orphan',
    why: 'no call before',
    body: body([user([result('a')])]),
    says: 'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  },
  {
    rule: 'tool-result-orphan',
    why: 'a call two turns back',
    body: body([user('x'), assistant([use('a')]), user([result('a')]), assistant('ok'), user([result('a')])]),
    says: /^messages\.4\.content\.0: unexpected/,
  },
  {
    rule: 'tool-result-missing',
    why: 'a user message without it',
    body: body([user('x'), assistant([use('a')]), user('y')]),
    says: 'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  },
  {
    rule: 'tool-result-missing',
    why: 'one of two',
    body: body([user('x'), assistant([use('a'), use('b')]), user([result('b')])]),
    says: /^messages\.1: .*immediately after: a\. /,
  },
  {
    rule: 'tool-result-missing',
    why: 'an open call at the end',
    body: body([user('x'), assistant([use('a')])]),
    says: /^messages\.1: `tool_use` ids were found/,
  },
  {
    rule: 'tool-result-first',
    why: 'text before the result',
    body: body([user('x'), assistant([use('a')]), user([txt('t'), result('a')])]),
    says: /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: a\. /,
  },
  {
    rule: 'tool-result-first',
    why: 'text between two results',
    body: body([user('x'), assistant([use('a'), use('b')]), user([result('a'), txt('t'), result('b')])]),
    says: /immediately after: b\. /,
  },
  {
    rule: 'trailing-whitespace',
    why: 'a prefill with a space',
    body: body([user('x'), assistant('y ')], OLD),
    says: 'messages: final assistant content cannot end with trailing whitespace',
  },
  {
    rule: 'prefill',
    why: 'a model that knows none',
    body: body([user('x'), assistant('y')]),
    says: 'This model does not support assistant message prefill. The conversation must end with a user message.',
  },
  {
    rule: 'prefill',
    why: 'while thinking',
    body: body([user('x'), assistant('y')], { ...OLD, thinking: { type: 'enabled', budget_tokens: 1024 } }),
    says: /prefill/,
  },
  {
    rule: 'cache-control',
    why: 'an unknown life',
    body: body([user([txt('x', { cache_control: { type: 'ephemeral', ttl: '2h' } })])]),
    says: "messages.0.content.0.cache_control.ttl: Input should be '5m' or '1h'",
  },
  {
    rule: 'cache-breakpoints',
    why: 'five',
    body: body([user([1, 2, 3, 4, 5].map((n) => txt(`${n}`, marked)))]),
    says: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  },
  {
    rule: 'cache-breakpoints',
    why: 'spread over tools, system, messages and results',
    body: body([user([txt('x', marked)]), assistant([use('a')]), user([result('a', [txt('t', marked)])])], {
      system: [txt('s', marked)],
      tools: [{ ...READ_TOOL, ...marked }],
      cache_control: { type: 'ephemeral' },
    }),
    says: /Found 5\.$/,
  },
  {
    rule: 'cache-ttl-order',
    why: 'an hour behind five minutes',
    body: body([user([txt('x', hour)])], { system: [txt('s', marked)] }),
    says: /^messages\.0\.content\.0\.cache_control\.ttl: a ttl='1h' cache_control block must not come after a ttl='5m'/,
  },
  {
    rule: 'thinking-config',
    why: 'no budget',
    body: body([user('x')], { ...OLD, thinking: { type: 'enabled' } }),
    says: 'thinking.enabled.budget_tokens: Field required',
  },
  {
    rule: 'thinking-config',
    why: 'a small budget',
    body: body([user('x')], { ...OLD, thinking: { type: 'enabled', budget_tokens: 1023 } }),
    says: 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
  },
  {
    rule: 'thinking-config',
    why: 'a budget not below max_tokens',
    body: body([user('x')], { ...OLD, thinking: { type: 'enabled', budget_tokens: 8000 } }),
    says: '`max_tokens` must be greater than `thinking.budget_tokens`.',
  },
  {
    rule: 'thinking-config',
    why: 'adaptive on an old model',
    body: body([user('x')], { ...OLD, thinking: { type: 'adaptive' } }),
    says: 'adaptive thinking is not supported on this model',
  },
  {
    rule: 'thinking-sampling',
    why: 'a temperature',
    body: body([user('x')], { thinking: { type: 'adaptive' }, temperature: 0 }),
    says: '`temperature` may only be set to 1 when thinking is enabled.',
  },
  {
    rule: 'thinking-signature',
    why: 'unsigned',
    body: body([
      user('x'),
      assistant([{ type: 'thinking', thinking: 't', signature: '' }, txt('y')]),
      user('z'),
    ]),
    says: 'messages.1.content.0: Invalid `signature` in `thinking` block',
  },
  {
    rule: 'thinking-signature',
    why: 'a made-up redaction',
    body: body([user('x'), assistant([{ type: 'redacted_thinking', data: 'AAAA' }, txt('y')]), user('z')]),
    says: 'messages.1.content.0: Invalid `data` in `redacted_thinking` block',
  },
  {
    rule: 'image-count',
    why: '101 on a small window',
    body: body([user(Array.from({ length: 101 }, () => image(10, 10)))], OLD),
    says: 'Too much media: 0 document pages + 101 images > 100',
  },
  {
    rule: 'image-data',
    why: 'no image',
    body: body([
      user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } }]),
    ]),
    says: 'Could not process image',
  },
  {
    rule: 'image-data',
    why: 'another type than it says',
    body: body([user([image(1, 1, 'image/jpeg')])]),
    says: /appears to be a image\/png image$/,
  },
  {
    rule: 'image-data',
    why: 'a type nobody takes',
    body: body([user([image(1, 1, 'image/bmp')])]),
    says: /media_type: Input should be/,
  },
  {
    rule: 'image-size',
    why: 'too wide',
    body: body([user([image(8001, 10)])]),
    says: 'messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
  },
  {
    rule: 'image-size',
    why: 'F10: wide among more than 20, inside a result',
    body: body([
      user([...Array.from({ length: 20 }, () => image(10, 10))]),
      assistant([use('a')]),
      user([result('a', [image(2162, 322)])]),
    ]),
    says: 'messages.2.content.0.tool_result.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
  },
  {
    rule: 'image-size',
    why: 'F10: 4 MiB raw',
    body: body([
      user([
        {
          type: 'image',
          source: {
            type: 'base64',
            media_type: 'image/png',
            data: png(10, 10).slice(0, 40) + 'A'.repeat(5_592_408),
          },
        },
      ]),
    ]),
    says: /image exceeds 5 MB maximum: \d+ bytes > 5242880 bytes$/,
  },
  {
    rule: 'prompt-too-long',
    why: 'over the window',
    body: body([user('x'.repeat(8001))], { model: 'claude-tiny', max_tokens: 10 }),
    says: 'prompt is too long: 2004 tokens > 2000 maximum',
  },
  {
    rule: 'output-over-window',
    why: 'input and max_tokens together',
    body: body([user('x'.repeat(4000))], { model: 'claude-tiny', max_tokens: 1000 }),
    says: 'input length and `max_tokens` exceed context limit: 1003 + 1000 > 2000, decrease input length or `max_tokens` and try again',
  },
];

describe('the judge refuses', () => {
  it.each(REFUSED)('$rule: $why', async (refused) => {
    const answer = await raw(server.url, { body: refused.body ?? request('x'), ...refused.options });
    const error = errorOf(answer);
    expect(server.requests.at(-1)?.verdict).toMatchObject({ kind: 'rejected', rule: refused.rule });
    expect(answer.status).toBe(refused.status ?? 400);
    expect(error.type).toBe(refused.type ?? 'invalid_request_error');
    if (typeof refused.says === 'string') expect(error.message).toBe(refused.says);
    else expect(error.message).toMatch(refused.says);
    expect(answer.headers['request-id']).toMatch(/^req_/);
  });

  it.runIf(isLong)('413 above 32 MB', async () => {
    const answer = await raw(server.url, { body: request('x'.repeat(33 * 1024 * 1024)) });
    expect(answer.status).toBe(413);
    expect(errorOf(answer)).toEqual({
      type: 'request_too_large',
      message: 'Request exceeds the maximum size',
    });
  });

  it('a thread is continued once, with nothing that it was created with', async () => {
    const seen: string[] = [];
    const opened = await startRehearsal({
      scenario: ({ body: { messages, system } }) => {
        seen.push(`${JSON.stringify(system)} ${(messages as { role: string }[]).map(({ role }) => role)}`);
        return reply('Yes.');
      },
    });
    const headers = { 'anthropic-beta': 'message-threads-2026-08-12' };
    const ask = (more: Record<string, unknown>) =>
      raw(opened.url, { body: body([user('x')], more), headers });
    const { id } = JSON.parse((await ask({ thread: { type: 'create' }, system: 'Be brief.' })).text);
    const thread = { type: 'continue', previous_message_id: id };
    expect(errorOf(await ask({ thread, system: 'Be brief.' })).message).toMatch(/^system: cannot be set/);
    expect(errorOf(await ask({ thread, tools: [] })).message).toMatch(/^tools: cannot be set/);
    expect((await ask({ thread })).status).toBe(200);
    expect(errorOf(await ask({ thread })).message).toMatch(/^The thread was already continued/);
    expect(seen).toEqual(['"Be brief." user', '"Be brief." user,assistant,user']);
    await opened.close();
  });

  it('thinking-first is refused only when the turn had begun with thinking', async () => {
    const opened = await startRehearsal({
      scenario: () =>
        reply([
          { type: 'thinking', thinking: 'hm' },
          { type: 'tool_use', id: 'a', name: 'Read', input: {} },
        ]),
    });
    const enabled = { ...OLD, thinking: { type: 'enabled', budget_tokens: 2000 }, tools: [READ_TOOL] };
    const before = await raw(opened.url, {
      body: body([user('x'), assistant([use('a')]), user([result('a')])], enabled),
    });
    expect(before.status).toBe(200);
    await raw(opened.url, { body: body([user('y')], enabled) });
    const stripped = await raw(opened.url, {
      body: body([user('y'), assistant([use('a')]), user([result('a')])], enabled),
    });
    expect(errorOf(stripped).message).toMatch(
      /^messages\.1\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
    );
    await opened.close();
  });

  it('every rule is seen to refuse something', () => {
    const seen = new Set(REFUSED.map((refused) => refused.rule));
    const elsewhere = ['request-size', 'thinking-first', 'thinking-last'];
    expect(RULE_NAMES.filter((name) => !seen.has(name) && !elsewhere.includes(name))).toEqual([]);
  });
});

const ACCEPTED: readonly (readonly [why: string, body: unknown, headers?: Record<string, string>])[] = [
  ['a plain prompt', body([user('x')])],
  [
    'every documented top-level field',
    body([user('x')], {
      system: 's',
      metadata: { user_id: 'u' },
      stop_sequences: ['x'],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      service_tier: 'auto',
      stream: false,
      tools: [READ_TOOL],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      output_config: { effort: 'high' },
    }),
  ],
  [
    'two calls, two results in another order, then text',
    body([
      user('x'),
      assistant([txt('t'), use('a'), use('b')]),
      user([result('b'), result('a'), txt('more')]),
    ]),
  ],
  [
    'text behind a call in the same message',
    body([user('x'), assistant([use('a'), txt('t')]), user([result('a')])]),
  ],
  [
    'an empty result, and one without content',
    body([
      user('x'),
      assistant([use('a'), use('b')]),
      user([result('a', ''), { type: 'tool_result', tool_use_id: 'b' }]),
    ]),
  ],
  ['white space inside a result', body([user('x'), assistant([use('a')]), user([result('a', [txt('\n')])])])],
  [
    'a result that is an error, with an image',
    body([
      user('x'),
      assistant([use('a')]),
      user([{ ...result('a', [txt('t'), image(10, 10)]), is_error: true }]),
    ]),
  ],
  [
    'many rounds',
    body([
      user('x'),
      ...Array.from({ length: 20 }, (_, n) => [assistant([use(`t${n}`)]), user([result(`t${n}`)])]).flat(),
    ]),
  ],
  [
    'a call of a tool that is not offered',
    body([user('x'), assistant([use('a', 'Gone')]), user([result('a')])], { tools: [READ_TOOL] }),
  ],
  [
    'four breakpoints, the hours first',
    body([user([txt('x', marked)]), assistant('y'), user([txt('z', marked)])], {
      system: [txt('s', hour)],
      tools: [{ ...READ_TOOL, ...hour }],
    }),
  ],
  [
    'system messages behind user turns',
    body([
      user('x'),
      { role: 'system', content: 's' },
      assistant('y'),
      user('z'),
      { role: 'system', content: [txt('s')] },
      { role: 'system', content: 't' },
    ]),
  ],
  [
    'a system message behind a tool result',
    body([user('x'), assistant([use('a')]), user([result('a')]), { role: 'system', content: 's' }]),
  ],
  ['a prefill on a model that continues it', body([user('x'), assistant('y')], OLD)],
  [
    'a paused turn sent back',
    body([
      user('x'),
      assistant([txt('t'), { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }]),
    ]),
  ],
  [
    'a tool the server runs',
    body([user('x')], { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }] }),
  ],
  [
    'a deep schema',
    body([user('x')], {
      tools: [
        {
          name: 'A',
          input_schema: {
            $schema: 'https://json-schema.org/draft/2020-12/schema',
            type: 'object',
            properties: {
              a: { type: ['string', 'null'], pattern: '^a$' },
              b: {
                type: 'array',
                items: { anyOf: [{ type: 'integer', minimum: 0 }, { $ref: '#/$defs/x' }] },
              },
              c: { enum: [1, 'b', null], default: 1 },
              d: true,
            },
            required: ['a'],
            additionalProperties: false,
            $defs: { x: { const: 4 } },
          },
        },
      ],
    }),
  ],
  [
    'images by address',
    body([user([{ type: 'image', source: { type: 'url', url: 'https://example.test/a.png' } }])]),
  ],
  ['600 images on a large window', body([user(Array.from({ length: 600 }, () => image(10, 10)))])],
  ['a dated model id', body([user('x')], { model: 'claude-haiku-4-5-20251001' })],
  ['max_tokens at the cap', body([user('x')], { max_tokens: 128_000 })],
  ['a window exactly full', body([user('x'.repeat(4000))], { model: 'claude-tiny', max_tokens: 997 })],
  [
    'a task budget under its beta',
    body([user('x')], {
      output_config: { effort: 'low', task_budget: { type: 'tokens', total: 100, remaining: 4 } },
    }),
    { 'anthropic-beta': 'task-budgets-2026-03-13' },
  ],
  [
    'speed under its beta',
    body([user('x')], { speed: 'fast' }),
    { 'anthropic-beta': 'a,fast-mode-2026-02-01' },
  ],
  ['adaptive thinking', body([user('x')], { thinking: { type: 'adaptive', display: 'omitted' } })],
  [
    'a block type the server itself made up',
    body([user('x'), assistant([{ type: 'rehearsal_novelty', about: '' }, txt('t')]), user('y')]),
  ],
  ['a token instead of a key', body([user('x')]), { authorization: 'Bearer tok', 'x-api-key': '' }],
];

describe('the judge accepts what the API accepts', () => {
  it.each(ACCEPTED)('%s', async (_why, accepted, headers) => {
    const answer = await raw(server.url, {
      body: accepted,
      headers: (headers as Record<string, string> | undefined) ?? {},
    });
    expect(answer.text).toContain('"type":"message"');
    expect(answer.status).toBe(200);
  });

  it('merged messages when strict-alternation is lenient, pairing included', async () => {
    const lenient = await startRehearsal({ scenario: () => reply('fine'), lenient: ['strict-alternation'] });
    const ask = (messages: readonly unknown[]) => raw(lenient.url, { body: body(messages) });
    expect((await ask([user('x'), user('y')])).status).toBe(200);
    expect(
      (
        await ask([
          user('x'),
          assistant([use('a')]),
          assistant([use('b')]),
          user([result('a')]),
          user([result('b')]),
        ])
      ).status,
    ).toBe(200);
    const late = await ask([user('x'), assistant([use('a')]), user('t'), user([result('a')])]);
    expect(errorOf(late).message).toMatch(/^messages\.1: `tool_use` ids were found without/);
    await lenient.close();
  });

  it('what was switched off by name, and nothing else', async () => {
    const lenient = await startRehearsal({
      scenario: () => reply('fine'),
      lenient: ['empty-text', 'api-version'],
    });
    const headers = { 'anthropic-version': undefined };
    expect((await raw(lenient.url, { body: body([user([txt(''), txt('x')])]), headers })).status).toBe(200);
    expect((await raw(lenient.url, { body: body([user([txt(' ')])]), headers })).status).toBe(400);
    await lenient.close();
  });

  it('no unknown name among the lenient ones', async () => {
    await expect(startRehearsal({ lenient: ['kindness'] })).rejects.toMatchObject({ code: 'invalid_option' });
  });
});
