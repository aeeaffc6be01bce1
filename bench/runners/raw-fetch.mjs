// What most people would write first: fetch, and the whole body serialised each time.
import { startInOrder } from './start-in-order.mjs';

export async function load() {
  return run;
}

async function run({ baseUrl, tools, history, onDelta }) {
  const byName = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
  const messages = history.map(({ role, text }) => ({ role, content: text }));
  messages.push({ role: 'user', content: 'Go.' });
  const wireTools = tools.map(({ name, jsonSchema }) => ({ name, input_schema: jsonSchema }));
  for (;;) {
    const response = await fetch(`${baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'claude-sonnet-5',
        max_tokens: 8000,
        stream: true,
        tools: wireTools,
        messages,
      }),
    });
    const blocks = [];
    const queue = startInOrder(byName);
    let open;
    let buffer = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      buffer += decoder.decode(chunk, { stream: true });
      let from = 0;
      for (let at = buffer.indexOf('\n\n'); at >= 0; at = buffer.indexOf('\n\n', from)) {
        const event = JSON.parse(buffer.slice(buffer.indexOf('data: ', from) + 6, at));
        from = at + 2;
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
      }
      buffer = buffer.slice(from);
    }
    messages.push({ role: 'assistant', content: blocks });
    if (queue.running.length === 0) return blocks.at(-1)?.text;
    messages.push({ role: 'user', content: await Promise.all(queue.running) });
  }
}
