// A server without a library that speaks one revision of the protocol, or several, or answers in ways of its own. Started,
// it speaks over its pipes; imported, it answers single messages. `LOG` names a file in which it notes what it was asked.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const NEW = '2026-07-28';
export const OLD = '2024-11-05';
const META = 'io.modelcontextprotocol/';

/** By the first argument: what the server speaks, and what it does with a request that it does not know. */
const SPEAKS = {
  new: [NEW],
  old: [OLD],
  both: [NEW, OLD],
  future: ['2027-01-01'],
  none: [],
  silent: [OLD],
  dies: [OLD],
  closes: [OLD],
  exits: [],
  'new-dies': [NEW],
};

const TOOLS = [
  { name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } },
  { name: 'ask', inputSchema: { type: 'object' } },
  { name: 'wait', inputSchema: { type: 'object' } },
  { name: 'odd', inputSchema: { type: 'object' } },
  {
    name: 'route',
    inputSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        deep: { type: 'object', properties: { size: { type: 'integer', 'x-mcp-header': 'Size' } } },
      },
    },
  },
  {
    name: 'misrouted',
    inputSchema: { type: 'object', properties: { a: { type: 'array', items: { 'x-mcp-header': 'A' } } } },
  },
];

const failure = (code, message, data) => ({ error: { code, message, ...(data && { data }) } });
const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** The reply to one message, without its id; undefined: there is none. `state` is that of the process or the session. */
export function answer(how, { method, params = {}, id }, state) {
  const speaks = SPEAKS[how] ?? SPEAKS.both;
  const meta = params._meta ?? {};
  const isNew = meta[`${META}protocolVersion`] !== undefined;
  if (id === undefined) {
    if (method === 'notifications/initialized') state.initialized = true;
    return undefined;
  }
  if (isNew && state.session === undefined && !speaks.includes(NEW)) {
    if (how === 'future')
      return failure(-32_022, 'Unsupported protocol version', { supported: speaks, requested: NEW });
    return failure(-32_601, `Method not found: ${method}`);
  }
  if (isNew && state.session === undefined) {
    if (meta[`${META}clientCapabilities`] === undefined) return failure(-32_602, 'No capabilities');
    const result = resultOf(how, method, params);
    if (result === undefined) return failure(-32_601, 'Method not found');
    if (result.error) return result;
    const _meta = { [`${META}serverInfo`]: { name: 'revisions', version: '1' } };
    return { result: { resultType: 'complete', _meta, ...result } };
  }
  if (method === 'initialize') {
    if (!speaks.includes(OLD)) return failure(-32_601, 'Method not found', { supported: speaks });
    state.session = OLD;
    const capabilities = { tools: {} };
    return {
      result: { protocolVersion: OLD, capabilities, serverInfo: { name: 'revisions', version: '1' } },
    };
  }
  if (method === 'ping') return { result: {} };
  if (state.session === undefined) return failure(-32_600, 'Not initialized');
  const result = resultOf(how, method, params);
  return result === undefined ? failure(-32_601, 'Method not found') : result.error ? result : { result };
}

function resultOf(how, method, params) {
  switch (method) {
    case 'server/discover':
      return {
        supportedVersions: SPEAKS[how],
        capabilities: { tools: { listChanged: how === 'both' } },
        instructions: 'Be kind.',
        ttlMs: 0,
        cacheScope: 'private',
      };
    case 'tools/list':
      return { tools: TOOLS, ttlMs: 0, cacheScope: 'private' };
    case 'tools/call':
      return called(params);
    default:
      return undefined;
  }
}

function called({ name, arguments: input = {}, inputResponses, requestState }) {
  switch (name) {
    case 'echo':
      return text(input.text ?? '');
    case 'ask': {
      const answered = inputResponses?.who;
      if (answered !== undefined) return text(JSON.stringify({ answered, requestState }));
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
      return {
        resultType: 'input_required',
        requestState: 'opaque',
        inputRequests: {
          who: { method: 'elicitation/create', params: { mode: 'form', message: 'Who?', requestedSchema } },
          where: { method: 'roots/list' },
        },
      };
    }
    case 'wait': {
      const round = Number(requestState ?? 0);
      return round >= (input.rounds ?? 2)
        ? text(`after ${round}`)
        : { resultType: 'input_required', requestState: String(round + 1) };
    }
    case 'odd':
      return { resultType: input.resultType, ...input.result };
    case 'route':
    case 'misrouted':
      return text(JSON.stringify(input));
    default:
      return failure(-32_602, `Unknown tool: ${name}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const how = process.argv[2];
  const log = (line) => process.env.LOG && appendFileSync(process.env.LOG, `${line}\n`);
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const state = {};
  let listening;
  log('start');
  if (how === 'exits') {
    process.stderr.write('fatal: no database\n');
    process.exit(1);
  }
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    log(message.method);
    if (message.method === 'subscriptions/listen' && SPEAKS[how]?.includes(NEW)) {
      listening = message.id;
      const subscription = { [`${META}subscriptionId`]: listening };
      send({
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta: subscription, notifications: message.params.notifications },
      });
      return;
    }
    if (message.method === 'tools/call' && message.params.name === 'echo' && listening !== undefined) {
      // The list grows with each call.
      TOOLS.push({ name: `more${TOOLS.length}`, inputSchema: { type: 'object' } });
      const _meta = { [`${META}subscriptionId`]: listening };
      send({ method: 'notifications/tools/list_changed', params: { _meta } });
    }
    const reply = answer(how, message, state);
    if (reply === undefined) return;
    if (reply.error?.code === -32_601) {
      if (how === 'silent') return;
      if (how === 'dies' || how === 'new-dies') process.exit(1);
      if (how === 'closes') {
        process.stdout.end();
        return;
      }
    }
    send({ id: message.id, ...reply });
  });
}
