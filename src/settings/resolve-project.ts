import { join } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';
import type { ConfigOptions } from './config-options.ts';
import { MCP_FILE, type McpFile, parseMcpFile } from './mcp-file.ts';
import { readIfPresent } from './read-settings.ts';
import type { ResolvedConfig } from './resolved-config.ts';
import type { SettingsLayer } from './settings.ts';
import { projectTrust } from './trust.ts';

export interface ProjectPlaces {
  readonly options: ConfigOptions;
  readonly projectRoot: string;
  readonly configHome: string | undefined;
  readonly layers: readonly SettingsLayer[];
  readonly files: Pick<PersistentFiles, 'readFile' | 'readDir' | 'realpath'>;
  readonly warn: (warning: string) => void;
}

/**
 * What the project's files may do. They are read once, here: what is judged is what is used, whatever becomes of the
 * files meanwhile.
 */
export async function resolveProject(places: ProjectPlaces): Promise<ResolvedConfig['project']> {
  const { options, configHome, files, warn } = places;
  const {
    settingSources = [],
    projectTrusted = true,
    trustRecorded = false,
    strictMcpConfig = false,
  } = options;
  const isAsked = settingSources.some((source) => source !== 'user');
  if (!isAsked || (!projectTrusted && !trustRecorded))
    return { trusted: projectTrusted, trust: undefined, mcpServers: undefined };
  const { mcpFile, problem } =
    settingSources.includes('project') && !strictMcpConfig ? await readMcpFile(places) : NO_MCP_FILE;
  if (problem !== undefined) warn(problem);
  const mcpServers = mcpFile?.servers;
  if (projectTrusted) return { trusted: true, trust: undefined, mcpServers };
  const store = configHome === undefined ? undefined : { configHome, files };
  const trust = await projectTrust({ ...places, mcpFile, problem, store });
  const trusted = trust.state === 'trusted';
  return { trusted, trust, mcpServers: trusted ? mcpServers : undefined };
}

interface ReadMcpFile {
  readonly mcpFile?: McpFile;
  readonly problem?: string;
}

const NO_MCP_FILE: ReadMcpFile = {};

/** What cannot be read starts nothing. */
async function readMcpFile({ projectRoot, files }: ProjectPlaces): Promise<ReadMcpFile> {
  const file = join(projectRoot, MCP_FILE);
  const refused = (problem: string) => ({
    problem: `The MCP servers of ${file} are not used: the file ${problem}`,
  });
  try {
    const text = await readIfPresent(file, files);
    if (text === undefined) return NO_MCP_FILE;
    const mcpFile = parseMcpFile(text);
    return mcpFile.problem === undefined ? { mcpFile } : refused(`${mcpFile.problem}.`);
  } catch (error) {
    const { cause } = error as Error;
    return refused(`cannot be read: ${cause instanceof Error ? cause.message : String(error)}`);
  }
}
