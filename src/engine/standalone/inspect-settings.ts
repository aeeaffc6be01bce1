/** Settings looked at from outside a session. */
import { resolveModelAlias } from '../../model/catalog/model-info.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { ConfigOptions } from '../../settings/config-options.ts';
import { describeLayers } from '../../settings/resolve/describe-layers.ts';
import { resolveConfig } from '../../settings/resolve/resolve-config.ts';
import {
  recordTrust,
  revokeTrust,
  type TrustedFolder,
  trustedFolders,
} from '../../settings/trust/trust-store.ts';
import { unreachableModel } from '../models/unreachable-model.ts';

export type { ProjectTrust } from '../../settings/trust/trust.ts';

export async function inspectSettings(input: {
  readonly options: ConfigOptions;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly files: PersistentFiles;
}) {
  const resolved = await resolveConfig(input);
  const { layers, project, apiKeySource, baseUrl, sandbox } = resolved;
  const model = resolveModelAlias(resolved.model ?? 'default', { ...input.env, ...resolved.modelAliases });
  const unreachable = unreachableModel(resolved)?.message;
  const report = describeLayers(layers);
  return { report, trust: project.trust, apiKeySource, baseUrl, model, unreachable, sandbox };
}

export function trustRecords(configHome: string, files: PersistentFiles) {
  const store = { configHome, files };
  return {
    list: () => trustedFolders(store),
    record: (folder: TrustedFolder) => recordTrust(folder, store),
    revoke: (root: string) => revokeTrust(root, store),
  };
}
