/** Messages of a session, as short as a test needs them. */
import type { SDKMessage } from '@turnwright/engine';

let count = 0;
const stamp = () => ({ uuid: `u-${++count}`, session_id: 'session-1' });

export const message = (fields: object): SDKMessage => ({ ...stamp(), ...fields }) as unknown as SDKMessage;

export const system = (subtype: string, fields: object = {}) =>
  message({ type: 'system', subtype, ...fields });

export const init = system('init', {
  cwd: '/work/app',
  model: 'claude-sonnet-5',
  permissionMode: 'default',
  mcp_servers: [],
});

export const requesting = () => system('status', { status: 'requesting' });

export const event = (fields: object) =>
  message({ type: 'stream_event', parent_tool_use_id: null, event: fields });

export const started = (read = 9_000, fresh = 1_000) =>
  event({
    type: 'message_start',
    message: {
      usage: {
        input_tokens: fresh,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: read,
        output_tokens: 1,
      },
    },
  });

export const block = (type: string) =>
  event({ type: 'content_block_start', index: 0, content_block: { type, text: '' } });

export const delta = (text: string) =>
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });

export const thinking = (text: string) =>
  event({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: text } });

export const stopped = () => event({ type: 'message_stop' });

export const answer = (content: readonly object[], fields: object = {}) =>
  message({
    type: 'assistant',
    parent_tool_use_id: null,
    message: { id: `m-${count}`, role: 'assistant', content },
    ...fields,
  });

export const call = (id: string, name: string, input: object) =>
  answer([{ type: 'tool_use', id, name, input }]);

export const result = (id: string, text: string, fields: object = {}, isError = false) =>
  message({
    type: 'user',
    parent_tool_use_id: null,
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: text, ...(isError && { is_error: true }) }],
    },
    ...fields,
  });

export const output = (id: string, text: string, totalLines = text.split('\n').length - 1) =>
  message({
    type: 'tool_progress',
    tool_use_id: id,
    tool_name: 'Bash',
    parent_tool_use_id: null,
    elapsed_time_seconds: 1,
    data: { type: 'bash_progress', output: text, totalLines },
  });

export const lifecycle = (command_uuid: string, state: string) =>
  message({ type: 'command_lifecycle', command_uuid, state });

export const ended = (fields: object = {}) =>
  message({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: '',
    terminal_reason: 'completed',
    stop_reason: 'end_turn',
    total_cost_usd: 0.18,
    duration_ms: 41_000,
    modelUsage: { 'claude-sonnet-5': { costBasis: 'list' } },
    ...fields,
  });
