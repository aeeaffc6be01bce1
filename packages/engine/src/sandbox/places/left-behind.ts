/**
 * What a command leaves behind that would count outside of the sandbox: names that grant rights, lines that
 * git would run as it goes on, and repositories that git starts in for the one above them.
 */
import { randomUUID } from 'node:crypto';
import { lstat, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findGitFolder } from '@turnwright/base/files/git-folder.ts';
import { gitlinksIn } from '@turnwright/base/files/git-index.ts';
import { isInside } from '@turnwright/base/files/inside.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { PROTECTED_WHERE_ABSENT } from '@turnwright/base/files/protected-names.ts';
import { workInFolder } from './placeholders.ts';
import { readPlaceKind } from './protected-places.ts';
import type { SeenNames } from './seen-names.ts';

export interface Aftermath {
  /** Keeps on disk what a command put there: it grants nothing before a person agrees to it. */
  remember(paths: readonly string[]): Promise<void>;
  /** Whether git runs nothing of the repository in this folder, of a submodule of the one at `above`. */
  isHarmless(folder: string, above: string): Promise<boolean>;
}

interface Before {
  readonly seen: SeenNames;
  readonly roots: readonly string[];
  /** Commands that git would run as it goes on with a rebase, by the repository's folder. */
  readonly pending: ReadonlyMap<string, readonly string[]>;
  readonly submodules: ReadonlyMap<string, Submodules>;
}

/** `made`: roots of repositories that commands of this sandbox have made. */
export async function lookBefore(
  seen: SeenNames,
  roots: readonly string[],
  made: ReadonlySet<string>,
): Promise<Before> {
  const pending = new Map<string, readonly string[]>();
  for (const folder of seen.gitFolders) {
    const text = await readTodo(folder);
    if (typeof text === 'string') pending.set(folder, text.split('\n').filter(runsCommand));
  }
  return { seen, roots, pending, submodules: await findSubmodules(seen, roots, made) };
}

/** Resolves to warnings, one line each. `made` receives the repositories that are new. */
export async function lookAfter(
  before: Before,
  now: SeenNames,
  made: Set<string>,
  port: Aftermath,
): Promise<readonly string[]> {
  const { seen, roots, pending } = before;
  const warnings: string[] = [];
  const isHeldFree = (path: string) =>
    PROTECTED_WHERE_ABSENT.some((name) => roots.some((root) => path === join(root, name)));
  const added: string[] = [];
  for (const path of now.granting)
    if (!seen.granting.has(path) && !isHeldFree(path) && (await readPlaceKind(path)) !== 'nothing')
      added.push(path);
  if (added.length > 0) {
    await port.remember(added);
    warnings.push(
      `A command in the sandbox put ${listed(added)} there. Nothing of it grants anything before you agree: run turnwright trust in the folder that it lies in.`,
    );
  }
  for (const folder of new Set([...seen.gitFolders, ...now.gitFolders]))
    warnings.push(...(await takeCommandsOut(folder, pending.get(folder) ?? [])));
  for (const tree of now.trees) if (!seen.trees.has(tree)) made.add(tree);
  warnings.push(...(await putStrangersAside(before, await findSubmodules(now, roots, made), port)));
  return warnings;
}

const SHOWN = 3;
const listed = (paths: readonly string[]): string =>
  paths.length > SHOWN
    ? `${paths.slice(0, SHOWN).join(', ')} and ${paths.length - SHOWN} more`
    : paths.join(', ');

const aside = (path: string): string => `${path}.from-sandbox-${randomUUID()}`;

const STEPS = 'rebase-merge';
const TODO = 'git-rebase-todo';
const MAX_TODO_BYTES = 4 * 1024 * 1024;

/** As git reads a line of the list. */
const runsCommand = (line: string): boolean => /^[ \t]*(?:exec|x)(?:[ \t\r]|$)/.test(line);

/** `odd`: it is no plain file in a plain folder. */
async function readTodo(folder: string): Promise<string | 'odd' | undefined> {
  const steps = await lstat(join(folder, STEPS)).catch(() => undefined);
  if (steps === undefined) return undefined;
  if (!steps.isDirectory()) return 'odd';
  const path = join(folder, STEPS, TODO);
  const todo = await lstat(path).catch(() => undefined);
  if (todo === undefined) return undefined;
  if (!todo.isFile() || todo.nlink > 1 || todo.size > MAX_TODO_BYTES) return 'odd';
  return readFile(path, 'utf8').catch(() => 'odd');
}

/** A rebase that is not finished goes on without the commands that were not in its list before. */
async function takeCommandsOut(folder: string, known: readonly string[]): Promise<readonly string[]> {
  const text = await readTodo(folder);
  if (text === undefined) return [];
  const steps = join(folder, STEPS);
  if (text === 'odd') {
    await rename(steps, aside(steps)).catch(() => {});
    return [`A command in the sandbox left no plain list of steps in ${steps}; it was put aside.`];
  }
  const left = [...known];
  const taken: string[] = [];
  const kept = text.split('\n').map((line) => {
    if (!runsCommand(line)) return line;
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    else taken.push(line.trim());
    return at >= 0 ? line : 'noop';
  });
  if (taken.length === 0) return [];
  await workInFolder(join(steps, TODO), async (place, at) => {
    const next = join(at, `${TODO}.${randomUUID()}`);
    await writeFile(next, kept.join('\n'), { flag: 'wx' });
    await rename(next, place);
  });
  return [
    `A command in the sandbox left a rebase in ${dirname(steps)} that would run commands (${listed(taken)}); they were taken out of its list.`,
  ];
}

/**
 * By their folders, which file or folder the `.git` of each is. Of an index that cannot be read, what
 * commands have made below counts as one.
 */
type Submodules = ReadonlyMap<string, number>;

const MAX_INDEX_BYTES = 64 * 1024 * 1024;
/** Of an index, as long as it is the same file. */
const known = new Map<string, { readonly stamp: string; readonly links: readonly string[] | undefined }>();
const MAX_KNOWN = 200;

/** By the root of the repository above them. */
async function findSubmodules(
  { trees }: SeenNames,
  roots: readonly string[],
  made: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Submodules>> {
  const found = new Map<string, Submodules>();
  for (const folder of new Set([...roots, ...trees])) {
    const git = await findGitFolder(folder, nodeFiles);
    if (git === undefined || found.has(git.root)) continue;
    const links = await linksIn(git.own, git.common);
    const linked = new Map<string, number>();
    const below = [...made].filter((tree) => tree !== git.root && isInside(tree, git.root));
    for (const at of links?.map((link) => join(git.root, link)) ?? below) {
      const stats = await lstat(join(at, '.git')).catch(() => undefined);
      if (stats !== undefined) linked.set(at, stats.ino);
    }
    found.set(git.root, linked);
  }
  return found;
}

async function linksIn(own: string, common: string): Promise<readonly string[] | undefined> {
  const path = join(own, 'index');
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return [];
  if (!stats.isFile() || stats.size > MAX_INDEX_BYTES) return undefined;
  const stamp = [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join();
  const before = known.get(path);
  if (before?.stamp === stamp) return before.links;
  const isLong = /objectformat\s*=\s*"?sha256/i.test(
    await readFile(join(common, 'config'), 'utf8').catch(() => ''),
  );
  const links = await readFile(path).then(
    (index) => gitlinksIn(index, isLong ? 32 : 20),
    () => undefined,
  );
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(path, { stamp, links });
  return links;
}

/** git starts another git in each, with what is configured there. */
async function putStrangersAside(
  { submodules }: Before,
  now: ReadonlyMap<string, Submodules>,
  port: Aftermath,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const [above, linked] of now)
    for (const [folder, id] of linked) {
      if (submodules.get(above)?.get(folder) === id || (await port.isHarmless(folder, above))) continue;
      const git = join(folder, '.git');
      const kept = aside(git);
      await rename(git, kept).catch(() => {});
      warnings.push(
        `A command in the sandbox made ${folder} a submodule whose configuration may run programs; its .git is ${kept} now.`,
      );
    }
  return warnings;
}
