// What a step costs a worker whose model answers over HTTP: 40 sessions of 10 iterations, each with a Read.
//   node bench/scale/step.mjs postgresql://…        of a new, empty database; needs a build (npm run build)
// Prints CPU of a step and bytes of an iteration, and in what the worker's time went, unless PROFILE is 0. With RUNNER=in-process
// without DBOS. NODE_OPTIONS are the worker's.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const [url, role] = process.argv.slice(2);
const SESSIONS = Number(process.env.SESSIONS ?? 40);
const ITERATIONS = Number(process.env.ITERATIONS ?? 10);
const STEPS = SESSIONS * (2 * ITERATIONS + 1);
const self = fileURLToPath(import.meta.url);

if (url === undefined) throw new Error('Give the URL of a new, empty database.');
if (role === 'worker') await work();
else if (role === 'model') serve();
else await measure();

async function work() {
  const { inProcessRunner, worker } = await import('../../dist/durable.js');
  const running = await worker({
    db: url,
    ...(process.env.RUNNER === 'in-process' && { runner: inProcessRunner() }),
    options: { model: 'claude-sonnet-4-5', settingSources: [], allowedTools: ['Read'] },
  });
  process.once('SIGTERM', () => void running.drain(1_000).then(() => process.exit(0)));
  console.log('ready');
}

/** The Messages API: a Read for each result that it has not seen yet, then text. */
function serve() {
  const event = (type, data) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { messages = [] } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
    const results = messages.flatMap(({ content }) =>
      Array.isArray(content) ? content.filter(({ type }) => type === 'tool_result') : [],
    ).length;
    const isLast = results >= ITERATIONS;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const message = {
      id: `msg_${results}_${Math.random()}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [],
    };
    const usage = { input_tokens: 100, output_tokens: 1 };
    const start = (index, content_block) => event('content_block_start', { index, content_block });
    const delta = (index, value) => event('content_block_delta', { index, delta: value });
    response.write(
      event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } }) +
        start(0, { type: 'text', text: '' }),
    );
    for (let at = 0; at < 10; at++)
      response.write(delta(0, { type: 'text_delta', text: `Words of part ${at}. ` }));
    response.write(event('content_block_stop', { index: 0 }));
    if (!isLast) {
      const id = `toolu_${results}_${Math.random().toString(36).slice(2)}`;
      response.write(
        start(1, { type: 'tool_use', id, name: 'Read', input: {} }) +
          delta(1, {
            type: 'input_json_delta',
            partial_json: JSON.stringify({ file_path: process.env.FILE }),
          }) +
          event('content_block_stop', { index: 1 }),
      );
    }
    response.end(
      event('message_delta', {
        delta: { stop_reason: isLast ? 'end_turn' : 'tool_use', stop_sequence: null },
        usage: { output_tokens: 60 },
      }) + event('message_stop', {}),
    );
  });
  server.listen(0, '127.0.0.1', () => console.log(`ready ${server.address().port}`));
}

async function measure() {
  const { durableClient, openDatabase, prepareDatabase } = await import('../../dist/durable.js');
  await prepareDatabase(url);
  const folder = mkdtempSync(join(tmpdir(), 'step-'));
  const file = join(folder, 'file.txt');
  writeFileSync(file, Array.from({ length: 40 }, (_, at) => `Line ${at} of a file that is read.`).join('\n'));
  const start = async (name, flags = [], env = {}) => {
    const child = spawn(process.execPath, [...flags, self, url, name], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, FILE: file, ITERATIONS: String(ITERATIONS), ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await new Promise((resolve) =>
      child.stdout.once('data', (data) => resolve([String(data)])),
    );
    return { child, port: line.split(' ')[1]?.trim() };
  };
  const model = await start('model');
  const flags = process.env.PROFILE === '0' ? [] : ['--cpu-prof', '--cpu-prof-dir', folder];
  const worker = await start('worker', flags, {
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.port}`,
    ANTHROPIC_API_KEY: 'key',
    RUNNER: process.env.RUNNER ?? '',
    NODE_OPTIONS: process.env.NODE_OPTIONS ?? '',
  });
  const client = durableClient(url);
  const database = await openDatabase({ url });
  const count = async () => {
    const [row] = await database.run(
      `select (select coalesce(sum(octet_length(body)), 0)::int from turnwright.journal) as bytes, pg_current_wal_lsn() - '0/0' as wal`,
    );
    return row;
  };
  const run = async (name, sessions) => {
    await Promise.all(Array.from({ length: sessions }, (_, at) => client.send(`${name}${at}`, 'Go.')));
    const isOver = async () =>
      (await database.run("select 1 from turnwright.sessions where state <> 'idle' limit 1")).length === 0;
    while (!(await isOver())) await sleep(50);
  };
  await run('warm', SESSIONS);
  const before = { ...(await count()), cpu: cpuMs(worker.child.pid), ms: performance.now() };
  await run('s', SESSIONS);
  const cpu = cpuMs(worker.child.pid) - before.cpu;
  const ms = performance.now() - before.ms;
  const after = await count();
  const each = (value) => Math.round(value / SESSIONS / ITERATIONS);
  console.log(
    `${SESSIONS} × ${ITERATIONS}: ${(ms / 1000).toFixed(1)} s, worker CPU ${(cpu / STEPS).toFixed(2)} ms a step`,
  );
  console.log(
    `an iteration: ${each(after.bytes - before.bytes)} bytes of journal, ${each(after.wal - before.wal)} of WAL`,
  );
  await client.close();
  await database.close();
  worker.child.kill('SIGTERM');
  await new Promise((resolve) => worker.child.once('exit', resolve));
  model.child.kill();
  const profile = readdirSync(folder).find((name) => name.endsWith('.cpuprofile'));
  if (profile !== undefined) takeApart(join(folder, profile));
}

/** ms that a process has computed. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Time by part of the program; that of Node itself counts for who called it, where there is one. */
function takeApart(path) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(path, 'utf8'));
  const self = new Map();
  for (const [at, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + timeDeltas[at]);
  const parentOf = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const places = new Map(nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const parts = new Map();
  let total = 0;
  for (const { id, callFrame } of nodes) {
    const time = self.get(id) ?? 0;
    if (callFrame.functionName === '(idle)' || time === 0) continue;
    total += time;
    let at = id;
    while (at !== undefined && partOf(places.get(at)) === undefined) at = parentOf.get(at);
    const part =
      callFrame.functionName === '(garbage collector)'
        ? 'garbage collection'
        : (partOf(places.get(at) ?? '') ?? 'Node: promises, streams, sockets, HTTP parser');
    parts.set(part, (parts.get(part) ?? 0) + time);
  }
  console.log('\nof the time of the worker, its start included');
  for (const [name, time] of [...parts].sort((a, b) => b[1] - a[1]))
    console.log(`${((100 * time) / total).toFixed(1).padStart(5)} %  ${name}`);
}

const PARTS = [
  ['model: HTTP, server-sent events, request body', /^src\/model\//],
  ['tools: Read, permissions, files', /^src\/(?:tools|permissions|shell|util\/files|hooks)\//],
  ['journal and stream: records, statements, messages for followers', /^src\/(?:session|durable)\//],
  ['loop: messages, context, decisions', /^src\/(?:loop|engine|context|sdk|util|protocol|view)\//],
  ['start of the process and of sessions', /^src\//],
  ['pg', /node_modules\/pg/],
  ['DBOS', /node_modules\/@dbos-inc/],
  ['other packages', /node_modules\//],
];

const partOf = (place) => PARTS.find(([, of]) => of.test(place))?.[0];

const maps = new Map();

/** In the sources, where the build has a map. */
function placeOf({ url: place, lineNumber, columnNumber }) {
  if (!place.startsWith('file:')) return place;
  const path = fileURLToPath(place);
  if (!maps.has(path))
    maps.set(
      path,
      existsSync(`${path}.map`) && new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8'))),
    );
  const source = (maps.get(path) || undefined)?.findEntry(lineNumber, columnNumber).originalSource;
  return source === undefined ? path : source.replace(/^.*?(?=src\/|node_modules\/)/, '');
}
