// What most people would write first: fetch, and the whole body serialised each time.
export async function run({ baseUrl, tools }) {
  const messages = [{ role: 'user', content: 'Go.' }];
  const wireTools = Object.keys(tools).map((name) => ({ name, input_schema: { type: 'object' } }));
  let deltas = 0;
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
    const running = [];
    let open;
    let buffer = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      buffer += decoder.decode(chunk, { stream: true });
      for (let at = buffer.indexOf('\n\n'); at >= 0; at = buffer.indexOf('\n\n')) {
        const event = JSON.parse(buffer.slice(buffer.indexOf('data: ') + 6, at));
        buffer = buffer.slice(at + 2);
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
            running.push(tools[open.name](input));
          } else blocks.push({ type: 'text', text: open.text });
        }
      }
    }
    messages.push({ role: 'assistant', content: blocks });
    if (running.length === 0) return { text: blocks.at(-1)?.text, deltas };
    const contents = await Promise.all(running);
    const ids = blocks.filter((block) => block.type === 'tool_use').map((block) => block.id);
    messages.push({
      role: 'user',
      content: contents.map((content, i) => ({ type: 'tool_result', tool_use_id: ids[i], content })),
    });
  }
}
