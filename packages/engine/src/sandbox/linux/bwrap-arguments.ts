/** The arguments of bubblewrap for one program. */
import type { Mount } from './mounts.ts';

interface BwrapPlan {
  readonly mounts: readonly Mount[];
  /** Folders of this session, outside of what isolated programs see. */
  readonly folders: SandboxFolders;
  /** Of /run, which is hidden for its sockets, what programs need all the same. */
  readonly shownInRun: readonly string[];
  /** Sockets or files that are shown at another place: of the domain proxy. */
  readonly shownAt: readonly { readonly source: string; readonly path: string }[];
  readonly sharesNetwork: boolean;
  readonly sharesProc: boolean;
  /** Whether programs may make user namespaces: that is done by writing to the process table. */
  readonly allowsNamespaces: boolean;
  readonly isolatesFiles: boolean;
  /** The descriptor with the filter of system calls. */
  readonly filterDescriptor: number | undefined;
  readonly cwd: string;
}

export interface SandboxFolders {
  /** Replaces /tmp. */
  readonly tmp: string;
  /** An empty folder and an empty file, for what must not come into being. */
  readonly empty: string;
  readonly nothing: string;
}

/** What other programs of the machine share. */
const OWN_NAMESPACES = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
];

/** Ends with what started it, has no terminal to write into, and no rights beyond those of its user. */
function ownProc({ sharesProc, allowsNamespaces }: BwrapPlan): readonly string[] {
  if (sharesProc) return [];
  // Written as the machine's superuser, what lies in there changes the machine.
  return ['--proc', '/proc', ...(allowsNamespaces ? [] : ['--remount-ro', '/proc'])];
}

const BOUND = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL'];

export function bwrapArguments(plan: BwrapPlan): readonly string[] {
  return [
    ...OWN_NAMESPACES,
    ...(plan.sharesNetwork ? [] : ['--unshare-net']),
    ...BOUND,
    // The kernel asks for it where user 0 is mapped once more.
    ...(plan.allowsNamespaces ? ['--cap-add', 'CAP_SETFCAP'] : []),
    ...(plan.isolatesFiles ? tree(plan) : ['--dev-bind', '/', '/', ...ownProc(plan)]),
    ...(plan.filterDescriptor === undefined ? [] : ['--seccomp', String(plan.filterDescriptor)]),
    ...['--chdir', plan.cwd],
  ];
}

function tree(plan: BwrapPlan): readonly string[] {
  const { mounts, folders, shownInRun, shownAt } = plan;
  const isRootWritable = mounts[0]?.path === '/' && mounts[0].kind === 'writable';
  const below = isRootWritable ? mounts.slice(1) : mounts;
  const isOpen = (path: string) => below.some((mount) => mount.path === path && mount.kind === 'writable');
  const shown = below.filter(({ path, kind }) => !(kind === 'hidden' && path === '/'));
  return [
    ...[isRootWritable ? '--bind' : '--ro-bind', '/', '/'],
    ...['--dev', '/dev'],
    ...ownProc(plan),
    ...['--tmpfs', '/run'],
    ...shownInRun.flatMap((path) => ['--ro-bind', path, path]),
    ...(isOpen('/tmp') ? [] : ['--bind', folders.tmp, '/tmp']),
    ...['--tmpfs', '/var/tmp', '--tmpfs', '/dev/shm'],
    ...shown.flatMap((mount) => laid(mount, folders)),
    ...shownAt.flatMap(({ source, path }) => ['--ro-bind', source, path]),
    ...shown.flatMap(({ path, kind, isFolder }) =>
      kind === 'hidden' && isFolder ? ['--remount-ro', path] : [],
    ),
    ...['--remount-ro', '/run'],
  ];
}

/** What is seen in its place; undefined: something made for the sandbox. */
export function findMountSource(
  { path, kind, isFolder }: Mount,
  { empty, nothing }: SandboxFolders,
): string | undefined {
  if (kind === 'hidden') return undefined;
  return kind === 'blocked' ? (isFolder ? empty : nothing) : path;
}

function laid(mount: Mount, folders: SandboxFolders): readonly string[] {
  const { path, kind, isFolder } = mount;
  switch (kind) {
    case 'writable':
      return ['--bind', path, path];
    case 'readOnly':
    case 'blocked':
      return ['--ro-bind', findMountSource(mount, folders) ?? path, path];
    case 'hidden':
      return isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path];
  }
}
