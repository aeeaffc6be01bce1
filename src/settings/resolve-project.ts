import { join } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';
import type { ConfigOptions } from './config-options.ts';
import { readIfPresent } from './read-settings.ts';
import type { ResolvedConfig } from './resolved-config.ts';
import type { SettingsLayer } from './settings.ts';
import { MCP_FILE, projectTrust } from './trust.ts';

export interface ProjectPlaces {
  readonly options: ConfigOptions;
  readonly projectRoot: string;
  readonly configHome: string | undefined;
  readonly layers: readonly SettingsLayer[];
  readonly files: Pick<PersistentFiles, 'readFile' | 'readDir' | 'realpath'>;
}

/**
 * What the project's files may do. They are read once, here: what is judged is what is used, whatever becomes of the
 * files meanwhile.
 */
export async function resolveProject(places: ProjectPlaces): Promise<ResolvedConfig['project']> {
  const { options, projectRoot, configHome, files } = places;
  const {
    settingSources = [],
    projectTrusted = true,
    trustRecorded = false,
    strictMcpConfig = false,
  } = options;
  const isAsked = settingSources.some((source) => source !== 'user');
  if (!isAsked || (!projectTrusted && !trustRecorded))
    return { trusted: projectTrusted, trust: undefined, mcpServers: undefined };
  // What cannot be read starts nothing.
  const mcpServers =
    settingSources.includes('project') && !strictMcpConfig
      ? await readIfPresent(join(projectRoot, MCP_FILE), files).catch(() => undefined)
      : undefined;
  if (projectTrusted) return { trusted: true, trust: undefined, mcpServers };
  const store = configHome === undefined ? undefined : { configHome, files };
  const trust = await projectTrust({ ...places, mcpServers, store });
  const trusted = trust.state === 'trusted';
  return { trusted, trust, mcpServers: trusted ? mcpServers : undefined };
}
