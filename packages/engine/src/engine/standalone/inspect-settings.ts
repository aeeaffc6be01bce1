/** Settings looked at from outside a session. */

import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { BaseOptions } from '../../options/options.ts';
import { spokenApi } from '../../protocol/model/provider-config.ts';
import type { SettingKey } from '../../settings/read/describe-keys.ts';
import { describeLayers } from '../../settings/resolve/describe-layers.ts';
import { resolveConfig } from '../../settings/resolve/resolve-config.ts';
import {
  readTrustedFolders,
  recordTrust,
  removeTrust,
  type TrustedFolder,
} from '../../settings/trust/trust-store.ts';
import { configuredAccess } from '../models/configured-access.ts';
import { resolvedModel } from '../models/open-model-client.ts';
import { checkModelReach } from '../models/unreachable-model.ts';

export type { ProjectTrust } from '../../settings/trust/trust.ts';
export type { SettingKey };

export async function inspectSettings(input: {
  readonly options: BaseOptions;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly files: PersistentFiles;
}) {
  const resolved = await resolveConfig(input);
  const { config, layers, project, sandbox } = resolved;
  const { baseUrl, keySource = 'none', name, provider } = configuredAccess(config);
  const model = resolvedModel(config.model, config);
  const { cloud, unreachable } = await checkModelReach(resolved);
  const report = describeLayers(layers);
  return {
    report,
    trust: project.trust,
    apiKeySource: keySource,
    apiKeyEnv: provider.apiKeyEnv,
    baseUrl,
    provider: name,
    api: spokenApi(provider).api,
    model,
    cloud,
    unreachable: unreachable?.message,
    sandbox,
  };
}

export function trustRecords(configHome: string, files: PersistentFiles) {
  const store = { configHome, files };
  return {
    list: () => readTrustedFolders(store),
    record: (folder: TrustedFolder) => recordTrust(folder, store),
    revoke: (root: string) => removeTrust(root, store),
  };
}

/** The keys of settings in the order of the schema, which is loaded for it. */
export async function listSettingKeys(): Promise<readonly SettingKey[]> {
  return (await import('../../settings/read/describe-keys.ts')).describeKeys();
}
