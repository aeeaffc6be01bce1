import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const door = fileURLToPath(new URL('../../../dist/index.js', import.meta.url));

/** Prints the address of every module that importing the door loads. */
const TRACE = `
import { registerHooks, register } from 'node:module';
const loaded = [];
if (registerHooks !== undefined) {
  registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
} else {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', (url) => loaded.push(url));
  port1.unref();
  const source = "let port; export const initialize = (data) => { port = data.port; }; export const load = (url, context, next) => { port.postMessage(url); return next(url, context); };";
  register('data:text/javascript,' + encodeURIComponent(source), { data: { port: port2 }, transferList: [port2] });
}
const before = performance.now();
await import(process.argv[1]);
const ms = performance.now() - before;
await new Promise((resolve) => setTimeout(resolve, 20));
console.log(JSON.stringify({ ms, loaded, require: Object.keys((await import('node:module')).createRequire(import.meta.url).cache) }));
`;

describe('F124 what importing the library costs', () => {
  it('F124 the built door loads no zod, no MCP, no YAML, no test tools and no CLI', () => {
    expect(existsSync(door), 'dist/ is not built: `npm ci` or `npm run build` makes it').toBe(true);
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', TRACE, door], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    expect(run.stderr).toBe('');
    const { loaded, require } = JSON.parse(run.stdout) as { readonly loaded: string[]; readonly require: string[] };
    const files = [...loaded, ...require].filter((url) => !url.startsWith('node:'));
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((url) => /node_modules|zod|mcp|yaml|vitest|rehearsal|cli|testing/i.test(url.split('/dist/').at(-1) ?? url))).toEqual([]);
  });
});
