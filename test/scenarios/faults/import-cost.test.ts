import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const door = fileURLToPath(new URL('../../../dist/index.js', import.meta.url));

const UNWANTED =
  /node_modules\/(?:zod|yaml|ajv|commander|@modelcontextprotocol)\/|src\/(?:cli|rehearsal|testing|session\/catalog)\/|\/(?:session\/resume\/resume|agent-run|library-connection|server-tools|command-line|load-plugins?|notebook-plan|show-notebook|mcp-logins|search-web)\.ts$/;
/** Of code that importing the library reads: each kB costs some 0.03 ms at every start. */
const MOST_BYTES = 900_000;

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
    expect(sources.filter((source) => source.endsWith('src/sdk/query/query.ts'))).toHaveLength(1);
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
