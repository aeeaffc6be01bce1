// The practical floor: a hand-written loop on node:http with keep-alive; every message is serialised once.
import http from 'node:http';

export async function run({ baseUrl, tools }) {
  const agent = new http.Agent({ keepAlive: true });
  const url = new URL(`${baseUrl}/v1/messages`);
  const wireTools = JSON.stringify(
    Object.keys(tools).map((name) => ({ name, input_schema: { type: 'object' } })),
  );
  const messages = ['{"role":"user","content":"Go."}'];
  let deltas = 0;
  for (;;) {
    const body = `{"model":"claude-sonnet-5","max_tokens":8000,"stream":true,"tools":${wireTools},"messages":[${messages.join(',')}]}`;
    const running = [];
    const blocks = [];
    let open;
    await post(agent, url, body, (event) => {
      if (event.type === 'content_block_start')
        open = { ...event.content_block, json: '', text: event.content_block.text ?? '' };
      else if (event.type === 'content_block_delta') {
        deltas++;
        if (event.delta.type === 'input_json_delta') open.json += event.delta.partial_json;
        else open.text += event.delta.text;
      } else if (event.type === 'content_block_stop') {
        if (open.type === 'tool_use') {
          const input = JSON.parse(open.json || '{}');
          blocks.push({ type: 'tool_use', id: open.id, name: open.name, input });
          const { id } = open;
          running.push(
            Promise.resolve(tools[open.name](input)).then((content) => ({
              type: 'tool_result',
              tool_use_id: id,
              content,
            })),
          );
        } else blocks.push({ type: 'text', text: open.text });
      }
    });
    messages.push(JSON.stringify({ role: 'assistant', content: blocks }));
    if (running.length === 0) {
      agent.destroy();
      return { text: blocks.at(-1)?.text, deltas };
    }
    messages.push(JSON.stringify({ role: 'user', content: await Promise.all(running) }));
  }
}

function post(agent, url, body, onEvent) {
  return new Promise((resolve, reject) => {
    const request = http.request(
      url,
      {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        response.setEncoding('utf8');
        let buffer = '';
        response.on('data', (chunk) => {
          buffer += chunk;
          for (let at = buffer.indexOf('\n\n'); at >= 0; at = buffer.indexOf('\n\n')) {
            const line = buffer.slice(buffer.indexOf('data: ') + 6, at);
            buffer = buffer.slice(at + 2);
            onEvent(JSON.parse(line));
          }
        });
        response.on('end', resolve);
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
