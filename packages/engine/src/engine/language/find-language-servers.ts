/** Which language servers a session may use: of plugins, settings and options, and well-known ones. */

import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { findKnownServers } from '../../language/known-servers.ts';
import { idleStatus } from '../../language/language-server.ts';
import { type LanguageServerEntry, readLanguageServer } from '../../language/language-server-config.ts';
import type { LanguageServersOption } from '../../protocol/tools/language.ts';
import type { Plugin } from '../project/plugins.ts';
import { openLanguageRoom } from './language-room.ts';
import type { LanguageSetup } from './language-setup.ts';

/** ms that an edit waits. */
const WAIT_MS = 1_500;
const LSP_TOOL = 'LSP';

interface ServerWishes {
  readonly option: LanguageServersOption | undefined;
  readonly plugins: readonly Plugin[];
  /** What is in the folder is trusted: such servers run its code. */
  readonly mayRun: boolean;
  readonly projectRoot: string;
  /** Of child processes. */
  readonly childEnv: Readonly<Record<string, string>>;
  readonly files: Pick<PersistentFiles, 'stat' | 'readFile'>;
}

export interface FoundServersParts extends ServerWishes {
  isOffered(tool: string): boolean;
  warn(line: string): void;
}

/** What there is. */
interface ListedServers {
  readonly entries: readonly LanguageServerEntry[];
  /** What of the configuration is not in force, one sentence each. */
  readonly problems: readonly string[];
}

/** undefined: there is none. Starts none. */
export async function findLanguageServers({
  isOffered,
  warn,
  ...wishes
}: FoundServersParts): Promise<LanguageSetup | undefined> {
  const { entries, problems } = await readServerWishes(wishes);
  problems.forEach(warn);
  if (entries.length === 0) return undefined;
  const { option } = wishes;
  const waitMs = (typeof option === 'object' ? option.waitMs : undefined) ?? WAIT_MS;
  return {
    listed: entries.map(idleStatus),
    open: (parts) => openLanguageRoom({ entries, waitMs, offersTool: isOffered(LSP_TOOL) }, parts),
  };
}

/** Starts none. Never rejects. */
export async function readServerWishes({
  option,
  plugins,
  mayRun,
  projectRoot,
  childEnv,
  files,
}: ServerWishes): Promise<ListedServers> {
  if (option === false) return { entries: [], problems: [] };
  const { servers = {}, known = false } = typeof option === 'object' ? option : { known: option === true };
  const given = [
    ...Object.entries(servers).map(([name, config]) => ({ name, config: config as unknown })),
    ...plugins.flatMap(({ name, lspServers }) =>
      Object.entries(lspServers).map(([server, config]) => ({ name: `plugin:${name}:${server}`, config })),
    ),
  ];
  if (given.length === 0 && !known) return { entries: [], problems: [] };
  if (!mayRun) {
    const why = `No language server is started: they run code of the folder, and ${projectRoot} is not trusted (turnwright trust).`;
    return { entries: [], problems: [why] };
  }
  const problems: string[] = [];
  const entries = given.flatMap(({ name, config }): readonly LanguageServerEntry[] => {
    const read = readLanguageServer(config, childEnv);
    if (read.ok) return [{ name, config: read.config }];
    problems.push(`The language server "${name}" ${read.problem}; it was passed over.`);
    return [];
  });
  const served = new Set(entries.flatMap(({ config }) => Object.keys(config.extensionToLanguage)));
  const found = known ? await findKnownServers(projectRoot, childEnv['PATH'], files) : [];
  // What is configured for a kind of files takes the place of the well-known one.
  const others = found.filter(
    ({ config }) => !Object.keys(config.extensionToLanguage).some((ending) => served.has(ending)),
  );
  if (known && found.length === 0)
    problems.push('No well-known language server was found in the project or on PATH.');
  return { entries: [...entries, ...others], problems };
}
