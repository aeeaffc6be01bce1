/** Runs the probes one after the other as whoever starts it, and prints what each said, as JSON. Its argument is the plan. */
import { readFileSync } from 'node:fs';
import { spawnGroup } from '@turnwright/base/process/process-tree.ts';
import type { Probe } from '@turnwright/test/sandbox/escape-probes.ts';
import { checkAvailability } from '../../src/sandbox/availability.ts';
import type { SandboxPolicy } from '../../src/sandbox/policy.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';

const { policy, env, cwd, probes } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as {
  policy: SandboxPolicy;
  env: Record<string, string>;
  cwd: string;
  probes: readonly Probe[];
};
const { platform, arch: architecture } = process;
const found = await checkAvailability({
  platform,
  architecture,
  path: process.env['PATH'] ?? '',
  filtersDomains: false,
});
if (!found.available) throw new Error(found.why);
const sandbox = openSandbox({
  platform,
  architecture,
  programs: found.programs,
  policy: () => policy,
  aftermath: { remember: async () => {}, isHarmless: async () => false },
  warn: () => {},
});
const said: Record<string, string> = {};
for (const [at, [name, command]] of probes.entries()) {
  const launch = await sandbox.isolate({ program: 'bash', args: ['-c', command], cwd, env });
  const group = spawnGroup(launch.program, launch.args, launch);
  let output = '';
  for (const stream of [group.stdout, group.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < 4000) output += text;
    });
  const late = setTimeout(() => void group.end(0), 10_000);
  await group.ended;
  clearTimeout(late);
  await group.end(0);
  await launch.release?.();
  said[`${at} ${name}`] = output;
}
await sandbox.close();
process.stdout.write(JSON.stringify(said));
