// The vendor's client: beta.messages.toolRunner as it is by default, with the conversation kept on the server: each
// request carries only what is new.
let Anthropic;
let betaTool;

export async function load() {
  [{ Anthropic }, { betaTool }] = await Promise.all([
    import('../peers/node_modules/@anthropic-ai/sdk/index.mjs'),
    import('../peers/node_modules/@anthropic-ai/sdk/helpers/beta/json-schema.mjs'),
  ]);
  return run;
}

async function run({ baseUrl, tools, history, onDelta }) {
  const client = new Anthropic({ baseURL: baseUrl, apiKey: 'bench' });
  const messages = history.map(({ role, text }) => ({ role, content: text }));
  messages.push({ role: 'user', content: 'Go.' });
  const runner = client.beta.messages.toolRunner({
    model: 'claude-sonnet-5',
    max_tokens: 8000,
    messages,
    tools: tools.map(({ name, description, jsonSchema, run: execute }) =>
      betaTool({ name, description, inputSchema: jsonSchema, run: execute }),
    ),
    stream: true,
  });
  let text = '';
  for await (const stream of runner) {
    text = '';
    for await (const event of stream) {
      if (event.type !== 'content_block_delta') continue;
      if (event.delta.type === 'text_delta') text += event.delta.text;
      onDelta(event.delta);
    }
  }
  return text;
}
