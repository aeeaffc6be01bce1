// What both versions of pi's runner share: a session of pi-agent-core, and its history in pi's form.

/** `model` and `asking` differ between the versions: where a model comes from, and how it gets its key. */
export async function runAgent(Agent, model, asking, { tools, history, onDelta }) {
  const usage = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  const agent = new Agent({
    ...asking,
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
