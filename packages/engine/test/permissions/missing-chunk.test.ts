/** What guards a call is loaded late: where it is missing, the call does not run. Needs `npm run build`. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** The chunks that are missing, each with a call that is kept from running by what it holds. */
const CALLS = {
  commands: { name: 'Bash', options: { bypass: true, disallowedTools: ['Bash(rm:*)'] } },
  'run-hook': { name: 'Bash', options: { bypass: true, hook: true } },
  'create-ask': { name: 'WebFetch', options: { host: true } },
};

const ASK = `
const [door, testing, cwd, calls] = process.argv.slice(1);
const { query } = await import(door);
const { callTool, say, scriptedModel } = await import(testing);
const said = {};
for (const [chunk, { name, options: { bypass, hook, host, ...more } }] of Object.entries(JSON.parse(calls))) {
  const input = name === 'Bash' ? { command: 'touch ' + chunk } : { url: 'https://a.example', prompt: 'x' };
  const engine = { callModel: scriptedModel([callTool(name, input), say('Done.')]).callModel };
  const options = {
    ...more, cwd, engine, persistSession: false,
    ...(bypass && { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }),
    ...(hook && { hooks: { PreToolUse: [{ hooks: [async () => ({ decision: 'block', reason: 'no' })] }] } }),
    ...(host && { canUseTool: async (_, updatedInput) => ({ behavior: 'allow', updatedInput }) }),
  };
  for await (const message of query({ prompt: 'go', options }))
    if (message.type === 'user') said[chunk] = message.message.content[0].content;
}
console.log(JSON.stringify(said));
`;

it('a call whose guard cannot be loaded does not run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'missing-chunk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const guardIn = (path: string) => /^(create-ask|commands|run-hook)-[\w-]{8}\.js$/.exec(basename(path))?.[1];
  const missing = readdirSync(join(ROOT, 'dist/chunks')).flatMap((file) => guardIn(file) ?? []);
  expect(missing.toSorted()).toEqual(Object.keys(CALLS).toSorted());
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map') && !path.endsWith('.ts') && guardIn(path) === undefined,
  });
  symlinkSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const cwd = join(folder, 'work');
  mkdirSync(cwd);
  const doors = ['index.js', 'testing.js'].map((file) => join(folder, 'dist', file));
  const args = ['--input-type=module', '-e', ASK, ...doors, cwd, JSON.stringify(CALLS)];
  const run = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  expect(run.stderr).toBe('');
  const said = JSON.parse(run.stdout) as Readonly<Record<string, string>>;
  for (const chunk of Object.keys(CALLS)) {
    expect(said[chunk]).toMatch(new RegExp(`Cannot find module .*/${chunk}-`));
    expect(existsSync(join(cwd, chunk)), chunk).toBe(false);
  }
});
