// node bench/decisions.mjs [--lines 10000] [--seed 1]
// How long one decision about a hostile line keeps the process from its other work: the longest times between two
// turns of its event loop, with the lines that caused them. Lines and rules are those of test/permissions/nasty-lines.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { flagsOf } from './flags.mjs';

const { values } = flagsOf({
  options: {
    lines: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
  },
});
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'turnwright-decisions-'));
try {
  const { createPermissions, nastyCases, nodeFiles } = await bundled();
  const tool = {
    name: 'Bash',
    permissionTarget: ({ command }) => ({ kind: 'command', command }),
  };
  const decide = async (command, options) => {
    let longest = 0;
    let before = performance.now();
    const beat = () => {
      const now = performance.now();
      longest = Math.max(longest, now - before);
      before = now;
      timer = setImmediate(beat);
    };
    let timer = setImmediate(beat);
    const permissions = createPermissions({ files: nodeFiles, home: folder, ...options });
    await permissions.decide({
      tool,
      input: { command },
      toolUseId: 'toolu_1',
      cwd: folder,
      additionalDirectories: [],
    });
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    clearImmediate(timer);
    return Math.max(longest, performance.now() - before);
  };
  for (let i = 0; i < 20; i++)
    await decide('cat *.ts; for f in a b; do cat "$f"; done', { deny: ['Read(.env)'] });
  const found = [];
  const startedMs = performance.now();
  for (const { command, options } of nastyCases(Number(values.seed), Number(values.lines))) {
    const first = await decide(command, options);
    // Another program may have had the processor: the best of three is what it costs.
    const blockedMs =
      first < 20 ? first : Math.min(first, await decide(command, options), await decide(command, options));
    found.push({ blockedMs, command, rules: (options.deny ?? []).length });
  }
  const totalMs = performance.now() - startedMs;
  found.sort((one, other) => other.blockedMs - one.blockedMs);
  for (const { blockedMs, command, rules } of found.slice(0, 15))
    console.log(
      `${blockedMs.toFixed(1).padStart(7)} ms  ${String(rules).padStart(4)} deny rules  ${command.length} characters  ${JSON.stringify(command.slice(0, 90))}`,
    );
  const over = found.filter(({ blockedMs }) => blockedMs > 50).length;
  console.log(
    `${found.length} lines in ${(totalMs / 1000).toFixed(1)} s, of which ${over} blocked longer than 50 ms`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function bundled() {
  const outfile = join(folder, 'decisions.mjs');
  await build({
    stdin: {
      contents: `
        export { createPermissions } from './src/permissions/permission-engine.ts';
        export { nodeFiles } from './src/util/files/node-files.ts';
        export { nastyCases } from './test/permissions/nasty-lines.ts';`,
      resolveDir: root,
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return import(pathToFileURL(outfile).href);
}
