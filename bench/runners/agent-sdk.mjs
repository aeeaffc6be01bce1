// The Claude Agent SDK: a native binary per session, our tools over its pipe.
import { tmpdir } from 'node:os';
import { temporaryHome } from '../temporary-home.mjs';

export const startsProcesses = true;
export const processPerSession = true;
let sdk;
let zod;

export async function callersImports() {
  zod = await import('../peers/node_modules/zod/index.js');
}

export async function load() {
  sdk = await import('../peers/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs');
  return run;
}

function optionsFor(baseUrl, home) {
  return {
    // Sessions are found by folder: one that outlives the copy of the home.
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH,
      HOME: home,
      CLAUDE_CONFIG_DIR: home,
      ANTHROPIC_BASE_URL: baseUrl,
      ANTHROPIC_API_KEY: 'bench',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Its sandboxed permission mode is refused to root otherwise.
      IS_SANDBOX: '1',
    },
    model: 'claude-sonnet-5',
    settingSources: [],
  };
}

async function run({ baseUrl, tools, prepared, onDelta }) {
  const { z } = zod;
  const home = prepared?.folder ?? temporaryHome();
  const server = sdk.createSdkMcpServer({
    name: 'bench',
    tools: tools.map(({ name, description, field, safe, run: execute }) =>
      sdk.tool(
        name,
        description,
        field ? { [field[0]]: z[field[1]]() } : {},
        async (input) => ({ content: [{ type: 'text', text: await execute(input) }] }),
        { annotations: { readOnlyHint: safe } },
      ),
    ),
  });
  let text;
  for await (const message of sdk.query({
    prompt: 'Go.',
    options: {
      ...optionsFor(baseUrl, home),
      ...(prepared && { resume: prepared.sessionId }),
      mcpServers: { bench: server },
      tools: [],
      allowedTools: tools.map(({ name }) => `mcp__bench__${name}`),
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      includePartialMessages: true,
    },
  })) {
    if (message.type === 'stream_event' && message.event.type === 'content_block_delta')
      onDelta(message.event.delta);
    if (message.type === 'result') text = message.result ?? message.errors?.join();
  }
  return text;
}

/** Has the conversation of W2 once, so that its session can be resumed. Returns what `run` gets as `prepared`. */
export async function prepare({ baseUrl, folder, exchanges, promptText }) {
  const { query } = await import('../peers/node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs');
  const { haveConversation } = await import('../conversation.mjs');
  const options = { ...optionsFor(baseUrl, folder), tools: [], permissionMode: 'default' };
  const sessionId = await haveConversation(query, { options, exchanges, promptText });
  return { folder, sessionId };
}
