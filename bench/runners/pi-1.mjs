// pi-agent-core with pi-ai, version 1; needs Node 22.19. The last one for Node 20 is `pi`.
import { runAgent } from './pi-session.mjs';

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

function run(input) {
  const model = { ...models.getModel('anthropic', 'claude-sonnet-4-6'), baseUrl: input.baseUrl };
  const streamFn = (asked, context, options) =>
    models.streamSimple(asked, context, { ...options, apiKey: 'bench' });
  return runAgent(Agent, model, { streamFn }, input);
}
