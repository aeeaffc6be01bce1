// A stdio server with a tool for everything that can happen. `LOG` names a file in which it notes what it was asked.

import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, statSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

const log = (line) => process.env.LOG && appendFileSync(process.env.LOG, `${line}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
log(`start ${process.pid}`);

const server = new Server(
  { name: 'toolbox', version: '1.2.3' },
  {
    capabilities: { tools: { listChanged: true }, resources: {}, prompts: { listChanged: true } },
    instructions: process.env.INSTRUCTIONS,
  },
);
const extra = [];
/** By name, laid over what is listed. `CHANGED` is JSON of the same. */
const changed = JSON.parse(process.env.CHANGED ?? '{}');

const tools = {
  echo: {
    annotations: { readOnlyHint: true },
    run: ({ text: said }, { _meta }) => ({
      ...text(said),
      structuredContent: { said, id: _meta?.['claudecode/toolUseId'] },
    }),
  },
  touch: { annotations: { idempotentHint: true, destructiveHint: true }, run: () => text('touched') },
  picture: { run: () => ({ content: [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }] }) },
  mixed: {
    run: () => ({
      content: [
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'resource_link', name: 'notes', uri: 'memo://notes' },
        { type: 'resource', resource: { uri: 'memo://one', text: 'one' } },
      ],
    }),
  },
  fail: { run: () => ({ ...text('it did not work'), isError: true }) },
  refuse: {
    run: () => {
      throw new McpError(-32602, 'no such thing');
    },
  },
  finish: { run: () => ({ ...text('done'), _meta: { 'claude/endTurn': true } }) },
  die: {
    async run() {
      process.stderr.write('about to die\n');
      await pause(20);
      process.exit(3);
    },
  },
  gate: {
    // With `steps`, one message of progress for each byte of that file.
    async run({ file, quiet, steps }, { signal, sendProgress }) {
      for (let n = 1; !existsSync(file); ) {
        if (signal.aborted) return text('cancelled');
        if (!quiet && (steps === undefined || statSync(steps).size >= n)) await sendProgress(n++);
        await pause(10);
      }
      return text('open');
    },
  },
  large: { run: ({ chars }) => text('x'.repeat(chars)) },
  grow: {
    async run({ name }) {
      extra.push(name);
      await server.sendToolListChanged();
      return text('grown');
    },
  },
  change: {
    async run({ name, ...fields }) {
      changed[name] = fields;
      await server.sendToolListChanged();
      return text('changed');
    },
  },
  complete: {
    async run({ elicitationId }) {
      await server.notification({ method: 'notifications/elicitation/complete', params: { elicitationId } });
      return text('complete');
    },
  },
  roots: { run: async () => text(JSON.stringify(await server.listRoots())) },
  ask: {
    run: async ({ params }) => text(JSON.stringify(await server.elicitInput(params))),
  },
  spawn: {
    run: () => {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      return text(String(child.pid));
    },
  },
  environment: { run: ({ name }) => text(String(process.env[name])) },
};

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [...Object.entries(tools), ...extra.map((name) => [name, {}])].map(([name, { annotations }]) => ({
    name,
    description: `What ${name} does`,
    inputSchema: { type: 'object' },
    ...(annotations && { annotations }),
    ...changed[name],
  })),
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }, call) => {
  log(`call ${params.name}`);
  const token = params._meta?.progressToken;
  return tools[params.name].run(params.arguments ?? {}, {
    ...call,
    sendProgress: async (progress) =>
      token !== undefined &&
      server.notification({
        method: 'notifications/progress',
        params: { progressToken: token, progress, message: 'still here' },
      }),
  });
});
const onCancelled = server._oncancel.bind(server);
server.setNotificationHandler(CancelledNotificationSchema, (notification) => {
  log('cancelled');
  return onCancelled(notification);
});
server.setRequestHandler(ListResourcesRequestSchema, () => ({
  resources: [{ name: 'notes', uri: 'memo://notes', mimeType: 'text/plain' }],
}));
server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => {
  if (params.uri === 'ui://card')
    return { contents: [{ uri: params.uri, mimeType: 'text/html', text: '<p>Card</p>' }] };
  if (params.uri !== 'memo://notes') throw new McpError(-32002, 'no such resource');
  return { contents: [{ uri: params.uri, text: 'remember the milk' }] };
});
server.setRequestHandler(ListPromptsRequestSchema, () => ({
  prompts: [
    {
      name: 'greet',
      description: 'Greets somebody',
      arguments: [{ name: 'who', required: true }, { name: 'how' }],
    },
  ],
}));
server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
  messages: [
    {
      role: 'user',
      content: { type: 'text', text: `Greet ${params.arguments?.who} ${params.arguments?.how ?? ''}` },
    },
  ],
}));
await server.connect(new StdioServerTransport());
