/** The memory files of a session: those that apply from the start, and those of folders that are touched. */
import { resolve } from 'node:path';
import { foldersBetween, projectFolders } from '@turnwright/base/files/folders.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { Life } from '../protocol/life.ts';
import type { CompactionSource } from '../protocol/model/context.ts';
import type { AttachmentMessage, ViewMessage } from '../protocol/model/messages.ts';
import type { TextBlock, ToolUseBlock } from '../protocol/model/wire.ts';
import type { Clock, Ids } from '../protocol/ports.ts';
import { FolderMemory, type FolderMemoryOptions } from './folder-memory.ts';
import type { MemoryFile } from './memory-file.ts';
import { createMemoryReader, type MemoryReader } from './read-memory.ts';
import {
  createRelevantMemory,
  type MemoryGroup,
  type PromptInNeed,
  type RelevantMemoryOptions,
} from './relevant-memory.ts';
import { notesIn } from './relevant-notes.ts';
import { renderChanged, renderNested, renderRelevant, shownIn } from './render.ts';

interface ProjectMemoryOptions extends FolderMemoryOptions {
  readonly cwd: string;
  readonly files: Pick<PersistentFiles, 'exists' | 'readRange' | 'stat' | 'realpath' | 'readDir'>;
  /** The configuration home; undefined: there is none. */
  readonly userFolder: string | undefined;
  /** Folders of the user's notes about this project; undefined: there are none. */
  readonly notesFolders: (() => Promise<readonly string[]>) | undefined;
  /** Selects memory relevant for a prompt; undefined: off. */
  readonly relevant?: RelevantMemoryOptions | undefined;
  readonly homeDirectory: string | undefined;
  readonly additionalDirectories: readonly string[];
  readonly excludes: readonly string[];
  readonly importsAnywhere: boolean;
  /** Whether a file must not be read; default none. */
  isDenied?(path: string): Promise<boolean>;
  readonly warn: (line: string) => void;
  /** Paths that a call names. */
  pathsOf(call: ToolUseBlock): readonly string[];
  /** Called for every file that is added to the conversation. */
  onLoaded(file: MemoryFile): void;
  readonly clock: Clock;
  readonly ids: Ids;
}

interface TouchingTurn {
  readonly toolUses: readonly ToolUseBlock[];
  readonly view: Iterable<ViewMessage>;
}

interface FoundMemory {
  readonly attachment: AttachmentMessage['attachment'];
  readonly rendered: readonly TextBlock[];
}

/** The parts that belong to one conversation: its calls, and its listener. */
export type MemoryReaders = Pick<ProjectMemoryOptions, 'pathsOf' | 'onLoaded'>;

export interface ProjectMemory {
  /** From the user's own down to the working directory, so that the nearest comes last. Read once. */
  load(): Promise<readonly MemoryFile[]>;
  /**
   * Starts selecting what is relevant for a prompt; `source` adds it if it is ready by then. undefined: off.
   */
  readonly prefetch?: ((need: PromptInNeed) => void) | undefined;
  /** For another conversation with the same files at its start; later additions are separate. */
  branch(readers: MemoryReaders): ProjectMemory;
  /** Behind tool results (L6): the memory of touched folders, once each, and files that changed on disk. */
  readonly source: {
    readonly name: 'memory';
    collect(input: TouchingTurn, life: Life): Promise<readonly FoundMemory[]> | readonly FoundMemory[];
  };
  /** After a compaction: what was added behind tool results, with its current content (F31). */
  readonly restored: CompactionSource;
}

/** A file in the conversation; a `late` one is not at its start. */
interface KnownFile {
  readonly file: MemoryFile;
  readonly late: boolean;
}

/** Memory at the start of a conversation. */
interface Head {
  readonly found: readonly MemoryFile[];
  readonly known: ReadonlyMap<string, KnownFile>;
  readonly folders: FolderMemory;
  readonly root: string;
  readonly reader: MemoryReader;
}

const NOTHING: readonly FoundMemory[] = Object.freeze([]);

/** Without sources there is nothing to read. */
export const NO_MEMORY: ProjectMemory = {
  load: async () => [],
  branch: () => NO_MEMORY,
  source: { name: 'memory', collect: () => NOTHING },
  restored: { name: 'memory', collect: async () => [] },
};

export function createProjectMemory(options: ProjectMemoryOptions): ProjectMemory {
  return new SessionMemory(options);
}

class SessionMemory implements ProjectMemory {
  readonly prefetch: ProjectMemory['prefetch'];
  readonly source: ProjectMemory['source'] = {
    name: 'memory',
    collect: (turn, life) => this.#collect(turn, life),
  };
  readonly restored: CompactionSource = {
    name: 'memory',
    collect: ({ summarised, kept }) => this.#restore(summarised, kept),
  };
  readonly #options: ProjectMemoryOptions;
  readonly #earlier: (() => Promise<Head>) | undefined;
  readonly #relevant: ReturnType<typeof createRelevantMemory> | undefined;
  readonly #notes: ReturnType<typeof notesIn> | undefined;
  /** By path. */
  #known = new Map<string, KnownFile>();
  #folders: FolderMemory;
  #root: string;
  #reader: MemoryReader | undefined;
  #loading: Promise<Head> | undefined;
  #isRecalled = false;

  /** With `earlier`, nothing is read again: it starts with the files of another conversation. */
  constructor(options: ProjectMemoryOptions, earlier?: () => Promise<Head>) {
    this.#options = options;
    this.#earlier = earlier;
    this.#folders = new FolderMemory(options);
    this.#root = options.cwd;
    const relevant = options.relevant && createRelevantMemory(options.relevant);
    this.#relevant = relevant;
    this.prefetch = relevant && ((need) => relevant.start(need, () => this.#unsaid()));
    const { notesFolders } = options;
    this.#notes = notesFolders && notesIn(notesFolders, options);
  }

  async load(): Promise<readonly MemoryFile[]> {
    return (await this.#head()).found;
  }

  branch(readers: MemoryReaders): ProjectMemory {
    const options = { ...this.#options, ...readers, relevant: undefined };
    return new SessionMemory(options, () => this.#head());
  }

  #head(): Promise<Head> {
    this.#loading ??= this.#earlier?.().then((head) => this.#beginAt(head)) ?? this.#loadOnce();
    return this.#loading;
  }

  #beginAt(head: Head): Head {
    this.#known = new Map(head.known);
    this.#folders = head.folders.branch();
    this.#root = head.root;
    this.#reader = head.reader.branch();
    return head;
  }

  async #loadOnce(): Promise<Head> {
    const { cwd, files, sources, userFolder, additionalDirectories, notesFolders } = this.#options;
    // The first prompt may mention one.
    if (this.#relevant !== undefined) await notesFolders?.();
    const hasProject = sources.includes('project') || sources.includes('local');
    const chain = hasProject ? [...(await projectFolders(cwd, files))].reverse() : [];
    const root = chain[0] ?? cwd;
    const reader = createMemoryReader({ ...this.#options, roots: [root, ...additionalDirectories] });
    this.#root = root;
    this.#reader = reader;
    const found: MemoryFile[] = [];
    if (sources.includes('user') && userFolder !== undefined)
      found.push(...(await this.#folders.readUser(userFolder, root, reader)));
    for (const folder of chain) found.push(...(await this.#folders.read(folder, 'session_start', reader)));
    for (const file of found) this.#take(file, false);
    const known = new Map(this.#known);
    return { found, known, folders: this.#folders.branch(), root, reader: reader.branch() };
  }

  #take(file: MemoryFile, late: boolean): MemoryFile {
    this.#known.set(file.path, { file, late });
    this.#options.onLoaded(file);
    return file;
  }

  /** Rules that wait for their files, and notes. */
  async #unsaid(): Promise<readonly MemoryGroup[]> {
    await this.load();
    const held = this.#folders.heldRules();
    const rules = held.map((group) => group.map((file) => ({ ...file, reason: 'recall' as const })));
    const groups = [...rules, ...((await this.#notes?.all()) ?? [])];
    return groups.filter(([first]) => first !== undefined && !this.#known.has(first.path));
  }

  async #collect({ toolUses, view }: TouchingTurn, life: Life): Promise<readonly FoundMemory[]> {
    await this.load();
    const reader = this.#reader;
    if (reader === undefined || life.aborted) return NOTHING;
    const paths = this.#touched(toolUses);
    if (paths.length > 0) await this.#recall(view, reader);
    return [...(await this.#changed(reader)), ...(await this.#nested(paths, reader)), ...this.#chosen()];
  }

  #touched(calls: readonly ToolUseBlock[]): readonly string[] {
    const { cwd } = this.#options;
    const named = calls.flatMap((call) => this.#options.pathsOf(call));
    return [...new Set(named.map((path) => resolve(cwd, path)))];
  }

  /** Memory that a previous process added behind tool results: it is part of the conversation. */
  async #recall(messages: Iterable<ViewMessage>, reader: MemoryReader): Promise<void> {
    if (this.#isRecalled) return;
    this.#isRecalled = true;
    for (const path of shownIn(messages)) {
      if (this.#known.has(path)) continue;
      const note = await this.#notes?.find(path);
      const found = note ?? (await reader.read({ path, type: 'Project', reason: 'nested_traversal' }));
      for (const file of found) this.#known.set(file.path, { file, late: true });
    }
  }

  async #nested(paths: readonly string[], reader: MemoryReader): Promise<FoundMemory[]> {
    const found: MemoryFile[] = [];
    for (const path of paths) {
      for (const folder of foldersBetween(this.#root, path))
        if (!this.#folders.hasRead(folder))
          found.push(...(await this.#folders.read(folder, 'nested_traversal', reader, path)));
      found.push(...(await this.#folders.takeRules(path)));
    }
    return found
      .filter((file) => !this.#known.has(file.path))
      .map((file) => renderNested(this.#take(file, true)));
  }

  async #changed(reader: MemoryReader): Promise<FoundMemory[]> {
    const { files } = this.#options;
    const all = [...this.#known.values()];
    const stats = await Promise.all(all.map(({ file }) => files.stat(file.path).catch(() => null)));
    const found: FoundMemory[] = [];
    for (const [i, { file }] of all.entries()) {
      const stat = stats[i];
      // Not readable now: nothing is reported.
      if (stat === null || (stat !== undefined && Math.floor(stat.mtimeMs) === file.mtimeMs)) continue;
      const now = stat === undefined ? undefined : await reader.again(file);
      const content = now?.content ?? '';
      if (now === undefined && file.mtimeMs === GONE) continue;
      const latest: MemoryFile = { ...file, content, mtimeMs: now?.mtimeMs ?? GONE };
      const isNew = content !== file.content;
      const late = this.#known.get(file.path)?.late === true || isNew;
      this.#known.set(file.path, { file: latest, late });
      if (isNew) found.push(renderChanged(latest));
    }
    return found;
  }

  /** Last, so that what was added with a folder is not repeated. */
  #chosen(): readonly FoundMemory[] {
    const found = this.#relevant?.take((path) => this.#known.has(path)) ?? [];
    return found.length === 0 ? [] : [renderRelevant(found.map((file) => this.#take(file, true)))];
  }

  async #restore(
    summarised: Iterable<ViewMessage>,
    kept: Iterable<ViewMessage>,
  ): Promise<readonly AttachmentMessage[]> {
    await this.load();
    if (this.#reader === undefined) return [];
    const { ids, clock } = this.#options;
    await this.#recall([...summarised, ...kept], this.#reader);
    const shown = shownIn(kept);
    return [...this.#known.values()]
      .filter(({ file, late }) => late && file.content.trim() !== '' && !shown.has(file.path))
      .map(({ file }): AttachmentMessage => {
        this.#options.onLoaded({ ...file, reason: 'compact' });
        return {
          type: 'attachment',
          uuid: ids.uuid(),
          timestamp: isoTime(clock.nowMs()),
          ...renderNested(file),
        };
      });
  }
}

/** The file no longer exists. */
const GONE = -1;
