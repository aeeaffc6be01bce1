import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const door = fileURLToPath(new URL('../../../dist/index.js', import.meta.url));

const UNWANTED =
  /node_modules\/(?:zod|yaml|ajv|commander|@modelcontextprotocol)\/|src\/(?:cli|rehearsal|testing|session\/catalog)\/|\/(?:earlier-life|agent-run|library-connection)\.ts$/;

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
    expect(sources.filter((source) => source.endsWith('src/sdk/query.ts'))).toHaveLength(1);
    expect(sources.filter((source) => UNWANTED.test(source))).toEqual([]);
    // An import of Node's modules reads all that they export; what is taken of them is taken by name.
    const built = loaded
      .filter((url) => url.includes('/dist/'))
      .map((url) => readFileSync(fileURLToPath(url), 'utf8'));
    expect(built.flatMap((code) => code.match(/\bfrom ?"node:[a-z/]+"/g) ?? [])).toEqual([]);
    expect(loaded.filter((url) => url.includes('/dist/')).length).toBeLessThanOrEqual(4);
  });
});
