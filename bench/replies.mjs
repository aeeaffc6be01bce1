// What the simulated Messages API says: server-sent events, made by hand. Shares no code with what is measured.

export const sse = (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

export const start = (k) =>
  sse({
    type: 'message_start',
    message: {
      id: `msg_${k}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: 10,
        output_tokens: 1,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    },
  });

export const end = (reason) =>
  sse({
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 20 },
  }) + sse({ type: 'message_stop' });

const blockStart = (index, content_block) => sse({ type: 'content_block_start', index, content_block });
const delta = (index, content) => sse({ type: 'content_block_delta', index, delta: content });
const blockStop = (index) => sse({ type: 'content_block_stop', index });

export const textStart = (index) => blockStart(index, { type: 'text', text: '' });
export const textDelta = (index, text) => delta(index, { type: 'text_delta', text });
export const toolStart = (index, id, name) => blockStart(index, { type: 'tool_use', id, name, input: {} });
export const inputDelta = (index, partial_json) => delta(index, { type: 'input_json_delta', partial_json });
export { blockStop as stop };

export const text = (index, words) => textStart(index) + textDelta(index, words) + blockStop(index);
export const toolUse = (index, id, name, input) =>
  toolStart(index, id, name) + inputDelta(index, JSON.stringify(input)) + blockStop(index);
export const done = (k) => start(k) + text(0, 'Done.') + end('end_turn');
