/** The folder of one plugin: what of it may be used, and what is wrong with the rest. */
import { join, resolve } from 'node:path';
import { isReallyInside } from '@turnwright/base/files/inside.ts';
import { readHandWrittenJson } from '@turnwright/base/files/plain-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { PluginError } from './loaded-plugin.ts';
import type { Manifest } from './manifest.ts';

export type PluginFiles = Pick<PersistentFiles, 'stat' | 'lstat' | 'readDir' | 'readFile' | 'realpath'>;

const MAX_FILE_BYTES = 1024 * 1024;

export class PluginFolder {
  readonly root: string;
  readonly errors: PluginError[] = [];
  readonly #name: string;
  readonly #files: PluginFiles;

  constructor(name: string, root: string, files: PluginFiles) {
    this.#name = name;
    this.root = root;
    this.#files = files;
  }

  report(type: PluginError['type'], message: string): void {
    this.errors.push({ plugin: this.#name, type, message });
  }

  /** undefined: missing, or not allowed. */
  async inside(path: string, needed: boolean): Promise<string | undefined> {
    const full = resolve(this.root, path);
    const kind = await statPluginPath(full, this.#files);
    const named = `The plugin ${this.#name} names ${path}, which`;
    if (kind === undefined && !escapes(path)) {
      if (needed) this.report('component-load-failed', `${named} does not exist.`);
      return undefined;
    }
    if (!escapes(path) && (await isReallyInside(full, this.root, this.#files))) return full;
    this.report('path-escape', `${named} lies outside of its folder.`);
    return undefined;
  }

  /** Those of the named paths that are there, each once. */
  async named(paths: readonly string[]): Promise<readonly string[]> {
    const found = await Promise.all(paths.map((path) => this.inside(path, true)));
    return [...new Set(found.flatMap((path) => path ?? []))];
  }

  /** What the manifest names, else the default folder. */
  async places(standard: string, paths: readonly string[] | undefined): Promise<readonly string[]> {
    if (paths !== undefined) return this.named(paths);
    const found = await this.inside(standard, false);
    return found === undefined ? [] : [found];
  }

  /** Of named places, the files; a file of another kind is an error. */
  async filesAmong(field: string, paths: readonly string[]): Promise<readonly string[]> {
    const kinds = await Promise.all(paths.map((path) => statPluginPath(path, this.#files)));
    const found = paths.filter((_, at) => kinds[at] === 'file');
    for (const path of found)
      if (!path.endsWith('.md'))
        this.report(
          'component-load-failed',
          `The plugin ${this.#name} names ${path} in "${field}", which is no Markdown file.`,
        );
    return found;
  }

  async markdownAndFolders(field: string, paths: readonly string[]): Promise<readonly string[]> {
    const other = (await this.filesAmong(field, paths)).filter((path) => !path.endsWith('.md'));
    return paths.filter((path) => !other.includes(path));
  }

  /** Folders that other rooms read: none may contain a link that leads out. */
  async sealed(paths: readonly string[]): Promise<readonly string[]> {
    const links = await Promise.all(paths.map((path) => linkOut(path, this.root, this.#files)));
    return paths.filter((path, at) => {
      if (links[at] === undefined) return true;
      this.report(
        'path-escape',
        `The plugin ${this.#name} lost ${path}: ${links[at]} leads out of its folder.`,
      );
      return false;
    });
  }

  /** The default JSON file, then those that the manifest names and the values in it, each file once. */
  async readValues(
    given: Manifest['hooks'],
    standard: string,
    inner: string,
  ): Promise<readonly Record<string, unknown>[]> {
    const read = new Set<string>();
    const found: Record<string, unknown>[] = [];
    for (const each of [standard, ...given]) {
      const file = typeof each === 'string' ? await this.inside(each, each !== standard) : undefined;
      if (typeof each === 'string' && (file === undefined || read.has(file))) continue;
      if (file !== undefined) read.add(file);
      try {
        const value =
          file === undefined ? each : readHandWrittenJson(await readPluginText(file, this.#files));
        found.push(unwrapped(value, inner));
      } catch (error) {
        const what = file ?? `"${inner}" in the manifest`;
        this.report(
          'component-load-failed',
          `${what} of the plugin ${this.#name} cannot be used: ${errorText(error)}.`,
        );
      }
    }
    return found;
  }
}

/** `{ "hooks": {…} }` and `{…}` alike. Throws for a value that is not an object. */
function unwrapped(value: unknown, inner: string): Record<string, unknown> {
  const found = isRecord(value) && inner in value ? value[inner] : value;
  if (!isRecord(found)) throw new Error('it holds no object');
  return found;
}

/** By its spelling only; links are checked on disk. */
function escapes(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:)/.test(path) || path.split(/[\\/]/).includes('..');
}

const MAX_DEPTH = 6;

/**
 * The first link in a folder, or below it, that leads out of `root`. Links that stay inside are not followed.
 */
async function linkOut(
  folder: string,
  root: string,
  files: PluginFiles,
  depth = 0,
): Promise<string | undefined> {
  for (const name of await files.readDir(folder).catch(() => [])) {
    const path = join(folder, name);
    const kind = (await files.lstat(path).catch(() => undefined))?.kind;
    if (kind === 'symlink' && !(await isReallyInside(path, root, files))) return path;
    const below =
      kind === 'directory' && depth < MAX_DEPTH ? await linkOut(path, root, files, depth + 1) : undefined;
    if (below !== undefined) return below;
  }
  return undefined;
}

export async function statPluginPath(path: string, files: PluginFiles) {
  return (await files.stat(path).catch(() => undefined))?.kind;
}

export async function readPluginText(file: string, files: PluginFiles): Promise<string> {
  const size = (await files.stat(file))?.size ?? 0;
  if (size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES / 1024} KB`);
  return new TextDecoder().decode(await files.readFile(file));
}
