// opencode: a server in a binary, driven by its own client. Its tools are a plugin, which runs in the server.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { now } from '../now.mjs';
import { processesOf } from '../process-tree.mjs';
import { temporaryHome } from '../temporary-home.mjs';
import { spans } from '../tools.mjs';

const MODEL = 'claude-sonnet-5';
const BIN = fileURLToPath(new URL('../peers/node_modules/.bin', import.meta.url));
let createOpencode;
let server;

export const startsProcesses = true;
export const slowFirstStart = true;

export async function load() {
  ({ createOpencode } = await import('../peers/node_modules/@opencode-ai/sdk/dist/index.js'));
  return run;
}

/** With it, everything opencode keeps is in this folder, and it asks nobody but the model. */
function environment(home) {
  const ours = Object.entries(process.env).filter(([name]) => !/^(XDG|OPENCODE)_/.test(name));
  return {
    ...Object.fromEntries(ours),
    HOME: home,
    USERPROFILE: home,
    // Where each start leaves a library.
    TMPDIR: home,
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    PATH: [BIN, process.env.PATH].join(delimiter),
  };
}

/** The folder of the work, in a home that is made where there is none. */
function projectIn(home) {
  const config = join(home, '.config', 'opencode');
  const project = join(home, 'project');
  if (existsSync(project)) return project;
  mkdirSync(project);
  // It would install the types of plugins, unless they are here.
  const root = { dependencies: { '@opencode-ai/plugin': '*' } };
  mkdirSync(join(config, 'node_modules'), { recursive: true });
  writeFileSync(join(config, 'package.json'), JSON.stringify(root));
  writeFileSync(join(config, 'package-lock.json'), JSON.stringify({ packages: { '': root } }));
  return project;
}

/** Of the sessions that are to begin, in their order: a server has one for a provider. */
const baseUrls = [];
const providerOf = (k) => (k === 0 ? 'anthropic' : `anthropic-${k}`);

/** What the sessions of this process share, once all of them are known: a server, and its events. */
let shared;

async function serve({ tools, prepared }) {
  const home = prepared?.folder ?? temporaryHome();
  const log = join(home, 'spans.jsonl');
  const query = { directory: projectIn(home) };
  const names = tools.map(({ name }) => name);
  // A history of 4 MB is close to the window, and would be condensed; this one is to be sent.
  const limit = { context: prepared?.sessionId ? 10_000_000 : 200_000, output: 8000 };
  const provider = baseUrls.map((baseURL, k) => [
    providerOf(k),
    {
      npm: '@ai-sdk/anthropic',
      options: { baseURL, apiKey: 'bench' },
      models: { [MODEL]: { name: 'bench', limit } },
    },
  ]);
  process.env = environment(home);
  const opencode = await createOpencode({
    port: 0,
    timeout: 60_000,
    config: {
      model: `anthropic/${MODEL}`,
      small_model: `anthropic/${MODEL}`,
      autoupdate: false,
      share: 'disabled',
      enabled_providers: provider.map(([id]) => id),
      provider: Object.fromEntries(provider),
      plugin: [[new URL('./opencode-plugin.mjs', import.meta.url).href, { tools: names, log }]],
      agent: {
        bench: {
          mode: 'primary',
          prompt: 'Use the tools.',
          permission: { '*': 'deny', ...Object.fromEntries(names.map((name) => [name, 'allow'])) },
        },
      },
    },
  });
  server = opencode.server;
  process.on('exit', () => server.close());
  const { client } = opencode;
  const { stream } = await client.event.subscribe({ query });
  // From `server.connected` on nothing is missed.
  await stream.next();
  const listeners = new Map();
  void dispatch(stream, listeners);
  return { client, query, listeners, log };
}

async function dispatch(stream, listeners) {
  for await (const { type, properties } of stream) {
    listeners.get(properties.sessionID ?? properties.part?.sessionID)?.(type, properties);
  }
}

async function run({ baseUrl, tools, prepared, onDelta, onCall }) {
  const k = baseUrls.push(`${baseUrl}/v1`) - 1;
  shared ??= Promise.resolve().then(() => serve({ tools, prepared }));
  const { client, query, listeners, log } = await shared;
  const id =
    prepared?.sessionId ??
    (await client.session.create({ query, body: { title: 'bench' }, throwOnError: true })).data.id;
  let text;
  let part;
  const ended = new Promise((resolve, reject) => {
    listeners.set(id, (type, properties) => {
      if (type === 'message.part.delta') {
        text = properties.partID === part ? text + properties.delta : properties.delta;
        part = properties.partID;
        onDelta(properties.delta);
      } else if (type === 'message.part.updated' && properties.part.type === 'tool') onCall();
      else if (type === 'session.error') reject(new Error(JSON.stringify(properties.error)));
      else if (type === 'session.idle') resolve();
    });
  });
  await client.session.promptAsync({
    query,
    path: { id },
    body: {
      model: { providerID: providerOf(k), modelID: MODEL },
      agent: 'bench',
      parts: [{ type: 'text', text: 'Go.' }],
    },
    throwOnError: true,
  });
  await ended;
  if (existsSync(log)) noteSpans(readFileSync(log, 'utf8'));
  return text;
}

/** The spans of the tools, in our time: the server's clock counts from its own start. */
function noteSpans(lines) {
  const toOurs = now() - (performance.timeOrigin + performance.now());
  const seen = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const { i, from, to } of seen.sort((a, b) => a.from - b.from))
    spans.push({ i, from: from + toOurs, to: to + toOurs });
}

export async function unload() {
  server.close();
  while (processesOf(process.pid).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Imports the conversation of W2 as a session that was exported. Returns what `run` gets as `prepared`. */
export async function prepare({ folder, history }) {
  const file = join(folder, 'session.json');
  const project = projectIn(folder);
  const sessionId = 'ses_00000000000000000000000000';
  writeFileSync(file, JSON.stringify(exported(sessionId, project, history)));
  execFileSync('opencode', ['import', file], { cwd: project, env: environment(folder), stdio: 'pipe' });
  return { folder, sessionId };
}

function exported(sessionID, directory, history) {
  const time = { created: 1, updated: 1, completed: 1 };
  const tokens = { input: 10, output: 20, reasoning: 0, cache: { read: 0, write: 0 } };
  const model = { providerID: providerOf(0), modelID: MODEL };
  const idOf = (kind, k) => `${kind}_${String(k).padStart(26, '0')}`;
  const messages = history.map(({ role, text }, k) => {
    const id = idOf('msg', k);
    const info =
      role === 'user'
        ? { role, model, summary: { diffs: [] } }
        : {
            role,
            ...model,
            parentID: idOf('msg', k - 1),
            mode: 'bench',
            path: { cwd: directory, root: '/' },
            cost: 0,
            tokens,
            finish: 'stop',
          };
    return {
      info: { ...info, id, sessionID, time, agent: 'bench' },
      parts: [{ type: 'text', text, id: idOf('prt', k), sessionID, messageID: id }],
    };
  });
  const info = {
    id: sessionID,
    slug: 'bench',
    projectID: 'global',
    directory,
    title: 'bench',
    version: '1',
    time,
  };
  return { info, messages };
}
