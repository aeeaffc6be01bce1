// opencode: a server in a binary, driven by its own client. Its tools are a plugin, which runs in the server.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { now } from '../now.mjs';
import { processesOf } from '../process-tree.mjs';
import { temporaryHome } from '../temporary-home.mjs';
import { spans } from '../tools.mjs';

const MODEL = { providerID: 'anthropic', modelID: 'claude-sonnet-5' };
let createOpencode;
let server;

export const startsProcesses = true;
export const slowFirstStart = true;

const ONE_URL = 'a server has one base URL for a provider, and sessions are told apart by theirs';
export const leftOut = { W5: ONE_URL, W5x: ONE_URL };

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
    PATH: [binaryFolder(), process.env.PATH].join(delimiter),
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

/** Of the package for this machine: scripts of packages are not run, and `opencode` itself is made by one. */
function binaryFolder() {
  const { resolve } = createRequire(new URL('../peers/package.json', import.meta.url));
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `opencode-${platform}-${process.arch}`;
  const old =
    process.arch === 'x64' && platform === 'linux' && !/\bavx2\b/.test(readFileSync('/proc/cpuinfo'));
  return join(dirname(resolve(`${name}${old ? '-baseline' : ''}/package.json`)), 'bin');
}

async function start({ baseUrl, home, tools, log, contextWindow }) {
  process.env = environment(home);
  const opencode = await createOpencode({
    port: 0,
    timeout: 60_000,
    config: {
      model: `${MODEL.providerID}/${MODEL.modelID}`,
      small_model: `${MODEL.providerID}/${MODEL.modelID}`,
      autoupdate: false,
      share: 'disabled',
      enabled_providers: [MODEL.providerID],
      provider: {
        [MODEL.providerID]: {
          options: { baseURL: `${baseUrl}/v1`, apiKey: 'bench' },
          models: { [MODEL.modelID]: { name: 'bench', limit: { context: contextWindow, output: 8000 } } },
        },
      },
      plugin: [[new URL('./opencode-plugin.mjs', import.meta.url).href, { tools, log }]],
      agent: {
        bench: {
          mode: 'primary',
          prompt: 'Use the tools.',
          permission: { '*': 'deny', ...Object.fromEntries(tools.map((name) => [name, 'allow'])) },
        },
      },
    },
  });
  server = opencode.server;
  process.on('exit', () => server.close());
  return opencode;
}

async function run({ baseUrl, tools, prepared, onDelta, onCall }) {
  const home = prepared?.folder ?? temporaryHome();
  const log = join(home, 'spans.jsonl');
  const query = { directory: projectIn(home) };
  const { client } = await start({
    baseUrl,
    home,
    tools: tools.map(({ name }) => name),
    log,
    // A history of 4 MB is close to the window, and would be condensed; this one is to be sent.
    contextWindow: prepared?.sessionId ? 10_000_000 : 200_000,
  });
  const { stream } = await client.event.subscribe({ query });
  const id =
    prepared?.sessionId ??
    (await client.session.create({ query, body: { title: 'bench' }, throwOnError: true })).data.id;
  await client.session.promptAsync({
    query,
    path: { id },
    body: { model: MODEL, agent: 'bench', parts: [{ type: 'text', text: 'Go.' }] },
    throwOnError: true,
  });
  let text;
  let part;
  for await (const { type, properties } of stream) {
    if (type === 'message.part.delta') {
      text = properties.partID === part ? text + properties.delta : properties.delta;
      part = properties.partID;
      onDelta(properties.delta);
    } else if (type === 'message.part.updated' && properties.part.type === 'tool') onCall();
    else if (type === 'session.error') throw new Error(JSON.stringify(properties.error));
    else if (type === 'session.idle') break;
  }
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
  const idOf = (kind, k) => `${kind}_${String(k).padStart(26, '0')}`;
  const messages = history.map(({ role, text }, k) => {
    const id = idOf('msg', k);
    const info =
      role === 'user'
        ? { role, model: MODEL, summary: { diffs: [] } }
        : {
            role,
            ...MODEL,
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
