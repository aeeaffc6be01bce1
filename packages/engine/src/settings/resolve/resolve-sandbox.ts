import { isAbsolute, join, resolve } from 'node:path';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { SettingsLayer } from '../settings-keys.ts';
import { mergeSandboxes, type SandboxNetwork, type SandboxSettings } from './sandbox-settings.ts';

/**
 * The isolation that options and settings configure together. Plain data; paths are absolute, or absolute up
 * to a wildcard.
 */
export interface ResolvedSandbox {
  readonly failIfUnavailable: boolean;
  readonly autoAllow: boolean;
  readonly mayLeave: boolean;
  readonly excludedCommands: readonly string[];
  readonly isolatesHooks: boolean;
  /** All, or those of these names. */
  readonly isolatedServers: 'all' | readonly string[];
  readonly network: {
    readonly allowedDomains: readonly string[];
    readonly deniedDomains: readonly string[];
    readonly httpProxyPort: number | undefined;
    readonly socksProxyPort: number | undefined;
    readonly unixSockets: readonly string[];
    readonly allowAllUnixSockets: boolean;
    readonly allowLocalBinding: boolean;
    readonly machServices: readonly string[];
    /** Only those of managed settings open the network. */
    readonly managedDomainsOnly: boolean;
  };
  readonly files: {
    readonly allowWrite: readonly string[];
    readonly denyWrite: readonly string[];
    readonly denyRead: readonly string[];
    readonly allowRead: readonly string[];
    readonly disabled: boolean;
  };
  readonly hiddenVariables: readonly string[];
  readonly sharesProc: boolean;
  readonly allowUserNamespaces: boolean;
  readonly allowTrustDaemon: boolean;
  readonly allowAppleEvents: boolean;
  readonly bwrapPath: string | undefined;
  readonly socatPath: string | undefined;
  /** `PATH`, where its programs are looked for. */
  readonly path: string;
}

export interface SandboxPlaces {
  readonly cwd: string;
  readonly projectRoot: string;
  readonly configHome: string | undefined;
  readonly home: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly path: string;
  readonly warn: (line: string) => void;
}

/**
 * Options override settings, managed settings override both; lists are combined. undefined: nothing is
 * isolated. Throws `invalid_option` for an option of another shape.
 */
export async function resolveSandbox(
  option: SandboxSettings | undefined,
  layers: readonly SettingsLayer[],
  places: SandboxPlaces,
): Promise<ResolvedSandbox | undefined> {
  if (option !== undefined) await checkOption(option);
  const own = layers.filter(({ source, settings }) => source !== 'managed' && settings.sandbox !== undefined);
  const managed = layers.filter(
    ({ source, settings }) => source === 'managed' && settings.sandbox !== undefined,
  );
  if (option === undefined && own.length + managed.length === 0) return undefined;
  const withPaths = (layer: SettingsLayer) =>
    absolutePaths(layer.settings.sandbox ?? {}, pickBase(layer, places), places);
  const policy = mergeSandboxes(managed.map(withPaths));
  const sandbox = mergeSandboxes([
    ...own.map((layer) => withoutPolicyKeys(withPaths(layer), policy)),
    option && withoutPolicyKeys(absolutePaths(option, places.cwd, places), policy),
    policy,
  ]);
  if (sandbox.enabled !== true) return undefined;
  warnOfIdle(sandbox, places);
  return resolved(sandbox, places);
}

async function checkOption(option: SandboxSettings): Promise<void> {
  const { sandboxSchema } = await import('../read/sandbox-schema.ts');
  const parsed = sandboxSchema.safeParse(option);
  if (parsed.success) return;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `${['sandbox', ...path].map(String).join('.')}: ${message}`,
  );
  throw new TurnwrightError('invalid_option', `${problems.join('; ')}.`);
}

/** The folder that relative paths are resolved against. */
function pickBase({ source }: SettingsLayer, { cwd, projectRoot, configHome }: SandboxPlaces): string {
  return source === 'user'
    ? (configHome ?? cwd)
    : source === 'flag' || source === 'managed'
      ? cwd
      : projectRoot;
}

function absolutePaths(sandbox: SandboxSettings, base: string, { home }: SandboxPlaces): SandboxSettings {
  const full = (path: string): string => {
    if (path === '~' || path.startsWith('~/'))
      return home === undefined ? resolve('/', path) : join(home, path.slice(1));
    if (path.startsWith('//')) return resolve(path.slice(1));
    return isAbsolute(path) ? resolve(path) : resolve(base, path);
  };
  const all = (paths: readonly string[] | undefined) => paths?.map(full);
  const { filesystem: files, credentials } = sandbox;
  return {
    ...sandbox,
    ...(files !== undefined && {
      filesystem: {
        ...files,
        allowWrite: all(files.allowWrite),
        denyWrite: all(files.denyWrite),
        denyRead: all(files.denyRead),
        allowRead: all(files.allowRead),
      },
    }),
    ...(credentials?.files !== undefined && {
      credentials: {
        ...credentials,
        files: credentials.files.map((file) => ({ ...file, path: full(file.path) })),
      },
    }),
  };
}

/** Without the keys that only an administrator may set, and those that an administrator has locked. */
function withoutPolicyKeys(sandbox: SandboxSettings, policy: SandboxSettings): SandboxSettings {
  const { bwrapPath: _bwrap, socatPath: _socat, network, filesystem, ...rest } = sandbox;
  const { allowManagedDomainsOnly: _domains, ...net } = network ?? {};
  const { allowManagedReadPathsOnly: _reads, ...files } = filesystem ?? {};
  if (policy.network?.allowManagedDomainsOnly === true) {
    net.allowedDomains = undefined;
    net.httpProxyPort = undefined;
    net.socksProxyPort = undefined;
  }
  if (policy.filesystem?.allowManagedReadPathsOnly === true) files.allowRead = undefined;
  if (policy.filesystem !== undefined) files.disabled = undefined;
  return { ...rest, network: net, filesystem: files };
}

function warnOfIdle({ network, credentials }: SandboxSettings, { platform, warn }: SandboxPlaces): void {
  const masked = [...(credentials?.files ?? []), ...(credentials?.envVars ?? [])].some(
    ({ mode }) => mode === 'mask',
  );
  if (masked)
    warn(
      'sandbox.credentials: "mask" is not available, so these credentials are denied to commands in the sandbox.',
    );
  if (network?.tlsTerminate !== undefined)
    warn('sandbox.network.tlsTerminate has no effect: connections are filtered by the name of the host.');
  if (platform === 'linux' && network?.allowUnixSockets !== undefined && network.allowAllUnixSockets !== true)
    warn(
      'sandbox.network.allowUnixSockets has no effect on Linux, where sockets are closed or open as a whole: allowAllUnixSockets opens them.',
    );
}

function resolved(sandbox: SandboxSettings, { path }: SandboxPlaces): ResolvedSandbox {
  const { filesystem: files = {}, credentials = {} } = sandbox;
  const network: SandboxNetwork = sandbox.network ?? {};
  return {
    failIfUnavailable: sandbox.failIfUnavailable !== false,
    autoAllow: sandbox.autoAllowBashIfSandboxed === true,
    mayLeave: sandbox.allowUnsandboxedCommands !== false,
    excludedCommands: sandbox.excludedCommands ?? [],
    isolatesHooks: sandbox.hooks === true,
    isolatedServers: sandbox.mcpServers === true ? 'all' : sandbox.mcpServers || [],
    network: {
      allowedDomains: network.allowedDomains ?? [],
      deniedDomains: network.deniedDomains ?? [],
      httpProxyPort: network.httpProxyPort,
      socksProxyPort: network.socksProxyPort,
      unixSockets: network.allowUnixSockets ?? [],
      allowAllUnixSockets: network.allowAllUnixSockets === true,
      allowLocalBinding: network.allowLocalBinding === true,
      machServices: network.allowMachLookup ?? [],
      managedDomainsOnly: network.allowManagedDomainsOnly === true,
    },
    files: {
      allowWrite: files.allowWrite ?? [],
      denyWrite: files.denyWrite ?? [],
      denyRead: [...(files.denyRead ?? []), ...(credentials.files ?? []).map(({ path: file }) => file)],
      allowRead: files.allowRead ?? [],
      disabled: files.disabled === true,
    },
    hiddenVariables: (credentials.envVars ?? []).map(({ name }) => name),
    sharesProc: sandbox.enableWeakerNestedSandbox === true,
    allowUserNamespaces: sandbox.allowNestedUserNamespaces === true,
    allowTrustDaemon: sandbox.enableWeakerNetworkIsolation === true,
    allowAppleEvents: sandbox.allowAppleEvents === true,
    bwrapPath: sandbox.bwrapPath,
    socatPath: sandbox.socatPath,
    path,
  };
}
