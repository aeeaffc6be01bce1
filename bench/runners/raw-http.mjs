// The practical floor: a hand-written loop on node:http with keep-alive; every message is serialised once.
import http from 'node:http';
import { startInOrder } from './start-in-order.mjs';

// One for the process, as sessions that run side by side would share it.
const agent = new http.Agent({ keepAlive: true });

export async function load() {
  return run;
}

async function run({ baseUrl, tools, history, onDelta }) {
  const byName = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
  const url = new URL(`${baseUrl}/v1/messages`);
  const wireTools = JSON.stringify(tools.map(({ name, jsonSchema }) => ({ name, input_schema: jsonSchema })));
  const head = Buffer.from(
    `{"model":"claude-sonnet-5","max_tokens":8000,"stream":true,"tools":${wireTools},"messages":[`,
  );
  const tail = Buffer.from(']}');
  const comma = Buffer.from(',');
  const parts = [head];
  let size = head.length + tail.length;
  const add = (message) => {
    const bytes = Buffer.from(JSON.stringify(message));
    if (parts.length > 1) {
      parts.push(comma);
      size++;
    }
    parts.push(bytes);
    size += bytes.length;
  };
  for (const { role, text } of history) add({ role, content: text });
  add({ role: 'user', content: 'Go.' });
  for (;;) {
    const queue = startInOrder(byName);
    const blocks = [];
    let open;
    await post(url, Buffer.concat([...parts, tail], size), (event) => {
      if (event.type === 'content_block_start')
        open = { ...event.content_block, json: '', text: event.content_block.text ?? '' };
      else if (event.type === 'content_block_delta') {
        onDelta(event.delta);
        if (event.delta.type === 'input_json_delta') open.json += event.delta.partial_json;
        else open.text += event.delta.text;
      } else if (event.type === 'content_block_stop') {
        if (open.type === 'tool_use') {
          const input = JSON.parse(open.json || '{}');
          blocks.push({ type: 'tool_use', id: open.id, name: open.name, input });
          queue.add(open.id, open.name, input);
        } else blocks.push({ type: 'text', text: open.text });
      }
    });
    add({ role: 'assistant', content: blocks });
    if (queue.running.length === 0) return blocks.at(-1)?.text;
    add({ role: 'user', content: await Promise.all(queue.running) });
  }
}

function post(url, body, onEvent) {
  return new Promise((resolve, reject) => {
    const request = http.request(
      url,
      {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': body.length },
      },
      (response) => {
        response.setEncoding('utf8');
        let buffer = '';
        response.on('data', (chunk) => {
          buffer += chunk;
          let from = 0;
          for (let at = buffer.indexOf('\n\n'); at >= 0; at = buffer.indexOf('\n\n', from)) {
            const line = buffer.slice(buffer.indexOf('data: ', from) + 6, at);
            from = at + 2;
            onEvent(JSON.parse(line));
          }
          buffer = buffer.slice(from);
        });
        response.on('end', resolve);
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
