/**
 * What a folder's configuration would make happen, and whether the user has agreed to exactly that. Trust is
 * bound to the content, not to the folder's name: a hook that changed with a pull causes a new question (F98,
 * T107).
 */
import { join } from 'node:path';
import type { PersistentFiles } from '../../protocol/files.ts';
import { sha256 } from '../../util/ids/sha256.ts';
import { isRecord, MCP_FILE, type McpFile } from '../read/mcp-file.ts';
import { isRepositoryLayer, type SettingsLayer } from '../settings.ts';
import { type TrustStore, trustedHash } from './trust-store.ts';

/** A value that only takes effect with trust. */
interface TrustItem {
  readonly file: string;
  /** Path in the file, as in `hooks.PreToolUse.0.hooks.0.command`. */
  readonly key: string;
  readonly value: string;
}

/**
 * `nothing`: the folder asks for nothing that needs trust, and is not trusted. `changed`: something else was
 * trusted.
 */
type TrustState = 'nothing' | 'trusted' | 'changed' | 'untrusted';

export interface ProjectTrust {
  /** The folder's real path: trust follows no link and no worktree (T106). */
  readonly root: string;
  readonly state: TrustState;
  /** Of `items` and the scripts beside them. */
  readonly hash: string;
  readonly items: readonly TrustItem[];
  /** Names of the MCP servers among them. */
  readonly mcpServers: readonly string[];
  /** Why the servers of its `.mcp.json` are not used, whatever is trusted; a sentence. */
  readonly problem?: string;
}

interface TrustSubject {
  readonly projectRoot: string;
  readonly layers: readonly SettingsLayer[];
  /** The project's `.mcp.json`; undefined when there is none that can be used. */
  readonly mcpFile: McpFile | undefined;
  /** Why it cannot be used, in a sentence. */
  readonly problem: string | undefined;
  readonly files: Pick<PersistentFiles, 'readFile' | 'readDir' | 'realpath'>;
  readonly store: TrustStore | undefined;
}

export async function projectTrust(subject: TrustSubject): Promise<ProjectTrust> {
  const { projectRoot, layers, mcpFile, problem, files, store } = subject;
  const items = layers
    .filter(isRepositoryLayer)
    .flatMap(({ file, raw }) => itemsOf(file, withoutRestrictions(raw ?? {})));
  if (mcpFile !== undefined) items.push(...itemsOf(join(projectRoot, MCP_FILE), mcpFile.value));
  const hasHooks = items.some(({ key }) => key.startsWith('hooks.'));
  const { items: found, complete } = await beside(projectRoot, hasHooks, files);
  items.push(...found);
  const root = await files.realpath(projectRoot).catch(() => projectRoot);
  const hash = `sha256:${sha256(JSON.stringify(items))}`;
  // Too many files to read all of them, so no record can cover them.
  const trust = {
    root,
    hash,
    items,
    mcpServers: Object.keys(mcpFile?.servers ?? {}),
    ...(problem !== undefined && { problem }),
  };
  if (!complete) return { ...trust, state: 'untrusted' };
  const state = await stateOf(root, hash, store);
  return { ...trust, state: items.length === 0 && state !== 'trusted' ? 'nothing' : state };
}

async function stateOf(root: string, hash: string, store: TrustStore | undefined): Promise<TrustState> {
  const known = store === undefined ? undefined : await trustedHash(root, store);
  if (known === undefined) return 'untrusted';
  return known === hash ? 'trusted' : 'changed';
}

/** Keys that take effect without trust, or have no effect at all. */
const HARMLESS = ['$schema', 'deniedMcpServers', 'disabledMcpjsonServers'];
const HARMLESS_PERMISSIONS = [
  'deny',
  'ask',
  'disableBypassPermissionsMode',
  'blockReadsOutsideWorkingDirectories',
  'blockWritesOutsideWorkingDirectories',
  'denyInsteadOfPrompting',
  'allowedToolsOnly',
];

function withoutRestrictions(raw: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { permissions, ...rest } = raw;
  const held = isRecord(permissions) ? without(permissions, HARMLESS_PERMISSIONS) : permissions;
  return { ...without(rest, HARMLESS), permissions: held };
}

function without(value: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/** The leaves, in the order of their keys: the order in a file means nothing. */
function itemsOf(file: string, value: unknown, path = ''): TrustItem[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null)
    return [{ file, key: path, value: typeof value === 'string' ? value : JSON.stringify(value) }];
  const entries = Array.isArray(value)
    ? value.map((each, at): [string, unknown] => [String(at), each])
    : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.flatMap(([key, each]) => itemsOf(file, each, path === '' ? key : `${path}.${key}`));
}

/** Folders whose files run, or tell the model what to run. */
const FOLDERS = ['.claude', '.turnwright'].flatMap((folder) =>
  ['hooks', 'skills', 'commands', 'agents'].map((name) => join(folder, name)),
);
const MAX_FILES = 1000;
const MAX_DEPTH = 6;

/** Each file of those folders by its content. Hooks alone start what is in theirs. */
async function beside(
  projectRoot: string,
  hasHooks: boolean,
  files: Pick<PersistentFiles, 'readFile' | 'readDir'>,
): Promise<{ readonly items: readonly TrustItem[]; readonly complete: boolean }> {
  const items: TrustItem[] = [];
  let complete = true;
  const walk = async (path: string, depth: number): Promise<void> => {
    // A file that is not read must not count as unchanged.
    if (depth > MAX_DEPTH || items.length >= MAX_FILES) {
      complete = false;
      return;
    }
    const names = await files.readDir(path).catch(() => undefined);
    if (names !== undefined) {
      for (const name of [...names].sort()) await walk(join(path, name), depth + 1);
      return;
    }
    const text = await files.readFile(path).catch(() => undefined);
    if (text === undefined) return;
    items.push({
      file: path,
      key: 'content',
      value: `sha256 ${sha256(text)}`,
    });
  };
  for (const folder of FOLDERS)
    if (hasHooks || !folder.endsWith('hooks')) await walk(join(projectRoot, folder), 0);
  return { items, complete };
}
