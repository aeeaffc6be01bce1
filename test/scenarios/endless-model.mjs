// A Messages API in a process of its own that asks for the tool `fill` in every turn, sums up when it is asked to, and keeps
// nothing. In every n-th turn it also runs a command. Prints its address.
// Usage: node endless-model.mjs <turns> [n]
import http from 'node:http';

const turns = Number(process.argv[2]);
const commandEvery = Number(process.argv[3] ?? Number.POSITIVE_INFINITY);
/** Turns so far, by the path that is asked: each base URL is a session of its own. */
const taken = new Map();
let answers = 0;

const event = (type, fields) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

/** `blocks`: each with what its start holds, and its one delta. */
function answer(blocks, stopReason, inputTokens) {
  const message = {
    id: `msg_${++answers}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5',
    content: [],
  };
  const usage = { input_tokens: inputTokens, output_tokens: 10 };
  return [
    event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } }),
    ...blocks.flatMap(({ start, delta }, index) => [
      event('content_block_start', { index, content_block: start }),
      event('content_block_delta', { index, delta }),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', {
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: 10 },
    }),
    event('message_stop', {}),
  ].join('');
}

const text = (said, tokens) =>
  answer(
    [{ start: { type: 'text', text: '' }, delta: { type: 'text_delta', text: said } }],
    'end_turn',
    tokens,
  );

const call = (name, id, input) => ({
  start: { type: 'tool_use', id, name, input: {} },
  delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
});

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
      if (end.includes('<summary>')) return void response.end(text('What was done so far: filling.', tokens));
      const turn = (taken.get(request.url) ?? 0) + 1;
      taken.set(request.url, turn);
      if (turn > turns) return void response.end(text('Done.', tokens));
      const calls = [call(tool ?? 'fill', `toolu_${turn}`, { turn })];
      if (turn % commandEvery === 0)
        calls.push(call('Bash', `toolu_${turn}_command`, { command: 'echo done' }));
      response.end(answer(calls, 'tool_use', tokens));
    });
  })
  .listen(0, '127.0.0.1', function listening() {
    console.log(`http://127.0.0.1:${this.address().port}`);
  });
