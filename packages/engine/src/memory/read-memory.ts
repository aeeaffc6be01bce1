/** Reads memory files with their imports, limited in number, depth and size. */

import { dirname, isAbsolute, join, resolve } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import { resolveLinks } from '@turnwright/base/files/real-path.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { matchesGlob } from '@turnwright/base/search/name-pattern.ts';
import { listField, readFrontmatter } from '@turnwright/base/text/frontmatter.ts';
import type { LoadReason } from '../protocol/tools/hook.ts';
import type { MemoryFile, MemoryType } from './memory-file.ts';

const MAX_IMPORT_DEPTH = 5;
const MAX_CHARS = 40_000;
const MAX_BYTES = 4 * MAX_CHARS;
const MAX_FILES = 100;
const MAX_TOTAL_CHARS = 200_000;
/** `@path` imports another file. */
const MENTION = /(?:^|(?<=\s))@((?:\\ |[^\s`])+)/g;
/** What looks like the path of a file; others may be names of people or packages. */
const FILE_LIKE = /[^/]\.\w{1,8}$/;
const MAX_MENTIONS = 50;

export interface MemoryReaderOptions {
  readonly files: Pick<PersistentFiles, 'readRange' | 'stat' | 'realpath' | 'readDir'>;
  /** Folders that a project's memory files and imports must be in. */
  readonly roots: readonly string[];
  /** A project may import from anywhere. */
  readonly importsAnywhere: boolean;
  /** Whether a file must not be read, by any of its names; default none. */
  isDenied?(path: string): Promise<boolean>;
  /** Value of `~`. */
  readonly homeDirectory: string | undefined;
  /** Patterns of absolute paths to exclude. */
  readonly excludes: readonly string[];
  readonly warn: (line: string) => void;
}

interface WantedFile {
  readonly path: string;
  readonly type: MemoryType;
  readonly reason: LoadReason;
  readonly triggerPath?: string;
}

export interface MemoryReader {
  /** A reader with the same state. */
  branch(): MemoryReader;
  /**
   * The file, followed by its imports; nothing when it is missing, excluded, read before, or out of bounds.
   */
  read(wanted: WantedFile): Promise<readonly MemoryFile[]>;
  /** The current text of a file that was read before. undefined: it no longer exists. */
  again(file: MemoryFile): Promise<{ readonly content: string; readonly mtimeMs: number } | undefined>;
}

interface Read {
  /** Real paths. */
  readonly seen: ReadonlySet<string>;
  readonly count: number;
  readonly chars: number;
}

const NOTHING_READ: Read = { seen: new Set(), count: 0, chars: 0 };

/** One per conversation: it tracks what was read, and how much. */
export function createMemoryReader(options: MemoryReaderOptions): MemoryReader {
  return new Reader(options, NOTHING_READ);
}

class Reader implements MemoryReader {
  readonly #options: MemoryReaderOptions;
  readonly #seen: Set<string>;
  #count: number;
  #chars: number;
  #isFull = false;
  #realRoots: Promise<readonly string[]> | undefined;

  constructor(options: MemoryReaderOptions, { seen, count, chars }: Read) {
    this.#options = options;
    this.#seen = new Set(seen);
    this.#count = count;
    this.#chars = chars;
  }

  branch(): MemoryReader {
    return new Reader(this.#options, { seen: this.#seen, count: this.#count, chars: this.#chars });
  }

  read(wanted: WantedFile): Promise<readonly MemoryFile[]> {
    return this.#read(wanted, undefined, 0);
  }

  async again(file: MemoryFile): ReturnType<MemoryReader['again']> {
    const { files } = this.#options;
    const real = await files.realpath(file.path).catch(() => undefined);
    // The path may lead to another file now.
    if (
      real === undefined ||
      !(await this.#isInBounds(real, file)) ||
      (await this.#isDenied(file.path, real))
    )
      return undefined;
    const text = await readText(real, files);
    if (text?.content === undefined) return undefined;
    const { body } = await readFrontmatter(text.content);
    return { content: withoutComments(body), mtimeMs: text.mtimeMs };
  }

  async #read(
    wanted: WantedFile,
    parentPath: string | undefined,
    depth: number,
  ): Promise<readonly MemoryFile[]> {
    const real = await this.#admit(wanted, parentPath);
    if (real === undefined) return [];
    this.#seen.add(real);
    const { files, warn } = this.#options;
    const text = await readText(real, files);
    if (text?.problem !== undefined) warn(`${wanted.path} ${text.problem}.`);
    if (text?.content === undefined) return [];
    this.#count += 1;
    const { body, fields, problem } = await readFrontmatter(text.content);
    if (problem !== undefined) warn(`${wanted.path}: ${problem}; it was passed over.`);
    const content = withoutComments(body).slice(0, MAX_TOTAL_CHARS - this.#chars);
    this.#chars += content.length;
    const globs = listField(fields['paths']);
    const file: MemoryFile = {
      ...wanted,
      content,
      mtimeMs: text.mtimeMs,
      ...(parentPath !== undefined && { parentPath }),
      ...(globs.length > 0 && { globs }),
      ...(typeof fields['description'] === 'string' && { description: fields['description'] }),
    };
    const bodyAt = text.content.slice(0, text.content.length - body.length).split('\n').length;
    const imported = depth < MAX_IMPORT_DEPTH ? await this.#readImports(wanted, body, bodyAt, depth) : [];
    return content.trim() === '' ? imported : [file, ...imported];
  }

  /** The real path of a file that may be read now; undefined: it is excluded, read before, or refused. */
  async #admit(wanted: WantedFile, parentPath: string | undefined): Promise<string | undefined> {
    const { files, warn } = this.#options;
    if (this.#isExcluded(wanted.path)) return undefined;
    const real = await files.realpath(wanted.path).catch(() => undefined);
    if (real === undefined || this.#seen.has(real) || this.#isExcluded(real)) return undefined;
    const by = parentPath === undefined ? '' : ` (${parentPath} imports it)`;
    if (!(await this.#isInBounds(real, wanted))) {
      warn(
        `${wanted.path} was not read as memory${by}: it lies outside of the project. The setting "memoryImports": "anywhere" allows it.`,
      );
      return undefined;
    }
    if (await this.#isDenied(wanted.path, real)) {
      warn(`${wanted.path} was not read as memory${by}: a rule denies reading it.`);
      return undefined;
    }
    if (this.#count < MAX_FILES && this.#chars < MAX_TOTAL_CHARS) return real;
    if (!this.#isFull)
      warn(
        `Memory is full with ${this.#count} files of ${this.#chars} characters: ${wanted.path} was not read, nor what comes behind it.`,
      );
    this.#isFull = true;
    return undefined;
  }

  /** `bodyAt`: the line of the file at which its body begins. */
  async #readImports(
    wanted: WantedFile,
    body: string,
    bodyAt: number,
    depth: number,
  ): Promise<readonly MemoryFile[]> {
    const { homeDirectory, warn } = this.#options;
    const imported: MemoryFile[] = [];
    const missing: string[] = [];
    for (const found of findImports(body, wanted.path, homeDirectory)) {
      const path = await this.#findExisting(found.path);
      if (path !== undefined)
        imported.push(...(await this.#read({ ...wanted, path, reason: 'include' }, wanted.path, depth + 1)));
      else if (FILE_LIKE.test(found.path)) missing.push(`line ${bodyAt + found.line}: @${found.written}`);
    }
    if (missing.length > 0)
      warn(`${wanted.path} imports what is not there (${missing.join('; ')}). It was read without.`);
    return imported;
  }

  #isExcluded(path: string): boolean {
    return this.#options.excludes.some((pattern) => matchesGlob(pattern, path));
  }

  async #isDenied(path: string, real: string): Promise<boolean> {
    const options = this.#options;
    return (await options.isDenied?.(path)) === true || (await options.isDenied?.(real)) === true;
  }

  /**
   * A link, an import of `~/.ssh`, or `../..` must not bring files of the machine into the conversation
   * (T112).
   */
  async #isInBounds(real: string, wanted: Pick<WantedFile, 'type'>): Promise<boolean> {
    const { files, importsAnywhere, roots } = this.#options;
    if (wanted.type === 'User' || importsAnywhere) return true;
    this.#realRoots ??= Promise.all(roots.map((root) => resolveLinks(files, root)));
    return (await this.#realRoots).some((root) => isInside(real, root));
  }

  /** A name may be followed by the name of a section. */
  async #findExisting(path: string): Promise<string | undefined> {
    const { files } = this.#options;
    for (const each of [path, path.replace(/#[^/]*$/, '')])
      if ((await files.stat(each).catch(() => undefined)) !== undefined) return each;
    return undefined;
  }
}

interface TextRead {
  /** undefined: it is no text. */
  readonly content: string | undefined;
  readonly mtimeMs: number;
  /** What was left out of it, behind its name. */
  readonly problem?: string;
}

/** undefined: not a readable file. */
async function readText(path: string, files: MemoryReaderOptions['files']): Promise<TextRead | undefined> {
  try {
    const stat = await files.stat(path);
    if (stat?.kind !== 'file') return undefined;
    const text = new TextDecoder().decode(await files.readRange(path, 0, MAX_BYTES));
    const mtimeMs = Math.floor(stat.mtimeMs);
    const isLong = text.length > MAX_CHARS || stat.size > MAX_BYTES;
    if (text.includes('\0')) {
      const problem = 'was not read as memory: it is very large, and no text';
      return { content: undefined, mtimeMs, ...(isLong && { problem }) };
    }
    if (!isLong) return { content: text, mtimeMs };
    const content = `${text.slice(0, MAX_CHARS)}\n… (cut off after ${MAX_CHARS} characters)`;
    return { content, mtimeMs, problem: `was read as memory to its character ${MAX_CHARS} only` };
  } catch {
    return undefined; // unreadable: as if it were not there
  }
}

/**
 * The paths that a text imports, absolute, in order, each once: relative to the folder of the file, or from
 * `~/`. Code, fenced or inline, is ignored.
 */
function findImports(text: string, file: string, home: string | undefined): readonly FoundImport[] {
  const found = new Map<string, FoundImport>();
  for (const { line, at } of proseLines(withoutComments(text, true))) {
    for (const [, mention = ''] of line.matchAll(MENTION)) {
      const written = mention.replaceAll('\\ ', ' ').replace(/[.,;:!?)\]]+$/, '');
      const path = absolute(written, file, home);
      if (path !== undefined && !found.has(path)) found.set(path, { path, written, line: at });
      if (found.size === MAX_MENTIONS) return [...found.values()];
    }
  }
  return [...found.values()];
}

interface FoundImport {
  readonly path: string;
  readonly written: string;
  /** From 0, in the text below the frontmatter. */
  readonly line: number;
}

/** Comments are for people; those in fenced code are code. `keepLines`: their line breaks stay. */
function withoutComments(text: string, keepLines = false): string {
  if (!text.includes('<!--')) return text;
  const fenced = /^ {0,3}(`{3,}|~{3,})[\s\S]*?^ {0,3}\1[`~]*[ \t]*$|<!--[\s\S]*?-->/gm;
  return text.replace(fenced, (part) =>
    part.startsWith('<!--') ? (keepLines ? part.replace(/[^\n]/g, '') : '') : part,
  );
}

function absolute(written: string, file: string, home: string | undefined): string | undefined {
  if (written === '' || written.includes('\0')) return undefined;
  if (written.startsWith('~/')) return home === undefined ? undefined : join(home, written.slice(2));
  if (isAbsolute(written)) return resolve(written);
  return /^[\p{L}\p{N}_.(]/u.test(written) ? resolve(dirname(file), written) : undefined;
}

/** Without fenced blocks; inline code is blanked. */
function* proseLines(text: string): Generator<{ readonly line: string; readonly at: number }> {
  let fence: string | undefined;
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else yield { line: line.replace(/(`+)(?:(?!\1).)*\1(?!`)/g, ' '), at };
  }
}
