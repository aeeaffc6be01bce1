// The OpenAI Agents SDK, with the Messages API through its bridge to the AI SDK.
let agents;
let aisdk;
let createAnthropic;

export async function load() {
  [agents, { aisdk }, { createAnthropic }] = await Promise.all([
    import('../peers/node_modules/@openai/agents/dist/index.mjs'),
    import('../peers/node_modules/@openai/agents-extensions/dist/ai-sdk/index.mjs'),
    import('../peers/node_modules/@ai-sdk/anthropic/dist/index.js'),
  ]);
  agents.setTracingDisabled(true);
  return run;
}

async function run({ baseUrl, tools, history, onDelta }) {
  const agent = new agents.Agent({
    name: 'bench',
    instructions: 'Use the tools.',
    model: aisdk(createAnthropic({ baseURL: `${baseUrl}/v1`, apiKey: 'bench' })('claude-sonnet-5')),
    modelSettings: { maxTokens: 8000 },
    tools: tools.map(({ name, description, jsonSchema, run: execute }) =>
      agents.tool({
        name,
        description,
        parameters: { ...jsonSchema, additionalProperties: true },
        strict: false,
        execute,
      }),
    ),
  });
  const input = history.map(({ role, text }) =>
    role === 'user' ? agents.user(text) : agents.assistant(text),
  );
  input.push(agents.user('Go.'));
  const stream = await agents.run(agent, input, { stream: true, maxTurns: 5000 });
  for await (const { type, data } of stream) {
    if (type !== 'raw_model_stream_event') continue;
    if (data.type === 'output_text_delta') onDelta(data);
    else if (data.type === 'model' && data.event?.type === 'tool-input-delta') onDelta(data);
  }
  await stream.completed;
  return stream.finalOutput;
}
