// Mastra's Agent with the AI SDK's provider.
let Agent;
let createTool;
let createAnthropic;
let zod;

export async function callersImports() {
  zod = await import('../peers/node_modules/zod/index.js');
}

export async function load() {
  [{ Agent }, { createTool }, { createAnthropic }] = await Promise.all([
    import('../peers/node_modules/@mastra/core/dist/agent/index.js'),
    import('../peers/node_modules/@mastra/core/dist/tools/index.js'),
    import('../peers/node_modules/@ai-sdk/anthropic/dist/index.js'),
  ]);
  return run;
}

async function run({ baseUrl, tools, history, onDelta }) {
  const { z } = zod;
  const agent = new Agent({
    id: 'bench',
    name: 'bench',
    instructions: 'Use the tools.',
    model: createAnthropic({ baseURL: `${baseUrl}/v1`, apiKey: 'bench' })('claude-sonnet-5'),
    tools: Object.fromEntries(
      tools.map(({ name, description, field, run: execute }) => [
        name,
        createTool({
          id: name,
          description,
          inputSchema: z.object(field ? { [field[0]]: z[field[1]]() } : {}),
          execute: async (input) => execute(input),
        }),
      ]),
    ),
  });
  const messages = history.map(({ role, text }) => ({ role, content: text }));
  messages.push({ role: 'user', content: 'Go.' });
  const stream = await agent.stream(messages, { maxSteps: 2000, modelSettings: { maxOutputTokens: 8000 } });
  let text = '';
  for await (const { type, payload } of stream.fullStream) {
    if (type === 'step-start') text = '';
    else if (type === 'text-delta') {
      text += payload.text;
      onDelta(payload);
    } else if (type === 'tool-call-delta') onDelta(payload);
    else if (type === 'error') throw payload.error;
  }
  return text;
}
