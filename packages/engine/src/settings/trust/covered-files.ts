/** The files that trust in a project covers, by content. */
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { classifyFile, type FileKind, isResidue } from './file-kinds.ts';
import { createIgnored } from './ignored-files.ts';

export interface CoveredFile {
  /** Absolute. */
  readonly file: string;
  /** From the project's root, with slashes. */
  readonly name: string;
  readonly hash: string;
  readonly kind: Exclude<FileKind, 'residue'>;
  /** It is data, or unknown, and the repository ignores it: it may come and change. */
  readonly ignored: boolean;
  /** In one of the folders, in contrast to a script that a command line names. */
  readonly inFolder: boolean;
}

interface Covered {
  readonly files: readonly CoveredFile[];
  /** false: there are too many to read all of them, so no record can cover them. */
  readonly complete: boolean;
}

interface CoverSubject {
  readonly projectRoot: string;
  readonly repositoryRoot: string;
  /** Command lines and arguments that the settings name. */
  readonly commands: readonly string[];
  /** Hooks alone start what is in their folders. */
  readonly hasHooks: boolean;
  readonly files: Pick<PersistentFiles, 'readFile' | 'readDir'>;
}

/** Folders whose files run, or tell the model what to run. */
const FOLDERS = ['.claude', '.turnwright'].flatMap((folder) =>
  ['hooks', 'skills', 'commands', 'agents'].map((name) => join(folder, name)),
);
const MAX_FILES = 1000;
const MAX_DEPTH = 6;
const MAX_SCRIPT_BYTES = 256 * 1024;

export async function coveredFiles(subject: CoverSubject): Promise<Covered> {
  const { projectRoot, repositoryRoot, commands, hasHooks, files } = subject;
  const found = new Map<string, CoveredFile>();
  const isIgnored = createIgnored(repositoryRoot, files);
  let complete = true;

  const add = async (file: string, siblings: readonly string[], inFolder: boolean) => {
    const name = relative(projectRoot, file).split(sep).join('/');
    if (isResidue(name) || found.has(file)) return undefined;
    const content = await files.readFile(file).catch(() => undefined);
    if (content === undefined) return undefined;
    const kind = classifyFile(name, content, new Set(siblings));
    if (kind === 'residue') return undefined;
    const ignored = kind !== 'source' && (await isIgnored(file));
    found.set(file, { file, name, hash: `sha256 ${sha256(content)}`, kind, ignored, inFolder });
    return content;
  };
  const walk = async (path: string, siblings: readonly string[], depth: number): Promise<void> => {
    // A file that is not read must not count as unchanged.
    if (depth > MAX_DEPTH || found.size >= MAX_FILES) {
      complete = false;
      return;
    }
    const names = await files.readDir(path).catch(() => undefined);
    if (names === undefined) await add(path, siblings, true);
    else for (const name of [...names].sort()) await walk(join(path, name), names, depth + 1);
  };
  /** A script, and those beside it that it loads by name: a new one of such a name would run in its place. */
  const follow = async (file: string, depth: number): Promise<void> => {
    if (found.size >= MAX_FILES) complete = false;
    if (depth > MAX_DEPTH || found.size >= MAX_FILES) return;
    const folder = dirname(file);
    const siblings = (await files.readDir(folder).catch(() => undefined)) ?? [];
    const content = await add(file, siblings, false);
    if (content === undefined || content.length > MAX_SCRIPT_BYTES) return;
    await load(folder, siblings, loadedNames(new TextDecoder().decode(content), file), depth);
  };
  const load = async (
    folder: string,
    entries: readonly string[],
    wanted: ReadonlySet<string>,
    depth: number,
  ): Promise<void> => {
    for (const entry of entries) {
      const stem = entry.slice(0, (entry.indexOf('.', 1) + 1 || entry.length + 1) - 1);
      if (!wanted.has(entry) && !wanted.has(stem)) continue;
      const path = join(folder, entry);
      const inside = await files.readDir(path).catch(() => undefined);
      if (inside === undefined) await follow(path, depth + 1);
      else if (depth < MAX_DEPTH && entry !== 'node_modules')
        await load(path, inside, new Set([...wanted, ...ENTRIES]), depth + 1);
    }
  };

  for (const folder of FOLDERS)
    if (hasHooks || !folder.endsWith('hooks')) await walk(join(projectRoot, folder), [], 0);
  for (const path of commands.flatMap((command) => pathsInCommand(command, projectRoot)))
    if (isInside(path, repositoryRoot) || isInside(path, projectRoot)) await follow(path, 0);
  return { files: [...found.values()], complete };
}

/** What a runtime loads of a folder. */
const ENTRIES = ['__init__', '__main__', 'index', 'package.json'];
const LOADS =
  /\b(?:import|from|require|require_once|require_relative|include|source|load|use)\b([^\n;]*)|(?:^|[;&|]\s*)\.\s+([^\n;]*)/gm;

/** Names that a script loads, in any of the common languages, and files of its own kind that it names. */
function loadedNames(text: string, file: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [, loaded = '', dotted = ''] of text.matchAll(LOADS))
    for (const path of `${loaded} ${dotted}`.match(/[\w@./-]+/g) ?? [])
      for (const name of [...path.split('/'), ...path.split(/[./]/)]) if (name !== '') names.add(name);
  const extension = /\.\w+$/.exec(file)?.[0];
  if (extension !== undefined)
    for (const path of text.match(/[\w@.-]+/g) ?? []) if (path.endsWith(extension)) names.add(path);
  return names;
}

/** Paths that the words of a command line may name, absolute. */
export function pathsInCommand(command: string, projectRoot: string): readonly string[] {
  // What a command writes to is no program of it.
  const words = command.replace(/\d*>>?\s*(?:"[^"]*"|'[^']*'|[^\s;|&]+)/g, ' ').match(WORD) ?? [];
  const modules = words.flatMap((word, at) => (words[at - 1] === '-m' ? [word.replaceAll('.', '/')] : []));
  const candidates = words.flatMap((word) => {
    const plain = word.replace(/["']/g, '');
    return [plain, ...plain.split(/[\s=,;|&()<>`]+/)];
  });
  const paths = [
    ...candidates,
    ...modules.flatMap((name) => [`${name}.py`, `${name}/__init__.py`, `${name}/__main__.py`]),
  ];
  return [...new Set(paths)]
    .map((path) => path.replace(FOLDER_VARIABLE, projectRoot))
    .filter((path) => path !== '' && !path.startsWith('-') && !/[$*?\0]/.test(path) && path.length < 1000)
    .map((path) => (isAbsolute(path) ? resolve(path) : resolve(projectRoot, path)));
}

const WORD = /(?:"[^"]*"|'[^']*'|[^\s"';|&()<>`])+/g;
const FOLDER_VARIABLE = /\$\{?(?:CLAUDE_PROJECT_DIR|TURNWRIGHT_PROJECT_DIR|PWD)(?::-[^}]*)?\}?/;
