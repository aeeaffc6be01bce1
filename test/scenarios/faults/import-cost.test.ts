import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startOllama } from '../../model/wires/local-servers.ts';
import { startMessagesServer } from '../../model/wires/messages-server.ts';
import type { WireServer } from '../../model/wires/wire-server.ts';

const door = fileURLToPath(new URL('../../../dist/index.js', import.meta.url));

const UNWANTED =
  /node_modules\/(?:zod|yaml|ajv|commander|@modelcontextprotocol)\/|src\/(?:cli|rehearsal|telemetry|testing|session\/catalog|permissions\/(?:commands|explain)|shell\/filling|model\/(?:cloud|openai|ai-sdk))\/|\/(?:session\/resume\/resume|agent-run|external-connection|server-tools|command-line|load-plugins?|notebook-plan|show-notebook|mcp-logins|search-web|git-trees|run-hook|check-conditions|effect-ledger|failed-checks|host\/command-advice|usable-settings|covered-files)\.ts$/;
/** Of code that importing the library reads: each kB costs some 0.03 ms at every start. */
const MOST_BYTES = 985_000;

/** The sources of a built file; a file without a map is its own. */
function sourcesOf(url: string): string[] {
  const file = url.startsWith('file:') ? fileURLToPath(url) : url;
  if (!existsSync(`${file}.map`)) return [file];
  const map = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { readonly sources: string[] };
  return map.sources;
}

/** Prints the address of every module that importing the door loads. */
const TRACE = `
import { createRequire, register } from 'node:module';
import { MessageChannel } from 'node:worker_threads';
const loaded = [];
const { port1, port2 } = new MessageChannel();
port1.on('message', (url) => loaded.push(url));
const hooks = 'let port; export const initialize = (data) => { port = data; };' +
  'export const load = (url, context, next) => { port.postMessage(url); return next(url, context); };';
register('data:text/javascript,' + encodeURIComponent(hooks), { data: port2, transferList: [port2] });
await import(process.argv[1]);
while (!loaded.some((url) => url.endsWith(process.argv[1]))) await new Promise(setImmediate);
await new Promise((resolve) => setTimeout(resolve, 20));
port1.close();
console.log(JSON.stringify({ loaded, require: Object.keys(createRequire(process.argv[1]).cache) }));
`;

/** Prints which of Node's own modules importing the door loads. */
const NODE_MODULES = `
const loaded = () => process.moduleLoadList.map((name) => name.replace(/^NativeModule /, ''));
const before = new Set(loaded());
await import(process.argv[1]);
console.log(JSON.stringify(loaded().filter((name) => !before.has(name))));
`;

describe('F124 what importing the library costs', () => {
  it('F124 the built door loads no zod, no MCP, no YAML, no test tools and no CLI', () => {
    expect(existsSync(door), 'dist/ is not built: `npm ci` or `npm run build` makes it').toBe(true);
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', TRACE, door], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    expect(run.stderr).toBe('');
    const { loaded, require } = JSON.parse(run.stdout) as {
      readonly loaded: string[];
      readonly require: string[];
    };
    const files = [...loaded, ...require].filter((url) => !url.startsWith('node:'));
    expect(files.length).toBeGreaterThan(0);
    // Everything is bundled: what is in a chunk is told by its map.
    const sources = files.flatMap(sourcesOf);
    expect(
      sources.filter((source) => source.endsWith('packages/engine/src/sdk/query/query.ts')),
    ).toHaveLength(1);
    expect(sources.filter((source) => UNWANTED.test(source))).toEqual([]);
    const built = loaded
      .filter((url) => url.includes('/dist/'))
      .map((url) => readFileSync(fileURLToPath(url), 'utf8'));
    expect(built.length).toBeLessThanOrEqual(4);
    expect(built.reduce((bytes, code) => bytes + code.length, 0)).toBeLessThan(MOST_BYTES);
  });

  it('F124 of Node the built door loads no TLS, no child processes and no second HTTP client', () => {
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', NODE_MODULES, door], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    expect(run.stderr).toBe('');
    const added = JSON.parse(run.stdout) as string[];
    expect(added).toContain('http');
    expect(
      added.filter((name) => /^(?:https|tls|child_process|internal\/deps\/undici.*)$/.test(name)),
    ).toEqual([]);
  });
});

/** Asks the model of the second argument, and prints the address of every module that was loaded for it. */
const ASK = `
import { register } from 'node:module';
import { MessageChannel } from 'node:worker_threads';
const loaded = [];
const { port1, port2 } = new MessageChannel();
port1.on('message', (url) => loaded.push(url));
const hooks = 'let port; export const initialize = (data) => { port = data; };' +
  'export const load = (url, context, next) => { port.postMessage(url); return next(url, context); };';
register('data:text/javascript,' + encodeURIComponent(hooks), { data: port2, transferList: [port2] });
const { query } = await import(process.argv[1]);
const options = { model: process.argv[2], tools: [], settingSources: [] };
for await (const message of query({ prompt: 'hi', options }))
  if (message.type === 'result') console.error(message.result);
await new Promise((resolve) => setTimeout(resolve, 50));
port1.close();
console.log(JSON.stringify(loaded));
`;

describe('no code of a provider is loaded unless one of its models is asked', () => {
  const PROVIDER_CODE = /src\/(model\/(?:cloud|openai|ai-sdk)|model\/catalog\/(?=look|server-apis))/;

  /** The folders of provider code that a session with this model loads, and the packages. */
  async function loadedFor(model: string, server: WireServer, env: Record<string, string>) {
    onTestFinished(() => server.close());
    server.answerWith({ kind: 'message', parts: [{ kind: 'text', text: 'Hello.' }] });
    const child = spawn(process.execPath, ['--input-type=module', '-e', ASK, door, model], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [printed, said] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(said).toBe('Hello.\n');
    const files = (JSON.parse(printed) as string[]).filter((url) => !url.startsWith('node:'));
    const parts = files.flatMap(sourcesOf).flatMap((source) => PROVIDER_CODE.exec(source)?.[1] ?? []);
    return { parts: [...new Set(parts)], packages: files.filter((url) => url.includes('/node_modules/')) };
  }

  it('Anthropic: none', async () => {
    const server = await startMessagesServer();
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url };
    expect(await loadedFor('opus', server, env)).toEqual({ parts: [], packages: [] });
  });

  it('a local server: its wire, and the look-up of its models', async () => {
    const server = await startOllama({ 'qwen3:8b': { loadedContext: 64_000 } });
    const env = { OLLAMA_HOST: `127.0.0.1:${server.port}` };
    const { parts, packages } = await loadedFor('ollama:qwen3:8b', server, env);
    expect(parts.toSorted()).toEqual(['model/catalog/', 'model/openai']);
    expect(packages).toEqual([]);
  });
});
