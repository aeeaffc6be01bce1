/** The same policy as a profile for `sandbox-exec` of macOS. Rules that come later win. */
import { dirname, join } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import {
  LOCKED_IN_GIT,
  PROTECTED_ANYWHERE,
  PROTECTED_AT_HOME,
  PROTECTED_BELOW,
} from '@turnwright/base/files/protected-names.ts';
import {
  isLiteralName,
  literalName,
  type NameToken,
  parseTokens,
} from '@turnwright/base/search/name-pattern.ts';
import type { WritableRoot } from '../linux/mounts.ts';
import type { PathPattern, SandboxPolicy } from '../policy.ts';

interface SeatbeltPlan {
  readonly policy: SandboxPolicy;
  readonly writable: readonly WritableRoot[];
  /** A folder of the session for temporary files. */
  readonly tmp: string;
  /** Of the domain proxy on this machine. */
  readonly proxyPorts: readonly number[];
}

/** Where a git folder keeps the repositories of submodules. */
const MODULES = 'modules';

/** Of the system's own services, what nearly every program looks up. */
const SERVICES = [
  'com.apple.bsd.dirhelper',
  'com.apple.cfprefsd.agent',
  'com.apple.cfprefsd.daemon',
  'com.apple.coreservices.launchservicesd',
  'com.apple.distributed_notifications@Uv3',
  'com.apple.fonts',
  'com.apple.FSEvents',
  'com.apple.logd',
  'com.apple.lsd.mapdb',
  'com.apple.secinitd',
  'com.apple.SystemConfiguration.configd',
  'com.apple.SystemConfiguration.DNSConfiguration',
  'com.apple.system.logger',
  'com.apple.system.notification_center',
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
  'com.apple.trustd',
];

export function seatbeltProfile(plan: SeatbeltPlan): string {
  const { policy } = plan;
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec) (allow process-fork) (allow signal (target same-sandbox))',
    '(allow process-info* (target same-sandbox))',
    '(allow sysctl-read) (allow user-preference-read) (allow iokit-get-properties)',
    '(allow ipc-posix-shm) (allow ipc-posix-sem) (allow system-socket (require-all (socket-domain AF_SYSTEM) (socket-protocol 2)))',
    `(allow mach-lookup ${names([...SERVICES, ...policy.macos.machServices, ...(policy.macos.allowTrustDaemon ? ['com.apple.trustd.agent'] : [])])})`,
    ...(policy.macos.allowAppleEvents
      ? ['(allow appleevent-send)', '(allow mach-lookup (global-name "com.apple.coreservices.appleevents"))']
      : []),
    ...fileRules(plan),
    ...networkRules(plan),
    '',
  ].join('\n');
}

function fileRules({ policy, writable, tmp }: SeatbeltPlan): readonly string[] {
  if (!policy.isolatesFiles) return ['(allow file*)'];
  const open = [...writable.map(({ path }) => path), tmp];
  const locked = [
    ...policy.deniedWrites.map(asFilter),
    ...policy.protectedPaths.map(subpath),
    ...protectedFilters(policy, writable),
  ];
  const hidden = [
    ...[...policy.hiddenPaths, ...policy.credentialPaths].map(subpath),
    ...policy.deniedReads.map(asFilter),
  ];
  return [
    '(allow file-read*)',
    '(allow file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/stdout") (literal "/dev/stderr"))',
    ...(open.length === 0 ? [] : [`(allow file-write* ${open.map(subpath).join(' ')})`]),
    ...(locked.length === 0 ? [] : [`(deny file-write* ${locked.join(' ')})`]),
    ...(hidden.length === 0 ? [] : [`(deny file-read* file-write* ${hidden.join(' ')})`]),
    ...(policy.readable.length === 0 ? [] : [`(allow file-read* ${policy.readable.map(subpath).join(' ')})`]),
    // Repositories of submodules are written in; new ones do not come into being.
    ...writable.map(
      ({ path, isGit }) =>
        `(deny file-write-create (regex #"^${quoted(path)}/${isGit ? '' : '(.*/)?\\.git/'}(.*/)?${MODULES}(/[^/]+)?$"))`,
    ),
    // A folder that is renamed takes what is protected in it along: the folder itself stays where it is.
    ...stayingFolders(policy, writable).map((folder) => `(deny file-write-unlink ${folder})`),
  ];
}

function stayingFolders(policy: SandboxPolicy, writable: readonly WritableRoot[]): readonly string[] {
  const places = [
    ...[...policy.deniedWrites, ...policy.deniedReads].map(toPlace),
    ...[...policy.protectedPaths, ...policy.hiddenPaths, ...policy.credentialPaths],
    ...writable.map(({ path }) => path),
  ];
  const above = new Set<string>();
  for (const place of places)
    for (let at = dirname(place); writable.some(({ path }) => isInside(at, path)); at = dirname(at))
      above.add(at);
  return [
    ...writable.map(({ path, isGit }) =>
      isGit
        ? `(regex #"^${quoted(path)}(/info|/${MODULES}(/[^/]+)?)?$")`
        : `(regex #"^${quoted(path)}/(.*/)?\\.git(/info|/${MODULES}(/[^/]+)?)?$")`,
    ),
    ...[...above].map(literal),
  ];
}

/** A place that the pattern names: its part without wildcards, and something in there. */
function toPlace({ root, segments }: PathPattern): string {
  const wild = segments.findIndex((segment) => !isLiteralName(segment));
  return wild < 0
    ? join(root, ...segments.map(literalName))
    : join(root, ...segments.slice(0, wild).map(literalName), '*');
}

/** By name, at any depth: here nothing has to be there to be protected. */
function protectedFilters({ home }: SandboxPolicy, writable: readonly WritableRoot[]): readonly string[] {
  const named = [...PROTECTED_ANYWHERE, ...PROTECTED_BELOW].map(quoted).join('|');
  // Submodules are committed in; here their repositories are protected one by one.
  const inGit = LOCKED_IN_GIT.filter((name) => name !== MODULES)
    .map(quoted)
    .join('|');
  return [
    ...writable.flatMap(({ path, isGit }) => [
      `(regex #"^${quoted(path)}/(.*/)?(${named})(/.*)?$")`,
      `(regex #"^${quoted(path)}/${isGit ? '' : '(.*/)?\\.git/'}(.*/)?(${inGit})(/.*)?$")`,
    ]),
    ...(home === undefined ? [] : PROTECTED_AT_HOME.map((name) => subpath(join(home, name)))),
  ];
}

function networkRules({ policy, proxyPorts }: SeatbeltPlan): readonly string[] {
  const { network, macos, allowUnixSockets } = policy;
  return [
    ...(network.kind === 'all' ? ['(allow network*)'] : []),
    ...(network.kind === 'domains'
      ? proxyPorts.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`)
      : []),
    ...(macos.allowLocalBinding && network.kind !== 'all'
      ? [
          '(allow network-bind network-inbound (local ip "localhost:*"))',
          '(allow network-outbound (remote ip "localhost:*"))',
        ]
      : []),
    ...(allowUnixSockets
      ? ['(allow network* (remote unix-socket)) (allow network* (local unix-socket))']
      : [
          // What allows the network as a whole would allow the sockets of other programs too.
          ...(network.kind === 'all' ? ['(deny network* (remote unix-socket))'] : []),
          ...macos.unixSockets.map(
            (path) => `(allow network-outbound (remote unix-socket (subpath ${text(path)})))`,
          ),
        ]),
  ];
}

function asFilter({ root, segments }: PathPattern): string {
  const rest = segments.map((segment) =>
    segment === '**' ? '.*' : parseTokens(segment).map(asExpression).join(''),
  );
  const base = root === '/' ? '' : quoted(root);
  const path = rest.length === 0 ? base : `${base}/${rest.join('/')}`.replaceAll('.*/', '(.*/)?');
  return `(regex #"^${path}(/.*)?$")`;
}

function asExpression(token: NameToken): string {
  if (token === '*') return '[^/]*';
  // A class is taken for any character: too much is hidden rather than too little.
  return token === '?' || !('char' in token) ? '[^/]' : quoted(token.char);
}

const names = (services: readonly string[]): string =>
  services
    .map((name) =>
      name.endsWith('*') ? `(global-name-prefix ${text(name.slice(0, -1))})` : `(global-name ${text(name)})`,
    )
    .join(' ');
const subpath = (path: string): string => `(subpath ${text(path)})`;
const literal = (path: string): string => `(literal ${text(path)})`;
const text = (value: string): string => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
/** As part of a regular expression between quotation marks. */
const quoted = (value: string): string => value.replace(/[\\^$.*+?()[\]{}|"]/g, '\\$&');
