// pi-agent-core with pi-ai, version 1; needs Node 22.19. The last one for Node 20 is `pi`.
let Agent;
let models;

export async function load() {
  const [agents, { createModels }, { anthropicProvider }] = await Promise.all([
    import('../peers/node_modules/@earendil-works/pi-agent-core/dist/index.js'),
    import('../peers/node_modules/@earendil-works/pi-ai/dist/index.js'),
    import('../peers/node_modules/@earendil-works/pi-ai/dist/providers/anthropic.js'),
  ]);
  ({ Agent } = agents);
  models = createModels();
  models.setProvider(anthropicProvider());
  return run;
}

async function run({ baseUrl, tools, history, onDelta }) {
  const model = { ...models.getModel('anthropic', 'claude-sonnet-4-6'), baseUrl };
  const usage = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  const agent = new Agent({
    streamFn: (asked, context, options) =>
      models.streamSimple(asked, context, { ...options, apiKey: 'bench' }),
    initialState: {
      systemPrompt: '',
      model,
      messages: history.map(({ role, text }, i) =>
        role === 'user'
          ? { role, content: text, timestamp: i }
          : {
              role,
              content: [{ type: 'text', text }],
              api: model.api,
              provider: model.provider,
              model: model.id,
              usage,
              stopReason: 'stop',
              timestamp: i,
            },
      ),
      tools: tools.map(({ name, description, jsonSchema, safe, run: execute }) => ({
        name,
        label: name,
        description,
        parameters: jsonSchema,
        executionMode: safe ? 'parallel' : 'sequential',
        execute: async (_id, input) => ({
          content: [{ type: 'text', text: await execute(input) }],
          details: {},
        }),
      })),
    },
  });
  let text = '';
  agent.subscribe((event) => {
    if (event.type === 'message_start') text = '';
    if (event.type !== 'message_update') return;
    const { type, delta } = event.assistantMessageEvent;
    if (type === 'text_delta') text += delta;
    if (type === 'text_delta' || type === 'toolcall_delta') onDelta(delta);
  });
  await agent.prompt('Go.');
  if (agent.state.errorMessage) throw new Error(agent.state.errorMessage);
  return text;
}
