/** Whether programs can be isolated on this machine: found out by isolating one. */
import { within } from '@turnwright/base/async/promises.ts';
import { spawnGroup } from '@turnwright/base/process/process-tree.ts';
import { findProgram } from './find-program.ts';
import { lacksProxy } from './linux/domain-proxy.ts';
import { seccompFilter } from './linux/seccomp-filter.ts';
import type { SandboxPrograms } from './policy.ts';

interface SandboxMachine {
  readonly platform: NodeJS.Platform;
  readonly architecture: string;
  /** `PATH`. */
  readonly path: string;
  /** Absolute; for the settings of an administrator. */
  readonly bwrapPath?: string | undefined;
  readonly socatPath?: string | undefined;
  /** The network is open to some names: that takes more. */
  readonly filtersDomains: boolean;
  /** The program that isolates is looked for, and not started. Default false. */
  readonly looksOnly?: boolean;
}

export type Availability =
  | { readonly available: true; readonly programs: SandboxPrograms }
  /** `why`: half a sentence, what is missing. `remedy`: a sentence, where one is known. */
  | { readonly available: false; readonly why: string; readonly remedy?: string };

const SEATBELT = '/usr/bin/sandbox-exec';
const PROBE_MS = 5_000;
const LAST_WORDS_MS = 500;

export async function checkAvailability(machine: SandboxMachine): Promise<Availability> {
  const lacks = machine.filtersDomains ? await lacksProxy() : undefined;
  if (lacks !== undefined) return { available: false, why: lacks };
  switch (machine.platform) {
    case 'linux':
      return linux(machine);
    case 'darwin':
      return macos(machine);
    default:
      return { available: false, why: `isolation of commands is not supported on ${machine.platform} yet` };
  }
}

async function macos({ looksOnly }: SandboxMachine): Promise<Availability> {
  const why =
    looksOnly === true
      ? undefined
      : await failure(SEATBELT, ['-p', '(version 1)(allow default)', '/usr/bin/true']);
  return why === undefined
    ? { available: true, programs: { isolator: SEATBELT, socat: undefined } }
    : { available: false, why: `${SEATBELT} does not work: ${why}` };
}

async function linux(machine: SandboxMachine): Promise<Availability> {
  if (seccompFilter(machine.architecture) === undefined)
    return { available: false, why: `${machine.architecture} machines are not supported` };
  const find = (named: string | undefined, program: string) =>
    named === undefined ? findProgram(program, machine.path).catch(() => undefined) : named;
  const bwrap = await find(machine.bwrapPath, 'bwrap');
  const socat = machine.filtersDomains ? await find(machine.socatPath, 'socat') : undefined;
  const missing = [
    ...(bwrap === undefined ? ['bubblewrap (bwrap) not installed'] : []),
    ...(machine.filtersDomains && socat === undefined ? ['socat not installed'] : []),
  ];
  const packages = [
    ...(bwrap === undefined ? ['bubblewrap'] : []),
    ...(machine.filtersDomains && socat === undefined ? ['socat'] : []),
  ];
  if (bwrap === undefined || missing.length > 0)
    return {
      available: false,
      why: `dependencies are missing: ${missing.join(', ')}`,
      remedy: `Install what is missing, on Debian and Ubuntu with: sudo apt-get install ${packages.join(' ')}`,
    };
  const why = machine.looksOnly === true ? undefined : await failure(bwrap, PROBE);
  return why === undefined
    ? { available: true, programs: { isolator: bwrap, socat } }
    : { available: false, why: `${bwrap} does not work here: ${why}`, remedy: NAMESPACES };
}

const NAMESPACES =
  'Allow unprivileged user namespaces (kernel.apparmor_restrict_unprivileged_userns, kernel.unprivileged_userns_clone, user.max_user_namespaces, or the options of the container).';

/** What every isolated program needs: namespaces of its own, and a process table. */
const PROBE = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net'],
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--', '/bin/sh', '-c', ':'],
];

/** undefined: it worked. */
async function failure(program: string, args: readonly string[]): Promise<string | undefined> {
  const group = spawnGroup(program, args, { cwd: '/', env: {} });
  const late = setTimeout(() => void group.end(0), PROBE_MS);
  let complaint = '';
  group.stdout?.resume();
  group.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (complaint.length < 500) complaint += text;
  });
  const said = new Promise((resolve) => group.stderr?.once('close', resolve));
  const end = await group.ended;
  // The process may be gone before its last words are read; a child of its own may keep the pipe open.
  if (end.kind !== 'not_started') await within(LAST_WORDS_MS, said);
  clearTimeout(late);
  if (end.kind === 'not_started') return end.error.message;
  return end.code === 0 ? undefined : complaint.trim() || `it ended with ${end.code ?? end.signal}`;
}
