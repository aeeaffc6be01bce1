// Vercel's AI SDK: ToolLoopAgent.
let ai;
let createAnthropic;

export async function load() {
  [ai, { createAnthropic }] = await Promise.all([
    import('../peers/node_modules/ai/dist/index.js'),
    import('../peers/node_modules/@ai-sdk/anthropic/dist/index.js'),
  ]);
  return run;
}

async function run({ baseUrl, tools, history, onDelta }) {
  const agent = new ai.ToolLoopAgent({
    model: createAnthropic({ baseURL: `${baseUrl}/v1`, apiKey: 'bench' })('claude-sonnet-5'),
    maxOutputTokens: 8000,
    stopWhen: ai.isLoopFinished(),
    tools: Object.fromEntries(
      tools.map(({ name, description, jsonSchema, run: execute }) => [
        name,
        ai.tool({ description, inputSchema: ai.jsonSchema(jsonSchema), execute }),
      ]),
    ),
  });
  const messages = history.map(({ role, text }) => ({ role, content: text }));
  messages.push({ role: 'user', content: 'Go.' });
  const result = await agent.stream({ messages });
  let text = '';
  for await (const part of result.fullStream) {
    if (part.type === 'start-step') text = '';
    else if (part.type === 'text-delta') {
      text += part.text;
      onDelta(part);
    } else if (part.type === 'tool-input-delta') onDelta(part);
    else if (part.type === 'error') throw part.error;
  }
  return text;
}
