/** Settings without a session: effective values, model access, and trusted folders. */

import { resolve } from 'node:path';
import type { ProjectTrust, SettingKey } from '../engine/standalone/inspect-settings.ts';
import type { AvailableModels } from '../engine/standalone/list-configured-models.ts';
import type { EndpointAnswer } from '../engine/standalone/probe-model.ts';
import { configHome } from '../settings/read/config-home.ts';

export { machineSettingsFile } from '../settings/read/read-managed.ts';

import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import { createUnreadFields } from '@turnwright/base/text/unread-fields.ts';
import type { SettingsReport } from '../engine/host/settings-access.ts';
import type { SandboxState } from '../engine/sandbox/open-sandbox.ts';
import { checkOptions } from '../options/check-options.ts';
import { TurnwrightError } from '../protocol/errors.ts';
import type { CloudName } from '../protocol/model/provider.ts';
import type { LanguageServerStatus } from '../protocol/tools/language.ts';
import { loadConfig } from './open-engine.ts';
import { resolveFolder, resolvePlace } from './process-place.ts';
import type { Options } from './query-options.ts';

export type { PermissionRulesState } from '../engine/host/session-settings.ts';
export { unknownBuiltinTools } from '../engine/wiring/tools/tool-fields.ts';
export type { AvailableModels, EndpointAnswer, ProjectTrust, SandboxState, SettingKey, SettingsReport };

/** The options of `query()` that decide which settings apply. */
export type ResolveSettingsOptions = Pick<
  Options,
  | 'cwd'
  | 'env'
  | 'settings'
  | 'settingSources'
  | 'managedSettings'
  | 'managedSettingsFile'
  | 'projectTrusted'
  | 'trustRecorded'
  | 'projectConfigRoot'
>;

/**
 * The effective settings of a query with these options. Default sources: all. Rejects with
 * `invalid_settings`.
 *
 * @example
 * ```ts
 * const report = await resolveSettings({ cwd: '/work/app', settingSources: ['user', 'project'] });
 * console.log(report.effective);
 * ```
 */
export async function resolveSettings(options: ResolveSettingsOptions = {}): Promise<SettingsReport> {
  return (await inspect(options)).report;
}

/**
 * The fields of agents, skills and commands that have no effect in a query with these options, one sentence
 * each with the file. A session says in one line how many there are.
 */
export async function fieldsWithoutEffect(options: ResolveSettingsOptions = {}): Promise<readonly string[]> {
  const unread = createUnreadFields();
  const place = { settingSources: ['user', 'project', 'local'] as const, ...options };
  const { commandSources = [] } = await loadConfig(place, unread);
  await Promise.all(commandSources.map((source) => source.load?.()));
  return unread.details();
}

/** The endpoint and the source of the credentials of a query with these options. Names only, never values. */
export async function modelAccess(options: ResolveSettingsOptions = {}): Promise<ModelAccess> {
  const { api, apiKeyEnv, apiKeySource, baseUrl, cloud, model, provider, unreachable } =
    await inspect(options);
  return {
    apiKeySource,
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
    baseUrl,
    provider,
    api,
    model,
    ...(cloud !== undefined && { cloud }),
    ...(unreachable !== undefined && { unreachable }),
  };
}

/** The endpoint of the configured model, and the source of the credentials. */
export interface ModelAccess {
  /** `none`: there are no credentials. */
  readonly apiKeySource: string;
  /** The variable that is read for the key of this provider, set or not; absent: none is. */
  readonly apiKeyEnv?: string;
  readonly baseUrl: string;
  /** That of the configured model: `anthropic`, a cloud, a local server, or a name of the settings. */
  readonly provider: string;
  /** Which API is spoken at `baseUrl`. */
  readonly api: 'messages' | 'chat completions' | 'responses';
  /** Default model of a session. */
  readonly model: string;
  /** The cloud that is asked instead of `baseUrl`, with credentials of its own; absent: none. */
  readonly cloud?: CloudName;
  /** Why no session can use it, in one sentence; absent if it can be used. */
  readonly unreachable?: string;
}

/**
 * Sends one or two requests to check whether the endpoint accepts a query with these options; without cost.
 * Runs an apiKeyHelper. Rejects with `invalid_settings`.
 *
 * @example
 * ```ts
 * const answer = await probeModel({ env: process.env, signal: AbortSignal.timeout(10_000) });
 * ```
 */
export async function probeModel(
  options: ResolveSettingsOptions & { readonly signal: AbortSignal },
): Promise<EndpointAnswer> {
  const { signal, ...place } = options;
  const { probeConfiguredModel: probe } = await import('../engine/standalone/probe-model.ts');
  return probe(await loadConfig({ settingSources: ['user', 'project', 'local'], ...place }), signal);
}

/**
 * The models that the endpoint of a query with these options offers, with sizes, prices and their source;
 * those of the built-in list if the endpoint does not list them. One request, without cost. Runs an
 * apiKeyHelper. Rejects with `invalid_settings`.
 *
 * @example
 * const { models, defaultModel } = await listModels({ signal: AbortSignal.timeout(10_000) });
 */
export async function listModels(
  options: ResolveSettingsOptions & { readonly signal: AbortSignal },
): Promise<AvailableModels> {
  const { signal, ...place } = options;
  const { listConfiguredModels: list } = await import('../engine/standalone/list-configured-models.ts');
  return list(await loadConfig({ settingSources: ['user', 'project', 'local'], ...place }), signal);
}

/**
 * Whether a query with these options would isolate commands, and whether this machine supports it: runs an
 * isolated program to find out, unless isolation is only requested by a folder that is not trusted. Rejects
 * with `invalid_settings`.
 */
export async function sandboxState(options: ResolveSettingsOptions = {}): Promise<SandboxState> {
  const { sandbox, trust } = await inspect(options);
  const { probeSandbox: look } = await import('../engine/sandbox/open-sandbox.ts');
  const path = resolvePlace(options).env['PATH'] ?? '';
  return look(sandbox, { path, mayStart: trust?.state !== 'untrusted' });
}

/**
 * The language servers of a query with these options; none is started. `stderr` receives what is wrong with
 * their configuration. Rejects with `invalid_settings`.
 *
 * @example
 * for (const { name, command } of await listLanguageServers()) console.log(name, command);
 */
export async function listLanguageServers(
  options: ResolveSettingsOptions & Pick<Options, 'stderr'> = {},
): Promise<readonly LanguageServerStatus[]> {
  const { language } = await loadConfig({ settingSources: ['user', 'project', 'local'], ...options });
  return language?.listed ?? [];
}

/**
 * Whether the project's files may do more than restrict, and what they request. Default sources: all.
 *
 * @example
 * ```ts
 * const trust = await projectTrust({ cwd: '/work/app', settingSources: ['project'] });
 * if (trust.state !== 'trusted') console.log(trust.items);
 * ```
 */
export async function projectTrust(options: ResolveSettingsOptions = {}): Promise<ProjectTrust> {
  const { trust } = await inspect({ ...options, projectTrusted: false, trustRecorded: true });
  // Without project sources there are no requests.
  return trust ?? { root: resolveFolder(options.cwd), state: 'nothing', hash: '', items: [], mcpServers: [] };
}

/**
 * Records trust in exactly this content. Throws `invalid_option` when there is no configuration home; only
 * the user can read the record (0600).
 */
export async function trustProject(
  { root, hash, content }: Pick<ProjectTrust, 'root' | 'hash' | 'content'>,
  options: Pick<Options, 'cwd' | 'env'> = {},
): Promise<void> {
  const trustedAt = isoTime(systemClock.nowMs());
  await (await openTrustRecords(options)).record({ root, hash, ...(content && { content }), trustedAt });
}

/** The trusted folders, and since when. */
export async function trustedFolders(options: Pick<Options, 'cwd' | 'env'> = {}) {
  return (await openTrustRecords(options)).list();
}

/** false: the folder was not trusted. `root`: its real path. */
export async function revokeTrust(
  root: string,
  options: Pick<Options, 'cwd' | 'env'> = {},
): Promise<boolean> {
  return (await openTrustRecords(options)).revoke(root);
}

// Loaded on first use: a session reads settings by itself.
const load = () => import('../engine/standalone/inspect-settings.ts');

async function inspect(options: ResolveSettingsOptions) {
  checkOptions(options);
  const { cwd, env } = resolvePlace(options);
  const { inspectSettings } = await load();
  return inspectSettings({
    options: { settingSources: ['user', 'project', 'local'], ...options },
    cwd: resolve(cwd),
    env,
    files: nodeFiles,
  });
}

async function openTrustRecords(options: Pick<Options, 'cwd' | 'env'>) {
  const { cwd, env } = resolvePlace(options);
  const home = configHome(env, resolve(cwd));
  if (home === undefined)
    throw new TurnwrightError(
      'invalid_option',
      'There is no home to remember trust in. Set TURNWRIGHT_HOME or HOME.',
    );
  const { trustRecords } = await load();
  return trustRecords(home, nodeFiles);
}

/** The keys of settings with the kind of their values, in the order of the schema. */
export async function settingsKeys(): Promise<readonly SettingKey[]> {
  return (await load()).listSettingKeys();
}

/**
 * What to do in place of a slash command that people know from other programs, in a sentence; undefined: none
 * of them has a command of this name.
 */
export async function commandAdvice(name: string): Promise<string | undefined> {
  return (await import('../engine/host/foreign-commands.ts')).findCommandAdvice(name);
}
