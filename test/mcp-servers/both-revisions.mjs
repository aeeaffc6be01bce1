// A server of the published library: over its pipes, or over HTTP on the port that it is given. `LEGACY` is `reject` for one
// that speaks the revision 2026-07-28 alone, and `serve` for one that speaks those with a session too.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/v4';

const { LEGACY, PORT } = process.env;
const text = (value) => ({ content: [{ type: 'text', text: value }] });

function make({ era }) {
  const server = new McpServer({ name: 'published', version: '1.0.0' }, { instructions: 'Be kind.' });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text: said }) =>
    text(`${said} (${era})`),
  );
  server.registerTool('grow', { inputSchema: z.object({}) }, () => {
    server.registerTool('newcomer', { inputSchema: z.object({}) }, () => text('new'));
    handler?.notify.toolsChanged();
    return text('grown');
  });
  server.registerTool('ask', { inputSchema: z.object({}) }, (_input, ctx) => {
    const answered = ctx.mcpReq.inputResponses?.who;
    if (answered !== undefined) return text(JSON.stringify(answered));
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
    return inputRequired({
      inputRequests: { who: inputRequired.elicit({ message: 'Who?', requestedSchema }) },
    });
  });
  server.registerResource('note', 'memo://note', {}, (uri) => ({
    contents: [{ uri: uri.href, text: 'remember' }],
  }));
  server.registerPrompt('greet', { argsSchema: z.object({ who: z.string() }) }, ({ who }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${who}` } }],
  }));
  return server;
}

let handler;
if (PORT === undefined) {
  serveStdio(make, { legacy: LEGACY });
} else {
  handler = createMcpHandler(make, { legacy: LEGACY === 'reject' ? 'reject' : 'stateless' });
  createServer(toNodeHandler(handler)).listen(Number(PORT), '127.0.0.1');
}
