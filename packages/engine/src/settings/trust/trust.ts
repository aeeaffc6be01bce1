/**
 * What a folder's configuration would make happen, and whether the user has agreed to exactly that. Trust is
 * bound to the content, not to the folder's name: a hook that changed with a pull causes a new question (F98,
 * T107).
 */

import { join, relative, sep } from 'node:path';
import { resolveLinks } from '@turnwright/base/files/real-path.ts';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { MCP_FILE, type McpFile } from '../read/mcp-file.ts';
import { isRepositoryLayer, SCREEN_KEYS, type SettingsLayer } from '../settings-keys.ts';
import { type CoveredFile, coveredFiles } from './covered-files.ts';
import { readTrustedFolders, type TrustedFolder, type TrustStore } from './trust-store.ts';

/** A value that only takes effect with trust. */
export interface TrustItem {
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
  /** Of `items`. */
  readonly hash: string;
  readonly items: readonly TrustItem[];
  /** Names of the MCP servers among them. */
  readonly mcpServers: readonly string[];
  /** What a record of trust holds beside the hash; absent: it is bound to the hash alone. */
  readonly content?: TrustedContent;
  /** Keys of its settings that are the user's alone, and have no effect here. */
  readonly unused?: readonly string[];
  /** The record of trust in this folder. */
  readonly known?: TrustedFolder;
  /** What is not as it was when trust was given. */
  readonly changes?: readonly string[];
  /** Settings that came and went since then; absent where the record of trust does not hold them. */
  readonly differences?: { readonly added: readonly TrustItem[]; readonly removed: readonly TrustItem[] };
  /** Why hooks that were trusted do not run any more, and what to do: a sentence. No session starts then. */
  readonly lapsed?: string;
  /** Why the servers of its `.mcp.json` are not used, whatever is trusted; a sentence. */
  readonly problem?: string;
}

/** What is trusted, in parts: so that files which come later need not end it. */
type TrustedContent = NonNullable<TrustedFolder['content']>;

export interface TrustSubject {
  readonly projectRoot: string;
  readonly repositoryRoot: string;
  readonly layers: readonly SettingsLayer[];
  /** The project's `.mcp.json`; undefined when there is none that can be used. */
  readonly mcpFile: McpFile | undefined;
  /** Why it cannot be used, in a sentence. */
  readonly problem: string | undefined;
  readonly files: Pick<PersistentFiles, 'readFile' | 'readDir' | 'realpath'>;
  readonly store: TrustStore | undefined;
}

export async function assessTrust(subject: TrustSubject): Promise<ProjectTrust> {
  const { projectRoot, layers, mcpFile, problem, files, store } = subject;
  const settings = layers
    .filter(isRepositoryLayer)
    .flatMap(({ file, raw, unusable }) => [
      ...listItems(file, withoutRestrictions(raw ?? {})),
      ...(unusable === undefined ? [] : [{ file, key: 'content', value: `sha256 ${unusable.hash}` }]),
    ]);
  if (mcpFile !== undefined) settings.push(...listItems(join(projectRoot, MCP_FILE), mcpFile.value));
  const screen = settings.filter(({ key }) => isScreenKey(key));
  const effective = settings.filter(({ key }) => !isScreenKey(key));
  const asked = effective.filter((item) => !hasNoEffect(item, layers));
  const hasHooks = settings.some(({ key }) => key.startsWith('hooks.'));
  const hasConditions = settings.some(({ key }) => key.startsWith('verify.'));
  const guards = hasHooks || hasConditions;
  const named = hasConditions && !hasHooks ? CONDITIONS : HOOKS;
  const commands = effective.filter(({ key }) => NAMES_PROGRAMS.test(key)).map(({ value }) => value);
  const covered = await coveredFiles({ ...subject, commands, hasHooks });
  const root = await resolveLinks(files, projectRoot);
  const folderItems = covered.files.filter(({ inFolder }) => inFolder).map(toItem);
  const scripts = covered.files.filter(({ inFolder }) => !inFolder).map(toItem);
  const content: TrustedContent = {
    settings: `sha256:${sha256(JSON.stringify(effective.map((item) => ({ ...item, file: toRelativeName(projectRoot, item.file) }))))}`,
    files: Object.fromEntries(
      covered.files.filter(({ ignored }) => !ignored).map(({ name, hash }) => [name, hash]),
    ),
    guards,
    items: asked.map((item) => kept(projectRoot, item)),
  };
  const items = [...asked, ...folderItems, ...scripts];
  const unused = [...new Set(screen.map(({ key }) => key.split('.')[0] ?? key))];
  const trust = {
    root,
    // As records of earlier versions have it.
    hash: `sha256:${sha256(JSON.stringify([...settings, ...folderItems]))}`,
    items,
    content,
    mcpServers: Object.keys(mcpFile?.servers ?? {}),
    ...(unused.length > 0 && { unused }),
    ...(problem !== undefined && { problem }),
  };
  const records = store === undefined ? [] : await readTrustedFolders(store);
  const known = records.find((folder) => folder.root === root);
  if (known === undefined) {
    const twin = guards ? records.find((folder) => isTwin(folder, content)) : undefined;
    const state = items.length === 0 ? 'nothing' : 'untrusted';
    return twin === undefined
      ? { ...trust, state }
      : { ...trust, state, lapsed: lapsedTwin(root, twin.root, named) };
  }
  const changes = covered.complete
    ? changesSince(known, trust.hash, content, covered.files)
    : ['more files beside its settings than can be read'];
  if (changes.length === 0) return { ...trust, known, state: 'trusted' };
  // Too many files to read all of them, so no record can cover them.
  const isGuard = known.content?.guards ?? guards;
  const state = !covered.complete ? 'untrusted' : items.length === 0 && !isGuard ? 'nothing' : 'changed';
  const before = known.content?.items;
  return {
    ...trust,
    known,
    state,
    changes,
    ...(before !== undefined && { differences: compareItems(projectRoot, before, asked) }),
    ...(isGuard && { lapsed: lapsedBy(root, changes, named) }),
  };
}

/** A key of another program: no question is about it, and it stays a part of the hash. */
const hasNoEffect = ({ file, key }: TrustItem, layers: readonly SettingsLayer[]): boolean =>
  layers.some(
    (layer) =>
      layer.file === file &&
      layer.unknown?.some((each) => key === each.key || key.startsWith(`${each.key}.`)),
  );

/** As a record of trust holds it: no value that may be a secret. */
function kept(root: string, { file, key, value }: TrustItem): TrustItem {
  const isHidden = /(?:^|\.)(?:env|headers)\./.test(key);
  return {
    file: toRelativeName(root, file),
    key,
    value: isHidden ? `sha256 ${sha256(value).slice(0, 16)}` : value,
  };
}

/** An item of a list is the same wherever it is in the list. */
function compareItems(root: string, before: readonly TrustItem[], now: readonly TrustItem[]) {
  const name = ({ file, key, value }: TrustItem) =>
    JSON.stringify([file, key.replace(/\.\d+(?=\.|$)/g, ''), value]);
  const were = new Set(before.map(name));
  const are = new Set(now.map((item) => name(kept(root, item))));
  return {
    added: now.filter((item) => !were.has(name(kept(root, item)))),
    removed: before
      .filter((item) => !are.has(name(item)))
      .map((item) => ({ ...item, file: join(root, item.file) })),
  };
}

const isScreenKey = (key: string): boolean =>
  SCREEN_KEYS.some((name) => key === name || key.startsWith(`${name}.`));

/** Of a command line, a program's arguments, or a helper. */
const NAMES_PROGRAMS = /(?:^|\.)(?:command|args\.\d+|\w*Helper)$|^verify\.commands\.\d+(?:\.run)?$/i;

const toItem = ({ file, hash }: CoveredFile): TrustItem => ({ file, key: 'content', value: hash });
const toRelativeName = (root: string, file: string): string => relative(root, file).split(sep).join('/');

/** Names of what differs. A file that came later counts if it could run in place of what was trusted. */
function changesSince(
  known: TrustedFolder,
  hash: string,
  content: TrustedContent,
  files: readonly CoveredFile[],
): readonly string[] {
  if (known.content === undefined)
    return known.hash === hash ? [] : ['its settings or the files beside them'];
  const before = known.content.files;
  const now = new Map(files.map((each) => [each.name, each]));
  return [
    ...(known.content.settings === content.settings ? [] : ['its settings']),
    ...Object.entries(before)
      .filter(([name, was]) => now.get(name)?.hash !== was)
      .map(([name]) => name),
    ...files
      .filter(
        ({ name, kind, ignored }) =>
          !(name in before) && (kind === 'source' || (kind === 'other' && !ignored)),
      )
      .map(({ name }) => `${name} (new)`),
  ];
}

const isTwin = ({ content: trusted }: TrustedFolder, content: TrustedContent): boolean =>
  trusted?.guards === true && trusted.settings === content.settings;

const NAMED = 5;
const AGREE = 'turnwright trust agrees to what it now is (turnwright trust --show shows it).';

const HOOKS = { what: 'hooks', act: 'run' } as const;
const CONDITIONS = { what: 'completion conditions', act: 'hold' } as const;
type Guards = typeof HOOKS | typeof CONDITIONS;

function lapsedBy(root: string, changes: readonly string[], { what, act }: Guards): string {
  const more = changes.length > NAMED ? ` and ${changes.length - NAMED} more` : '';
  return `The ${what} of ${root} were trusted and do not ${act} any more, as this has changed: ${changes.slice(0, NAMED).join(', ')}${more}. ${AGREE}`;
}

const lapsedTwin = (root: string, other: string, { what, act }: Guards): string =>
  `The ${what} of ${root} do not ${act}: the same ones are trusted in ${other}, and trust does not follow a folder that is moved, copied or a worktree. ${AGREE}`;

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
function listItems(file: string, value: unknown, path = ''): TrustItem[] {
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null)
    return [{ file, key: path, value: typeof value === 'string' ? value : JSON.stringify(value) }];
  const entries = Array.isArray(value)
    ? value.map((each, at): [string, unknown] => [String(at), each])
    : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.flatMap(([key, each]) => listItems(file, each, path === '' ? key : `${path}.${key}`));
}
