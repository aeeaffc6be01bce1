/** The plugins of a session in the form of the SDK. */
import type { QueryEngineConfig } from '../config.ts';
import type { Session } from '../session/session.ts';

export interface PluginInfo {
  readonly name: string;
  readonly path: string;
  /** `name@inline`: from a folder that the host or a flag names. */
  readonly source: string;
  readonly version?: string;
}

/** Agents and hooks of plugins that were read again hold from here on. */
export function takeUpPlugins({ agents, hooks }: Pick<Session, 'agents' | 'hooks'>): void {
  hooks.takeUp();
  agents.takeUp();
}

export function pluginInfos({ plugins }: Pick<QueryEngineConfig, 'plugins'>): readonly PluginInfo[] {
  return (plugins?.plugins ?? []).map(({ name, root, version }) => ({
    name,
    path: root,
    source: `${name}@inline`,
    ...(version !== undefined && { version }),
  }));
}
