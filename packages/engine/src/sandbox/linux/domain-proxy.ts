/**
 * The part of the network that is open: names, looked at by the proxy of an optional package. The isolated
 * program has no network but a loopback of its own, where two relays lead to the proxy's socket.
 */

import { CountedUse } from '../counted-use.ts';
import type { NetworkPolicy, SandboxPrograms } from '../policy.ts';

export interface DomainProxy {
  /** Sockets of the proxy, and where the isolated program finds them. */
  readonly shown: readonly { readonly source: string; readonly path: string }[];
  /** Where it listens on this machine. */
  readonly ports: readonly number[];
  /** Variables by which programs find it. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * What to start in the isolated network so that `command` reaches the proxy, with the filter of system
   * calls upon it.
   */
  startInside(command: readonly string[], filterDescriptor: number): readonly string[];
  close(): Promise<void>;
}

type Domains = Extract<NetworkPolicy, { kind: 'domains' }>;

const PROXY_PACKAGE: string = '@anthropic-ai/sandbox-runtime';
/** The last one for Node 20. */
const PROXY_VERSION = '0.0.78';

/** Half a sentence when the package is not installed. */
export async function lacksProxy(): Promise<string | undefined> {
  return await loadRuntime().then(
    () => undefined,
    () =>
      `a network that is open to some domains needs the package ${PROXY_PACKAGE}: npm install ${PROXY_PACKAGE}@${PROXY_VERSION}`,
  );
}

/** What is used of the package. It need not be there to build against. */
interface ProxyRuntime {
  initialize(config: {
    readonly network: {
      readonly allowedDomains: readonly string[];
      readonly deniedDomains: readonly string[];
      readonly httpProxyPort?: number;
      readonly socksProxyPort?: number;
    };
    readonly filesystem: Readonly<Record<'denyRead' | 'allowWrite' | 'denyWrite', readonly string[]>>;
    readonly ripgrep: { readonly command: string };
  }): Promise<void>;
  waitForNetworkInitialization(): Promise<boolean>;
  getProxyPort(): number | undefined;
  getSocksProxyPort(): number | undefined;
  getProxyAuthToken(): string | undefined;
  getLinuxHttpSocketPath(): string | undefined;
  getLinuxSocksSocketPath(): string | undefined;
  reset(): Promise<void>;
}

async function loadRuntime(): Promise<ProxyRuntime> {
  const { SandboxManager } = (await import(PROXY_PACKAGE)) as { readonly SandboxManager: ProxyRuntime };
  return SandboxManager;
}

/** The package has one proxy for the process: who asks for the same domains shares it. */
const users = new CountedUse();
let served: string | undefined;
let starting: Promise<void> | undefined;

const SOCKET = '/run/turnwright-proxy.sock';
const HTTP_PORT = 3128;
const SOCKS_PORT = 1080;

export async function openDomainProxy(network: Domains, programs: SandboxPrograms): Promise<DomainProxy> {
  const runtime = await loadRuntime();
  const asked = JSON.stringify(network);
  if (served !== undefined && served !== asked)
    throw new Error(
      'Another session of this process opens the network to other domains: run one of them in a process of its own.',
    );
  served = asked;
  const { allowed, denied, httpProxyPort, socksProxyPort } = network;
  starting ??= runtime.initialize({
    network: {
      allowedDomains: allowed,
      deniedDomains: denied,
      ...(httpProxyPort !== undefined && { httpProxyPort }),
      ...(socksProxyPort !== undefined && { socksProxyPort }),
    },
    filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
    // Files are our own business, so nothing is searched.
    ripgrep: { command: '/bin/sh' },
  });
  const close = users.use('proxy', async () => {
    served = undefined;
    starting = undefined;
    await runtime.reset();
  });
  try {
    await starting;
    await runtime.waitForNetworkInitialization();
  } catch (error) {
    await close();
    throw error;
  }
  const token = runtime.getProxyAuthToken();
  const http = runtime.getLinuxHttpSocketPath();
  const socks = runtime.getLinuxSocksSocketPath();
  const isLinux = http !== undefined;
  const ports = [runtime.getProxyPort(), runtime.getSocksProxyPort()].filter((port) => port !== undefined);
  const [httpPort = HTTP_PORT, socksPort = SOCKS_PORT] = isLinux ? [HTTP_PORT, SOCKS_PORT] : ports;
  return {
    shown: [
      ...(http === undefined ? [] : [{ source: http, path: SOCKET }]),
      ...(socks === undefined ? [] : [{ source: socks, path: `${SOCKET}.socks` }]),
    ],
    ports: [...new Set(ports)],
    env: proxyVariables(token, httpPort, socksPort),
    startInside: (command, filter) => [
      ...['/bin/sh', '-c', RELAYS, programs.socat ?? 'socat', programs.isolator],
      ...[...WALLED, '--seccomp', String(filter), '--', ...command],
    ],
    close,
  };
}

/** Ends with the first process of the network, which waits for the command alone. */
const RELAYS = `"$0" TCP-LISTEN:${HTTP_PORT},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${SOCKET} >/dev/null 2>&1 &
"$0" TCP-LISTEN:${SOCKS_PORT},bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${SOCKET}.socks >/dev/null 2>&1 &
exec "$@"`;

/**
 * The relays need sockets that the command must not have: so the filter is upon the command. It sees the
 * relays, and with a process table that cannot be written to, and neither ptrace nor their descriptors, can
 * do no more than end them.
 */
const WALLED = [
  ...['--unshare-user', '--die-with-parent', '--cap-drop', 'ALL'],
  ...['--dev-bind', '/', '/', '--remount-ro', '/proc'],
];

function proxyVariables(token: string | undefined, http: number, socks: number): Record<string, string> {
  const user = token === undefined ? '' : `srt.Og%3D%3D:${token}@`;
  const httpUrl = `http://${user}127.0.0.1:${http}`;
  const socksUrl = `socks5h://${user}127.0.0.1:${socks}`;
  const here = 'localhost,127.0.0.1,::1';
  const variables: Record<string, string> = {
    HTTP_PROXY: httpUrl,
    HTTPS_PROXY: httpUrl,
    ALL_PROXY: socksUrl,
    NO_PROXY: here,
  };
  for (const [name, value] of Object.entries(variables)) variables[name.toLowerCase()] = value;
  return variables;
}
