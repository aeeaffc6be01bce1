// pi-agent-core with pi-ai.
import { runAgent } from './pi-session.mjs';

let Agent;
let getModel;

export async function load() {
  [{ Agent }, { getModel }] = await Promise.all([
    import('../peers/node_modules/@mariozechner/pi-agent-core/dist/index.js'),
    import('../peers/node_modules/@mariozechner/pi-ai/dist/index.js'),
  ]);
  return run;
}

function run(input) {
  const model = { ...getModel('anthropic', 'claude-sonnet-4-5'), baseUrl: input.baseUrl };
  return runAgent(Agent, model, { getApiKey: () => 'bench' }, input);
}
