/** Isolation on Linux: each program runs under a bubblewrap of its own. */
import { join } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Isolate, Launch } from '../../protocol/tools/isolation.ts';
import { findProgram } from '../find-program.ts';
import { excludePlaces } from '../places/git-excludes.ts';
import { guardLinks } from '../places/guarded-links.ts';
import { type Aftermath, lookAfter, lookBefore } from '../places/left-behind.ts';
import { MovedPlaces } from '../places/moved-places.ts';
import { placeHolders } from '../places/placeholders.ts';
import { nothingSeen } from '../places/seen-names.ts';
import type { SandboxPolicy } from '../policy.ts';
import { openBytes, type SessionFolders } from '../session-folders.ts';
import { bwrapArguments, findMountSource } from './bwrap-arguments.ts';
import type { DomainProxy } from './domain-proxy.ts';
import { coverInherited } from './inherited-descriptors.ts';
import { COMPARE_MOUNTS, expectedMounts } from './mount-check.ts';
import { type Mount, type MountPlan, namesNow, planMounts, real } from './mounts.ts';
import { seccompFilter } from './seccomp-filter.ts';

interface BubblewrapPorts {
  /** Absolute path of the program. */
  readonly bwrap: string;
  readonly architecture: string;
  readonly folders: () => Promise<SessionFolders>;
  /** As it is now: rules and folders may change between two commands. */
  readonly policy: () => SandboxPolicy;
  /** Only where the network is open to some names. */
  readonly proxy: (() => Promise<DomainProxy>) | undefined;
  readonly aftermath: Aftermath;
  /** Receives warnings, one line each. */
  readonly warn: (line: string) => void;
}

/** Processes and threads of one command. */
const MAX_PROCESSES = 4096;
/** In shells of both kinds; where neither option is known, there is no such bound. */
const BOUND = `ulimit -u ${MAX_PROCESSES} 2>/dev/null || ulimit -p ${MAX_PROCESSES} 2>/dev/null`;
const START = `${COMPARE_MOUNTS}\n${BOUND}\nexec "$@"`;

const FILTER_DESCRIPTOR = 4;

/** Looking at the disk and holding places free belong together, for all sandboxes of this process. */
const alone = oneAtATime();

export function isolateWithBubblewrap(ports: BubblewrapPorts): Isolate {
  const memory = { made: new Set<string>(), moved: new MovedPlaces() };
  return async (launch) => {
    const policy = ports.policy();
    const env = buildEnvironment(launch.env, policy);
    // What starts it could no longer say so.
    if (!launch.program.includes('/')) await findProgram(launch.program, env['PATH'] ?? '');
    const folders = await ports.folders();
    const proxy = await ports.proxy?.();
    const held = await alone(() => hold(policy, memory, ports.aftermath));
    const { mounts, placeholders } = held.plan;
    const [filter, expected, lists] = await Promise.all([
      openFilter(policy, ports, folders),
      expectedMounts(mounts.map((mount) => ({ path: mount.path, source: findMountSource(mount, folders) }))),
      excludePlaces(placeholders, isWritableIn(mounts), folders.base),
    ]).catch(async (error: unknown) => {
      await alone(held.release);
      throw error;
    });
    const inner = ['/bin/sh', '-c', START, ...expected, launch.program, ...launch.args];
    const args = bwrapArguments({
      mounts,
      folders,
      shownInRun: await neededOfRun(),
      shownAt: [...lists, ...(proxy?.shown ?? [])],
      sharesNetwork: policy.network.kind === 'all',
      sharesProc: policy.sharesProc,
      allowsNamespaces: policy.allowUserNamespaces || proxy !== undefined,
      isolatesFiles: policy.isolatesFiles,
      filterDescriptor: proxy === undefined ? FILTER_DESCRIPTOR : undefined,
      cwd: launch.cwd,
    });
    const wrapped: Launch = {
      program: ports.bwrap,
      args: [...args, '--', ...(proxy === undefined ? inner : proxy.startInside(inner, FILTER_DESCRIPTOR))],
      cwd: launch.cwd,
      env: { ...env, ...proxy?.env },
      descriptors: [filter.descriptor, ...(await coverInherited(FILTER_DESCRIPTOR + 1))],
      async release() {
        await filter.close();
        for (const line of await alone(held.release)) ports.warn(line);
        await launch.release?.();
      },
    };
    return wrapped;
  };
}

const isWritableIn = (mounts: readonly Mount[]) => (path: string) =>
  mounts.some((mount) => mount.kind === 'writable' && isInside(path, mount.path));

interface Held {
  readonly plan: MountPlan;
  /** Resolves to what had to be put right, one line each. */
  readonly release: () => Promise<readonly string[]>;
}

const NOTHING: MountPlan = { mounts: [], placeholders: [], links: [], roots: [], seen: nothingSeen() };

/** Of what one command left, for the next ones. */
interface Memory {
  /** Roots of repositories that commands have made. */
  readonly made: Set<string>;
  readonly moved: MovedPlaces;
}

async function hold(policy: SandboxPolicy, { made, moved }: Memory, aftermath: Aftermath): Promise<Held> {
  if (!policy.isolatesFiles) return { plan: NOTHING, release: async () => [] };
  const plan = await planMounts(policy, moved);
  const before = await lookBefore(plan.seen, plan.roots, made);
  const restore = await guardLinks(plan.links);
  const giveBack = await placeHolders(plan.placeholders);
  return {
    plan,
    async release() {
      await giveBack();
      const changed = (await restore()).map(
        (path) => `A command in the sandbox put something else in the place of ${path}; it was put back.`,
      );
      const left = namesNow(policy)
        .then((now) => lookAfter(before, now, made, aftermath))
        .catch((error: unknown) => [
          `What a command in the sandbox left behind could not be looked at: ${errorText(error)}`,
        ]);
      return [...changed, ...(await left)];
    },
  };
}

function buildEnvironment(
  env: Launch['env'],
  { hiddenVariables, isolatesFiles }: SandboxPolicy,
): Record<string, string> {
  const own: Record<string, string> = {
    ...env,
    ...(isolatesFiles && { TMPDIR: '/tmp', TMP: '/tmp', TEMP: '/tmp' }),
  };
  for (const name of hiddenVariables) delete own[name];
  return own;
}

async function openFilter(
  { allowUnixSockets, allowUserNamespaces }: SandboxPolicy,
  { architecture }: BubblewrapPorts,
  { base }: SessionFolders,
) {
  const bytes = seccompFilter(architecture, { allowUnixSockets, allowUserNamespaces });
  if (bytes === undefined)
    throw new Error(
      `No filter of system calls is known for ${architecture} machines, so nothing can be isolated.`,
    );
  const name = `filter-${Number(allowUnixSockets)}${Number(allowUserNamespaces)}`;
  return openBytes(join(base, name), bytes);
}

/** Where names of hosts are looked up, and, on NixOS, where programs are. */
const WANTED = ['/etc/resolv.conf', '/run/current-system'];

async function neededOfRun(): Promise<readonly string[]> {
  const found = await Promise.all(WANTED.map((path) => real(path)));
  const inRun = found.filter((path): path is string => path !== undefined && isInside(path, '/run'));
  return (await real('/run/current-system')) === undefined ? inRun : [...inRun, '/run/current-system'];
}

/** Runs tasks one after the other, in order; a failure is reported to its caller and delays no other task. */
function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
