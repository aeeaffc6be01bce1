// A Messages API in a process of its own. It notes when each request arrived and when each last byte left, and whether
// each request carries the results it owes. Usage: node bench/simulator.mjs '<plan as JSON>'; prints its port as the
// first line; GET /stats tells what it saw. A first path segment (`/s7/v1/messages`) names a session of its own.
import http from 'node:http';
import { now } from './now.mjs';
import { PLANS } from './plans.mjs';

const plan = JSON.parse(process.argv[2]);
const sessions = new Map();
/** Requests beside the loop: a title, a count, a warm-up. */
let side = 0;
let unstreamed = 0;
let missing = 0;
let firstBytesOnWire = 0;
let lastBytesOnWire = 0;

function sessionOf(url) {
  const [, name] = /^\/(s\d+)\//.exec(url) ?? [undefined, 's0'];
  let session = sessions.get(name);
  if (session === undefined) {
    session = { arrivals: [], lastBytes: [], blocks: [], owed: [], names: new Map() };
    sessions.set(name, session);
  }
  return session;
}

/** The tool's name as the runner offers it, e.g. `mcp__bench__noop`. */
function offered(session, body, name) {
  let full = session.names.get(name);
  if (full === undefined) {
    full = new RegExp(`"name":"([^"]*${name})"`).exec(body.toString())?.[1] ?? name;
    session.names.set(name, full);
  }
  return full;
}

function stats() {
  const [first] = sessions.values();
  const all = [...sessions.values()];
  return {
    requests: all.reduce((sum, session) => sum + session.arrivals.length, 0),
    missing,
    side,
    unstreamed,
    firstBytesOnWire,
    lastBytesOnWire,
    arrivals: first?.arrivals ?? [],
    lastBytes: first?.lastBytes ?? [],
    gaps: first?.arrivals.slice(1).map((at, k) => at - first.lastBytes[k]) ?? [],
    blocks: first?.blocks ?? [],
    firstArrival: Math.min(...all.map((session) => session.arrivals[0])),
    lastByte: Math.max(...all.map((session) => session.lastBytes.at(-1))),
  };
}

const server = http.createServer((request, response) => {
  const arrived = now();
  if (request.url === '/stats') return void response.end(JSON.stringify(stats()));
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => answer(request, response, Buffer.concat(chunks), arrived));
});

function answer(request, response, body, arrived) {
  if (request.method !== 'POST' || !/\/messages(\?|$)/.test(request.url)) {
    response.setHeader('content-type', 'application/json');
    return void response.end('{"input_tokens":10}');
  }
  if (!body.includes('"stream":true')) unstreamed++;
  // The loop's own requests offer our tools; a threaded one says so instead.
  if (plan.kind !== 'talk' && !body.includes('noop') && !body.includes('"thread"')) {
    side++;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    return void PLANS.turns({ turns: 0 }, 0, response, {});
  }
  const session = sessionOf(request.url);
  const k = session.arrivals.push(arrived) - 1;
  if (k === 0) firstBytesOnWire = body.length;
  lastBytesOnWire = body.length;
  missing += session.owed.filter((id) => !body.includes(id)).length;
  session.owed = [];
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${k}` });
  const { end } = response;
  response.end = (...last) => {
    end.apply(response, last);
    session.lastBytes[k] = now();
  };
  void PLANS[plan.kind](plan, k, response, {
    seen: session,
    offered: (name) => offered(session, body, name),
    issue: (id) => {
      session.owed.push(id);
      return id;
    },
  });
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', 4096, () => console.log(server.address().port));
process.on('disconnect', () => process.exit(0));
