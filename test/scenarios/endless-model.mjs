// A Messages API in a process of its own that asks for the tool `fill` in every turn, sums up when it is asked to, and keeps
// nothing. Prints its address. Usage: node endless-model.mjs <turns>
import http from 'node:http';

const turns = Number(process.argv[2]);
let turn = 0;

const event = (type, fields) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

function answer(block, start, delta, stopReason, inputTokens) {
  const message = {
    id: `msg_${turn}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5',
    content: [],
  };
  const usage = { input_tokens: inputTokens, output_tokens: 10 };
  return [
    event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } }),
    event('content_block_start', { index: 0, content_block: { ...block, ...start } }),
    event('content_block_delta', { index: 0, delta }),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: 10 },
    }),
    event('message_stop', {}),
  ].join('');
}

const text = (said, tokens) =>
  answer({ type: 'text' }, { text: '' }, { type: 'text_delta', text: said }, 'end_turn', tokens);

http
  .createServer((request, response) => {
    let bytes = 0;
    let end = Buffer.alloc(0);
    let tool;
    request.on('data', (chunk) => {
      bytes += chunk.length;
      tool ??= /"name":"([^"]*fill)"/.exec(chunk.toString('latin1'))?.[1];
      end = Buffer.concat([end, chunk]).subarray(-20_000);
    });
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const tokens = Math.ceil(bytes / 4);
      if (/summar/i.test(end.toString('latin1')))
        return void response.end(text('What was done so far: filling.', tokens));
      turn++;
      if (turn > turns) return void response.end(text('Done.', tokens));
      const use = { type: 'tool_use', id: `toolu_${turn}`, name: tool ?? 'fill' };
      const input = { type: 'input_json_delta', partial_json: JSON.stringify({ turn }) };
      response.end(answer(use, { input: {} }, input, 'tool_use', tokens));
    });
  })
  .listen(0, '127.0.0.1', function listening() {
    console.log(`http://127.0.0.1:${this.address().port}`);
  });
