// LangChain's createAgent, which is a graph of LangGraph.
let langchain;
let ChatAnthropic;

export async function load() {
  [langchain, { ChatAnthropic }] = await Promise.all([
    import('../peers/node_modules/langchain/dist/index.js'),
    import('../peers/node_modules/@langchain/anthropic/dist/index.js'),
  ]);
  return run;
}

async function run({ baseUrl, tools, history, onDelta }) {
  const agent = langchain.createAgent({
    model: new ChatAnthropic({
      model: 'claude-sonnet-5',
      anthropicApiUrl: baseUrl,
      apiKey: 'bench',
      maxTokens: 8000,
      streaming: true,
    }),
    tools: tools.map(({ name, description, jsonSchema, run: execute }) =>
      langchain.tool(execute, { name, description, schema: jsonSchema }),
    ),
  });
  const messages = history.map(({ role, text }) => ({ role, content: text }));
  messages.push({ role: 'user', content: 'Go.' });
  const stream = await agent.stream({ messages }, { streamMode: 'messages', recursionLimit: 10_000 });
  let text = '';
  let id;
  for await (const [chunk] of stream) {
    if (chunk.getType() !== 'ai') continue;
    if (chunk.id !== id) {
      id = chunk.id;
      text = '';
    }
    if (chunk.text !== '' || chunk.tool_call_chunks?.some(({ args }) => args)) {
      text += chunk.text;
      onDelta(chunk);
    }
  }
  return text;
}
