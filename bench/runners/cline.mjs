// The Cline SDK: its stateless Agent, with tools of our own.
let cline;

export async function load() {
  cline = await import('../peers/node_modules/@cline/sdk/dist/index.js');
  return run;
}

async function run({ baseUrl, tools, history, onDelta }) {
  const agent = new cline.Agent({
    providerId: 'anthropic',
    modelId: 'claude-sonnet-5',
    apiKey: 'bench',
    baseUrl: `${baseUrl}/v1`,
    systemPrompt: 'Use the tools.',
    initialMessages: history.map(({ role, text }, i) => ({
      id: `history-${i}`,
      role,
      content: [{ type: 'text', text }],
      createdAt: i,
    })),
    tools: tools.map(({ name, description, jsonSchema, safe, run: execute }) =>
      cline.createTool({
        name,
        description,
        inputSchema: jsonSchema,
        executionMode: safe ? 'parallel' : 'sequential',
        execute: async (input) => execute(input),
      }),
    ),
  });
  agent.subscribe((event) => {
    if (event.type === 'assistant-text-delta') onDelta(event.text);
  });
  const { outputText, status, error } = await agent.run('Go.');
  if (status !== 'completed') throw error ?? new Error(`The run ended as ${status}.`);
  return outputText;
}
