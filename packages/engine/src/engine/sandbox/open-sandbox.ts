/**
 * Isolation of commands in a session: what settings, rules and folders make of it. Loaded where it is asked
 * for.
 */
import { join } from 'node:path';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import { isInside } from '@turnwright/base/files/inside.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { CREDENTIALS_AT_HOME } from '@turnwright/base/files/protected-names.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { commandExcludedBy } from '../../permissions/commands/command-rule.ts';
import { repositoryFrom, runsNothing } from '../../permissions/commands/own-repository.ts';
import { startOfPattern } from '../../permissions/rules/read-pattern.ts';
import type { CommandPlace, SandboxedCall, SandboxPort } from '../../protocol/tools/isolation.ts';
import { type Availability, checkAvailability } from '../../sandbox/availability.ts';
import type { NetworkPolicy, PathPattern, SandboxPolicy, SandboxPrograms } from '../../sandbox/policy.ts';
import { openSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import type { ResolvedSandbox } from '../../settings/resolve/resolve-sandbox.ts';
import { rememberWritten } from '../../settings/trust/written-names.ts';
import type { SandboxParts, SessionSandbox } from './session-sandbox.ts';

/** Where configuration and credentials are. */
export interface ConfigPlaces {
  readonly configHome: string | undefined;
  readonly home: string | undefined;
  /** Files of the configuration home. */
  readonly files: PersistentFiles;
}

/** Isolates a program to find out whether that works; `why`, half a sentence, when it does not. */
export async function openSessionSandbox(
  asked: ResolvedSandbox,
  places: ConfigPlaces,
): Promise<{ readonly sandbox: SessionSandbox } | { readonly why: string }> {
  const found = await sandboxAvailability(asked);
  if (!found.available) return { why: found.why };
  const { programs } = found;
  const { isolatedServers, mayLeave } = asked;
  let network: NetworkPolicy | undefined;
  return {
    sandbox: {
      mayLeave,
      isolatesServer: isolatesServer(isolatedServers),
      open: (parts) => {
        // All of a session reach the same hosts: its process has one proxy.
        const networkNow = () => (network ??= toNetworkPolicy(asked, parts));
        return openPort({ asked, programs, networkNow, ...places }, parts);
      },
    },
  };
}

/** In the place of a sandbox that is demanded and cannot be had: what has to run in it is not started. */
export function refusingSandbox(
  { mayLeave, isolatedServers }: ResolvedSandbox,
  sentence: string,
): SessionSandbox {
  return {
    mayLeave,
    isolatesServer: isolatesServer(isolatedServers),
    open: () => ({
      placeOf: () => 'sandbox',
      isolate: () => Promise.reject(new Error(sentence)),
      mayLeave,
      excludedCommands: [],
      autoAllow: false,
      isolatesHooks: true,
      limits: sentence,
      close: async () => {},
    }),
  };
}

const isolatesServer =
  (servers: ResolvedSandbox['isolatedServers']) =>
  (name: string): boolean =>
    servers === 'all' || servers.includes(name);

async function sandboxAvailability(
  asked: Pick<ResolvedSandbox, 'bwrapPath' | 'socatPath' | 'path' | 'network'>,
): Promise<Availability> {
  const { bwrapPath, socatPath, path } = asked;
  const { platform, arch: architecture } = process;
  const filtersDomains = toNetworkPolicy(asked, NO_RULES).kind === 'domains';
  return checkAvailability({ platform, architecture, path, bwrapPath, socatPath, filtersDomains });
}

/** What settings ask for, and whether this machine can do it. */
export interface SandboxState {
  readonly asked: boolean;
  /** No session starts without isolation. */
  readonly required: boolean;
  /** Hooks that are commands are isolated too, and these MCP servers. */
  readonly hooks: boolean;
  readonly mcpServers: 'all' | readonly string[];
  /** false: `isolator` was found, and not started. */
  readonly tried: boolean;
  /** The program that isolates; undefined: none can. */
  readonly isolator: string | undefined;
  /** Half a sentence: why nothing can be isolated. */
  readonly why?: string;
  /** A sentence: what to do about it, where that is known. */
  readonly remedy?: string;
}

/**
 * Isolates a program to find out whether that works: where a session would, and else where programs may be
 * started. `path`: `PATH`.
 */
export async function probeSandbox(
  asked: ResolvedSandbox | undefined,
  { path, mayStart }: { readonly path: string; readonly mayStart: boolean },
): Promise<SandboxState> {
  const { platform, arch: architecture } = process;
  const tried = asked !== undefined || mayStart;
  const found = await (asked === undefined
    ? checkAvailability({ platform, architecture, path, filtersDomains: false, looksOnly: !tried })
    : sandboxAvailability(asked));
  const demand = {
    asked: asked !== undefined,
    required: asked?.failIfUnavailable === true,
    hooks: asked?.isolatesHooks === true,
    mcpServers: asked?.isolatedServers ?? [],
    tried,
  };
  if (found.available) return { ...demand, isolator: found.programs.isolator };
  const { why, remedy } = found;
  return { ...demand, isolator: undefined, why, ...(remedy !== undefined && { remedy }) };
}

const NO_RULES: Pick<SandboxParts, 'domains'> = { domains: () => [] };

interface SandboxConfig extends ConfigPlaces {
  readonly asked: ResolvedSandbox;
  readonly programs: SandboxPrograms;
  readonly networkNow: () => NetworkPolicy;
}

function openPort(
  { asked, programs, networkNow, configHome, home, files: stored }: SandboxConfig,
  parts: SandboxParts,
): SandboxPort {
  const policy = (): SandboxPolicy => {
    const { files } = asked;
    return {
      writable: [
        parts.cwd,
        ...parts.additionalDirectories(),
        ...files.allowWrite,
        ...parts.pathPatterns('allowWrite').map(startOfPattern),
      ],
      deniedWrites: [...files.denyWrite.map(toPathPattern), ...parts.pathPatterns('denyWrite')],
      deniedReads: [...files.denyRead.map(toPathPattern), ...parts.pathPatterns('denyRead')],
      readable: [...files.allowRead, ...parts.readableDirectories()],
      protectedPaths: parts.protectedPaths(),
      hiddenPaths: [
        ...(configHome === undefined ? [] : [configHome]),
        ...(home === undefined
          ? []
          : ['.claude', '.claude.json', '.turnwright'].map((name) => join(home, name))),
      ],
      credentialPaths: listCredentialPaths(home, files.allowRead),
      home,
      network: networkNow(),
      allowUnixSockets: asked.network.allowAllUnixSockets,
      allowUserNamespaces: asked.allowUserNamespaces,
      sharesProc: asked.sharesProc,
      isolatesFiles: !files.disabled,
      hiddenVariables: asked.hiddenVariables,
      macos: {
        unixSockets: asked.network.unixSockets,
        allowLocalBinding: asked.network.allowLocalBinding,
        machServices: asked.network.machServices,
        allowAppleEvents: asked.allowAppleEvents,
        allowTrustDaemon: asked.allowTrustDaemon,
      },
    };
  };
  let opened: Sandbox | undefined;
  const sandbox = lazily(() => {
    const { platform, arch: architecture } = process;
    const warn = (line: string) => parts.stderr?.(line);
    const aftermath = {
      remember: async (paths: readonly string[]) => {
        if (configHome !== undefined) await rememberWritten(paths, { configHome, files: stored });
      },
      isHarmless: isHarmlessSubmodule,
    };
    opened = openSandbox({ platform, architecture, programs, policy, aftermath, warn });
    return opened;
  });
  return {
    placeOf: (call) => placeOfCommand(call, asked),
    isolate: (launch) => sandbox().isolate(launch),
    mayLeave: asked.mayLeave,
    excludedCommands: asked.excludedCommands,
    // If files are not isolated, the sandbox is no reason to skip permission questions.
    autoAllow: asked.autoAllow && !asked.files.disabled,
    isolatesHooks: asked.isolatesHooks,
    limits: describeLimits(asked),
    close: async () => opened?.close(),
  };
}

/** Its repository lies where those of submodules lie, and git runs nothing of it. */
async function isHarmlessSubmodule(folder: string, above: string): Promise<boolean> {
  const repository = await repositoryFrom(await nodeFiles.realpath(folder), nodeFiles);
  if (typeof repository === 'string' || repository.root !== folder) return false;
  const [own, outer] = [repository.own, await repositoryFrom(above, nodeFiles)];
  if (typeof outer === 'string') return false;
  const places = [folder, ...[outer.own, outer.common].map((git) => join(git, 'modules'))];
  return places.some((place) => isInside(own, place)) && (await runsNothing(repository, nodeFiles));
}

export function placeOfCommand(
  call: SandboxedCall,
  asked: Pick<ResolvedSandbox, 'excludedCommands' | 'mayLeave'>,
): CommandPlace | Promise<CommandPlace> {
  if (call.dangerouslyDisableSandbox === true && asked.mayLeave) return 'override';
  if (asked.excludedCommands.length === 0) return 'sandbox';
  return commandExcludedBy(asked.excludedCommands, call.command).then((yes) =>
    yes ? 'excluded' : 'sandbox',
  );
}

function toNetworkPolicy(
  { network }: Pick<ResolvedSandbox, 'network'>,
  parts: Pick<SandboxParts, 'domains'>,
): NetworkPolicy {
  const { allowedDomains, httpProxyPort, socksProxyPort } = network;
  const hasProxy = httpProxyPort !== undefined || socksProxyPort !== undefined;
  if (allowedDomains.length === 0 && !hasProxy) return { kind: 'none' };
  const denied = [...network.deniedDomains, ...parts.domains('deny')];
  if (allowedDomains.includes('*') && denied.length === 0) return { kind: 'all' };
  const allowed = [...allowedDomains, ...(network.managedDomainsOnly ? [] : parts.domains('allow'))];
  return { kind: 'domains', allowed, denied, httpProxyPort, socksProxyPort };
}

/** What is named to be read is read, and what lies in it. */
function listCredentialPaths(home: string | undefined, allowRead: readonly string[]): readonly string[] {
  if (home === undefined) return [];
  return CREDENTIALS_AT_HOME.map((name) => join(home, name)).filter(
    (path) => !allowRead.some((open) => isInside(path, open)),
  );
}

/** A path that a setting names: in it only stars and question marks have a meaning. */
function toPathPattern(path: string): PathPattern {
  const segments = path.split('/').filter((segment) => segment !== '');
  return { root: '/', segments: segments.map((segment) => segment.replace(/[\\[]/g, '\\$&')) };
}

function describeLimits({ network, mayLeave }: ResolvedSandbox): string {
  const net =
    network.allowedDomains.length === 0
      ? 'it reaches no network'
      : `it reaches no hosts but ${network.allowedDomains.join(', ')}`;
  const leave = mayLeave
    ? ' If that is why it failed, the call may be made again with dangerouslyDisableSandbox.'
    : '';
  return `It ran in a sandbox: it writes only in the working directories and in $TMPDIR, and not to files that decide what runs; it does not read credentials in the home folder; ${net}.${leave}`;
}
