// Turnwright through its public door, as an embedder would: persistence at its default, partial messages on.
import { tmpdir } from 'node:os';
import { temporaryHome } from '../temporary-home.mjs';

let zod;
let turnwright;

/** `tool()` takes shapes of the caller's own zod. */
export async function callersImports() {
  zod = await import('zod');
}

/** Without the built-in tools, as the other runners have none. */
export const load = () => loadWith({ tools: [] });

/** `offered`: options that say which built-in tools a request offers. */
export async function loadWith(offered) {
  turnwright = await import('turnwright');
  return (input) => run(input, offered);
}

const cwd = tmpdir();

/** One for the process, as sessions that run side by side would share it. */
let ownHome;

async function run({ baseUrl, tools, prepared, onDelta }, offered) {
  const { createSdkMcpServer, query, tool } = turnwright;
  const { z } = zod;
  if (prepared === undefined) ownHome ??= temporaryHome();
  const home = prepared?.folder ?? ownHome;
  const server = createSdkMcpServer({
    name: 'bench',
    tools: tools.map(({ name, description, safe, field, run: handler }) =>
      tool(
        name,
        description,
        field ? { [field[0]]: z[field[1]]() } : {},
        async (input) => ({ content: [{ type: 'text', text: await handler(input) }] }),
        { annotations: { readOnlyHint: safe } },
      ),
    ),
  });
  let text;
  for await (const message of query({
    prompt: 'Go.',
    options: {
      cwd,
      env: { ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: 'bench', TURNWRIGHT_HOME: home },
      model: 'claude-sonnet-5',
      mcpServers: { bench: server },
      ...offered,
      allowedTools: tools.map(({ name }) => `mcp__bench__${name}`),
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      includePartialMessages: true,
      // A history of 4 MB is close to the window, and would be condensed; this one is to be sent.
      ...(prepared && {
        resume: prepared.sessionId,
        engine: { modelOverrides: { 'claude-sonnet-5': { contextWindow: 10_000_000 } } },
      }),
    },
  })) {
    if (message.type === 'stream_event' && message.event.type === 'content_block_delta')
      onDelta(message.event.delta);
    if (message.type === 'result') text = message.result;
  }
  return text;
}

/** Has the conversation of W2 once, so that its session can be resumed. Returns what `run` gets as `prepared`. */
export async function prepare({ baseUrl, folder, exchanges, promptText }) {
  const { query } = await import('turnwright');
  const { haveConversation } = await import('../conversation.mjs');
  const options = {
    cwd,
    env: { ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: 'bench', TURNWRIGHT_HOME: folder },
    model: 'claude-sonnet-5',
    tools: ['Read'],
    engine: { modelOverrides: { 'claude-sonnet-5': { contextWindow: 10_000_000 } } },
  };
  const sessionId = await haveConversation(query, { options, exchanges, promptText });
  return { folder, sessionId };
}
