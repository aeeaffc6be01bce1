// A Messages API in a process of its own: zero latency, and a note of when each request arrived and when each last byte left.
// Usage: node bench/simulator.mjs <workload> <iterations>; prints its port as the first line; GET /stats tells what it saw.
import http from 'node:http';

const [, , workload, count] = process.argv;
const iterations = Number(count);
const seen = { arrivals: [], lastBytes: [], bodies: 0, lastBody: '', blocks: [] };

const sse = (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const start = (k) =>
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
const toolUse = (index, id, name, input) =>
  sse({ type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } }) +
  sse({
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
  }) +
  sse({ type: 'content_block_stop', index });
const text = (index, words) =>
  sse({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } }) +
  words
    .map((word) => sse({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: word } }))
    .join('') +
  sse({ type: 'content_block_stop', index });
const end = (reason) =>
  sse({
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 20 },
  }) + sse({ type: 'message_stop' });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The tool's name as the runner offers it: engines prefix the names of in-process servers. */
const offered = (name) => new RegExp(`"name":"([^"]*${name})"`).exec(seen.lastBody)?.[1] ?? name;

/** W1: one trivial call per iteration. */
function w1(k, response) {
  response.end(
    start(k) +
      (k < iterations
        ? toolUse(0, `toolu_${k}`, offered('noop'), { n: k }) + end('tool_use')
        : text(0, ['Done.']) + end('end_turn')),
  );
}

/** W3: six calls 300 ms apart, then a text tail of one second. */
async function w3(k, response) {
  if (k > 0) return response.end(start(k) + text(0, ['Done.']) + end('end_turn'));
  response.write(start(k));
  for (let i = 0; i < 6; i++) {
    await sleep(300);
    response.write(toolUse(i, `toolu_${i}`, offered('slow'), { i }));
    seen.blocks.push(performance.timeOrigin + performance.now());
  }
  await sleep(1000);
  response.end(text(6, ['Waiting', ' for tools.']) + end('tool_use'));
}

const server = http.createServer((request, response) => {
  if (request.url === '/stats') {
    const results = (seen.lastBody.match(/"tool_result"/g) ?? []).length;
    const gaps = seen.arrivals.slice(1).map((at, k) => at - seen.lastBytes[k]);
    response.end(
      JSON.stringify({
        requests: seen.arrivals.length,
        results,
        gaps,
        first: seen.arrivals[0],
        last: seen.lastBytes.at(-1),
        blocks: seen.blocks,
      }),
    );
    return;
  }
  if (request.method !== 'POST') return void response.end();
  const k = seen.arrivals.push(performance.timeOrigin + performance.now()) - 1;
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    seen.lastBody = Buffer.concat(chunks).toString();
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${k}` });
    response.on('finish', () => {
      seen.lastBytes[k] = performance.timeOrigin + performance.now();
    });
    if (workload === 'W3') w3(k, response);
    else w1(k, response);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('disconnect', () => process.exit(0));
