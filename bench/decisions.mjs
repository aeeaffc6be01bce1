// node bench/decisions.mjs [--lines 10000] [--seed 1]
// How long one decision about a hostile line keeps the process from its other work: the longest times between two
// turns of its event loop, with the lines that caused them, by the clock and in time of the processor, which counts
// beside other programs. Lines and rules are those of packages/engine/test/permissions/nasty-lines.ts.
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
    const longest = { wallMs: 0, cpuMs: 0 };
    let before = performance.now();
    let used = process.cpuUsage();
    const look = () => {
      const now = performance.now();
      // What took less by the clock took less of the processor too.
      if (now - before > longest.wallMs) longest.wallMs = now - before;
      if (now - before > longest.cpuMs) {
        const { user, system } = process.cpuUsage(used);
        longest.cpuMs = Math.max(longest.cpuMs, Math.min((user + system) / 1000, now - before));
      }
      used = process.cpuUsage();
      before = performance.now();
    };
    const beat = () => {
      look();
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
    look();
    return longest;
  };
  for (let i = 0; i < 20; i++)
    await decide('cat *.ts; for f in a b; do cat "$f"; done', { deny: ['Read(.env)'] });
  const found = [];
  const started = process.cpuUsage();
  for (const { command, options } of nastyCases(Number(values.seed), Number(values.lines))) {
    let { wallMs, cpuMs } = await decide(command, options);
    // Another program may have had the processor, or its caches: the best of three is what it costs.
    for (let again = 0; again < 2 && wallMs > 20; again++) {
      const other = await decide(command, options);
      wallMs = Math.min(wallMs, other.wallMs);
      cpuMs = Math.min(cpuMs, other.cpuMs);
    }
    found.push({ wallMs, cpuMs, command, rules: (options.deny ?? []).length });
  }
  const { user, system } = process.cpuUsage(started);
  found.sort((one, other) => other.cpuMs - one.cpuMs);
  for (const { wallMs, cpuMs, command, rules } of found.slice(0, 15))
    console.log(
      `${cpuMs.toFixed(1).padStart(7)} ms of the processor, ${wallMs.toFixed(1)} ms  ${String(rules).padStart(4)} deny rules  ${command.length} characters  ${JSON.stringify(command.slice(0, 90))}`,
    );
  const over = (key) => found.filter((each) => each[key] > 50).length;
  console.log(
    `${found.length} lines in ${((user + system) / 1e6).toFixed(1)} s of the processor; longer than 50 ms blocked ${over('cpuMs')} by its time, ${over('wallMs')} by the clock`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function bundled() {
  const outfile = join(folder, 'decisions.mjs');
  await build({
    stdin: {
      contents: `
        export { createPermissions } from './packages/engine/src/permissions/permission-engine.ts';
        export { nodeFiles } from './packages/base/src/files/node-files.ts';
        export { nastyCases } from './packages/engine/test/permissions/nasty-lines.ts';`,
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
