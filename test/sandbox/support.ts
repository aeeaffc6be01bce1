/** A sandbox over a real folder, and whether this machine can have one. */
import { execFileSync } from 'node:child_process';
import { spawnGroup } from '@turnwright/base/process/process-tree.ts';
import type { SandboxPort } from '@turnwright/engine/protocol/tools/isolation.ts';
import { checkAvailability } from '../../packages/engine/src/sandbox/availability.ts';
import type { Aftermath } from '../../packages/engine/src/sandbox/places/left-behind.ts';
import type { SandboxPolicy } from '../../packages/engine/src/sandbox/policy.ts';
import { openSandbox, type Sandbox } from '../../packages/engine/src/sandbox/sandbox.ts';

const machine = {
  platform: process.platform,
  architecture: process.arch,
  path: process.env['PATH'] ?? '',
  filtersDomains: false,
};

export const availability = await checkAvailability(machine);
/** Why tests that need a sandbox are left out; undefined: they are not. */
export const lacking = availability.available ? undefined : availability.why;
if (lacking !== undefined) console.warn(`Tests of the sandbox are left out: ${lacking}.`);

export const CLOSED: SandboxPolicy = {
  writable: [],
  deniedWrites: [],
  deniedReads: [],
  readable: [],
  protectedPaths: [],
  hiddenPaths: [],
  credentialPaths: [],
  home: undefined,
  network: { kind: 'none' },
  allowUnixSockets: false,
  allowUserNamespaces: false,
  sharesProc: false,
  isolatesFiles: true,
  hiddenVariables: [],
  macos: {
    unixSockets: [],
    allowLocalBinding: false,
    machServices: [],
    allowAppleEvents: false,
    allowTrustDaemon: false,
  },
};

/** Nothing is kept, and no repository is trusted. */
export const NO_AFTERMATH: Aftermath = { remember: async () => {}, isHarmless: async () => false };

export const LIMITS = 'It ran in a sandbox.';

export function sandboxWith(
  policy: Partial<SandboxPolicy>,
  warn: (line: string) => void = () => {},
  aftermath: Aftermath = NO_AFTERMATH,
): Sandbox {
  if (!availability.available) throw new Error(availability.why);
  const { platform, architecture } = machine;
  const now = { ...CLOSED, ...policy };
  return openSandbox({
    platform,
    architecture,
    programs: availability.programs,
    policy: () => now,
    aftermath,
    warn,
  });
}

/** What a command says that runs alone in a sandbox of its own; it may write in `cwd` unless the policy says otherwise. */
export async function runIn(
  cwd: string,
  command: string,
  policy: Partial<SandboxPolicy> = {},
  sandbox: Sandbox = sandboxWith({ writable: [cwd], ...policy }),
): Promise<string> {
  const launch = await sandbox.isolate({
    program: 'bash',
    args: ['-c', command],
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' },
  });
  const group = spawnGroup(launch.program, launch.args, launch);
  let output = '';
  for (const stream of [group.stdout, group.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  await group.ended;
  await group.end(0);
  await launch.release?.();
  await sandbox.close();
  return output;
}

export function portOf({ isolate }: Sandbox, port: Partial<SandboxPort> = {}): SandboxPort {
  return {
    placeOf: () => 'sandbox',
    isolate,
    mayLeave: true,
    excludedCommands: [],
    autoAllow: false,
    isolatesHooks: false,
    limits: LIMITS,
    close: async () => {},
    ...port,
  };
}

export function has(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
}
