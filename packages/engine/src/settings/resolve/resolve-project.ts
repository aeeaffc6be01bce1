import { dirname, join, relative, sep } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import { resolveLinks } from '@turnwright/base/files/real-path.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { BaseOptions } from '../../options/options.ts';
import { MCP_FILE, type McpFile, parseMcpFile } from '../read/mcp-file.ts';
import { leadsOut, readIfPresent, readSettings } from '../read/read-settings.ts';
import type { SettingsLayer } from '../settings-keys.ts';
import type { ProjectTrust, TrustSubject } from '../trust/trust.ts';
import type { TrustStore } from '../trust/trust-store.ts';
import { writtenNames } from '../trust/written-names.ts';
import type { ResolvedProject } from './resolution.ts';

interface ProjectPlaces {
  readonly options: BaseOptions;
  readonly projectRoot: string;
  readonly repositoryRoot: string;
  readonly configHome: string | undefined;
  readonly layers: readonly SettingsLayer[];
  readonly files: Pick<PersistentFiles, 'readFile' | 'readDir' | 'realpath'>;
  readonly warn: (warning: string) => void;
}

/**
 * What the project's files may do. They are read once, here: the content that is checked is the content that
 * is used, even if the files change meanwhile.
 */
export async function resolveProject(places: ProjectPlaces): Promise<ResolvedProject> {
  const { options, configHome, layers, files, warn } = places;
  const { settingSources = [], projectTrusted, trustRecorded = false, strictMcpConfig = false } = options;
  const isAsked = settingSources.some((source) => source !== 'user');
  const isWord = projectTrusted ?? isAsked;
  if (!isAsked || (!isWord && !trustRecorded))
    return {
      trusted: isWord,
      mayAllow: isWord,
      trusts: async (folder) => isWord && !isInstalled(folder, places),
      trust: undefined,
      mcpServers: undefined,
    };
  const { mcpFile, problem } =
    settingSources.includes('project') && !strictMcpConfig ? await readMcpFile(places) : NO_MCP_FILE;
  if (problem !== undefined) warn(problem);
  const mcpServers = mcpFile?.servers;
  const store = configHome === undefined ? undefined : { configHome, files };
  const recorded = () => projectTrust({ ...places, mcpFile, problem, store });
  const written = isWord ? await readWrittenFolders(store, warn) : NOTHING_WRITTEN;
  const known = new Map<string, Promise<boolean>>();
  const byRecord = (folder: string): Promise<boolean> => {
    const answer = known.get(folder) ?? trustsByRecord(folder, places, store);
    known.set(folder, answer);
    return answer;
  };
  const isWritten = async (folder: string) =>
    written === 'any' || written.has(await resolveLinks(files, folder));
  if (isWord && (projectTrusted === true || !(await isWritten(places.projectRoot)))) {
    const mayAllow =
      projectTrusted === true || !layers.some(sharedAllows) || (await recorded()).state === 'trusted';
    // A word about the project says nothing of what others, or commands, put into the folders below.
    const trusts = async (folder: string) => {
      if (isInstalled(folder, places)) return false;
      if (folder === places.projectRoot) return true;
      const isBelow = isInside(folder, places.projectRoot);
      const asks = (isBelow && projectTrusted !== true) || (await isWritten(folder));
      return asks ? byRecord(folder) : true;
    };
    return { trusted: true, mayAllow, trusts, trust: undefined, mcpServers };
  }
  const trust = await recorded();
  const trusted = trust.state === 'trusted';
  if (isWord && !trusted && trust.state !== 'nothing')
    warn(
      `What ${places.projectRoot} would allow or run is passed over: a command in the sandbox put it there. Look at it, and run turnwright trust in that folder.`,
    );
  known.set(places.projectRoot, Promise.resolve(trusted));
  return {
    trusted,
    mayAllow: trusted,
    trusts: byRecord,
    trust,
    mcpServers: trusted ? mcpServers : undefined,
  };
}

/** Trust in a project does not include its installed packages. */
function isInstalled(folder: string, { projectRoot }: Pick<ProjectPlaces, 'projectRoot'>): boolean {
  return relative(projectRoot, folder).split(sep).includes('node_modules');
}

const NOTHING_WRITTEN: ReadonlySet<string> = new Set();

/** Folders where commands put what grants; `any`: they are not known, so that none counts as agreed to. */
async function readWrittenFolders(
  store: TrustStore | undefined,
  warn: (warning: string) => void,
): Promise<ReadonlySet<string> | 'any'> {
  if (store === undefined) return NOTHING_WRITTEN;
  try {
    return new Set((await writtenNames(store)).map((path) => dirname(path)));
  } catch (error) {
    warn(errorText(error));
    return 'any';
  }
}

/** Loaded where records decide: not where a host says itself whether it trusts the project. */
async function projectTrust(subject: TrustSubject): Promise<ProjectTrust> {
  const trust = await import('../trust/trust.ts');
  return trust.assessTrust(subject);
}

/** Compared with the record of that folder, as if a session were started in it. */
async function trustsByRecord(
  projectRoot: string,
  places: ProjectPlaces,
  store: TrustStore | undefined,
): Promise<boolean> {
  const { files, options, repositoryRoot, warn } = places;
  try {
    const sources = (options.settingSources ?? []).filter((source) => source !== 'user');
    const [layers, { mcpFile, problem }] = await Promise.all([
      readSettings({ sources, configHome: undefined, projectRoot, repositoryRoot, files }),
      readMcpFile({ ...places, projectRoot }),
    ]);
    const { state } = await projectTrust({
      projectRoot,
      repositoryRoot,
      layers,
      mcpFile,
      problem,
      files,
      store,
    });
    if (layers.some(({ unusable }) => unusable !== undefined)) return false;
    if (state === 'untrusted' || state === 'changed')
      warn(
        `What the skills of ${projectRoot} would allow or run is passed over: that folder is not trusted, or has changed since. Run turnwright trust in it.`,
      );
    return state === 'trusted';
  } catch {
    return false; // its settings cannot be read, and would stop a session there
  }
}

/** The shared file comes with the repository; the local one belongs to the user. */
function sharedAllows({ source, settings }: SettingsLayer): boolean {
  return source === 'project' && (settings.permissions?.allow ?? []).length > 0;
}

interface ReadMcpFile {
  readonly mcpFile?: McpFile;
  readonly problem?: string;
}

const NO_MCP_FILE: ReadMcpFile = {};

/** A file that cannot be read starts no server. */
async function readMcpFile({ projectRoot, repositoryRoot, files }: ProjectPlaces): Promise<ReadMcpFile> {
  const file = join(projectRoot, MCP_FILE);
  const refused = (problem: string) => ({
    problem: `The MCP servers of ${file} are not used: the file ${problem}`,
  });
  try {
    if (await leadsOut(file, repositoryRoot, files))
      return refused(`is a link that leads out of ${repositoryRoot}.`);
    const text = await readIfPresent(file, files);
    if (text === undefined) return NO_MCP_FILE;
    const mcpFile = parseMcpFile(text);
    return mcpFile.problem === undefined ? { mcpFile } : refused(`${mcpFile.problem}.`);
  } catch (error) {
    const { cause } = error as Error;
    return refused(`cannot be read: ${cause instanceof Error ? cause.message : String(error)}`);
  }
}
