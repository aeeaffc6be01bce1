/** The memory files of a session: those that apply from the start, and those of folders that are touched. */
import { join, relative, resolve } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';
import type { Life } from '../protocol/life.ts';
import type { CompactionSource } from '../protocol/model/context.ts';
import type { AttachmentMessage, ViewMessage } from '../protocol/model/messages.ts';
import type { TextBlock, ToolUseBlock } from '../protocol/model/wire.ts';
import type { Clock, Ids } from '../protocol/ports.ts';
import type { LoadReason } from '../protocol/tools/hook.ts';
import { foldersBetween, projectFolders } from '../util/files/folders.ts';
import { matchesGlob } from '../util/text/glob.ts';
import { isoTime } from '../util/text/iso-time.ts';
import type { MemoryFile, MemoryType } from './memory-file.ts';
import { projectFiles, projectRules, userFiles } from './memory-places.ts';
import { notesIn } from './notes.ts';
import { createMemoryReader, type MemoryReader } from './read-memory.ts';
import {
  createRelevantMemory,
  type MemoryGroup,
  type PromptInNeed,
  type RelevantMemoryOptions,
} from './relevant-memory.ts';
import { renderChanged, renderNested, renderRelevant, shownIn } from './render.ts';

interface ProjectMemoryOptions {
  readonly cwd: string;
  readonly files: Pick<PersistentFiles, 'exists' | 'readRange' | 'stat' | 'realpath' | 'readDir'>;
  /** Only the named sources are read. */
  readonly sources: readonly ('user' | 'project' | 'local')[];
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

/** A rule for some files only, with its imports, until one is touched, by its own name or through a link. */
interface HeldRule {
  readonly folder: string;
  readonly group: MemoryGroup;
}

/** Memory at the start of a conversation. */
interface Head {
  readonly found: readonly MemoryFile[];
  readonly known: ReadonlyMap<string, { file: MemoryFile; late: boolean }>;
  readonly visited: ReadonlySet<string>;
  readonly held: readonly HeldRule[];
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

/** With `earlier`, nothing is read again: it starts with the files of another conversation. */
export function createProjectMemory(
  options: ProjectMemoryOptions,
  earlier?: () => Promise<Head>,
): ProjectMemory {
  const { cwd, files, sources } = options;
  /** Files in the conversation, by path; `late` ones are not at its start. */
  let known = new Map<string, { file: MemoryFile; late: boolean }>();
  let visited = new Set<string>();
  let held: readonly HeldRule[] = [];
  let root = cwd;
  let reader: MemoryReader | undefined;
  let loading: Promise<Head> | undefined;
  let recalled = false;
  const relevant = options.relevant && createRelevantMemory(options.relevant);
  const { notesFolders } = options;
  const notes = notesFolders && notesIn(notesFolders, options);

  const take = (file: MemoryFile, late: boolean): MemoryFile => {
    known.set(file.path, { file, late });
    options.onLoaded(file);
    return file;
  };

  /** Separates rules that apply to some files only. */
  const sift = (folder: string, groups: readonly MemoryGroup[]): readonly MemoryFile[] => {
    const about = groups.filter(([first]) => first?.globs !== undefined);
    held = [...held, ...about.map((group) => ({ folder, group }))];
    return groups.filter((group) => !about.includes(group)).flat();
  };

  const ofFolder = async (
    folder: string,
    reason: LoadReason,
    from: MemoryReader,
    triggerPath?: string,
  ): Promise<readonly MemoryFile[]> => {
    visited.add(folder);
    const trigger = triggerPath === undefined ? {} : { triggerPath };
    const groups: MemoryGroup[] = [];
    const read = async (paths: readonly string[], type: MemoryType) => {
      for (const path of paths) groups.push(await from.read({ path, type, reason, ...trigger }));
    };
    if (sources.includes('project')) {
      await read(await projectFiles(folder, files), 'Project');
      await read(await projectRules(folder, files), 'Project');
    }
    if (sources.includes('local')) await read([join(folder, 'CLAUDE.local.md')], 'Local');
    return sift(folder, groups);
  };

  const loadOnce = async (): Promise<Head> => {
    // The first prompt may mention one.
    if (relevant !== undefined) await notesFolders?.();
    const hasProject = sources.includes('project') || sources.includes('local');
    const chain = hasProject ? [...(await projectFolders(cwd, files))].reverse() : [];
    root = chain[0] ?? cwd;
    reader = createMemoryReader({ ...options, roots: [root, ...options.additionalDirectories] });
    const found: MemoryFile[] = [];
    if (sources.includes('user') && options.userFolder !== undefined) {
      const groups: MemoryGroup[] = [];
      for (const path of await userFiles(options.userFolder, files))
        groups.push(await reader.read({ path, type: 'User', reason: 'session_start' }));
      found.push(...sift(root, groups));
    }
    for (const folder of chain) found.push(...(await ofFolder(folder, 'session_start', reader)));
    for (const file of found) take(file, false);
    return { found, known: new Map(known), visited: new Set(visited), held, root, reader: reader.branch() };
  };

  const beginAt = (head: Head): Head => {
    known = new Map(head.known);
    visited = new Set(head.visited);
    ({ held, root } = head);
    reader = head.reader.branch();
    return head;
  };

  const head = () => {
    loading ??= earlier === undefined ? loadOnce() : earlier().then(beginAt);
    return loading;
  };
  const load = async () => (await head()).found;

  /** Rules that wait for their files, and notes. */
  const unsaid = async (): Promise<readonly MemoryGroup[]> => {
    await load();
    const rules = held.map(({ group }) => group.map((file) => ({ ...file, reason: 'recall' as const })));
    const groups = [...rules, ...((await notes?.all()) ?? [])];
    return groups.filter(([first]) => first !== undefined && !known.has(first.path));
  };

  /** Memory that a previous process added behind tool results: it is part of the conversation. */
  const recall = async (messages: Iterable<ViewMessage>, from: MemoryReader) => {
    if (recalled) return;
    recalled = true;
    for (const path of shownIn(messages)) {
      if (known.has(path)) continue;
      const note = await notes?.find(path);
      const found = note ?? (await from.read({ path, type: 'Project', reason: 'nested_traversal' }));
      for (const file of found) known.set(file.path, { file, late: true });
    }
  };

  const touched = (calls: readonly ToolUseBlock[]) => [
    ...new Set(calls.flatMap((call) => options.pathsOf(call)).map((path) => resolve(cwd, path))),
  ];

  const nested = async (paths: readonly string[], from: MemoryReader): Promise<FoundMemory[]> => {
    const found: MemoryFile[] = [];
    for (const path of paths) {
      for (const folder of foldersBetween(root, path))
        if (!visited.has(folder)) found.push(...(await ofFolder(folder, 'nested_traversal', from, path)));
      const names = held.length === 0 ? [] : [path, await files.realpath(path).catch(() => path)];
      const matching = held.filter(({ folder, group }) =>
        group[0]?.globs?.some((glob) => names.some((name) => matchesGlob(glob, relative(folder, name)))),
      );
      held = held.filter((rule) => !matching.includes(rule));
      for (const { group } of matching)
        found.push(
          ...group.map((file) => ({
            ...file,
            triggerPath: path,
            ...(file.reason !== 'include' && { reason: 'path_glob_match' as const }),
          })),
        );
    }
    return found.filter((file) => !known.has(file.path)).map((file) => renderNested(take(file, true)));
  };

  const changed = async (from: MemoryReader): Promise<FoundMemory[]> => {
    const all = [...known.values()];
    const stats = await Promise.all(all.map(({ file }) => files.stat(file.path).catch(() => null)));
    const found: FoundMemory[] = [];
    for (const [i, { file }] of all.entries()) {
      const stat = stats[i];
      // Not readable now: nothing is reported.
      if (stat === null || (stat !== undefined && Math.floor(stat.mtimeMs) === file.mtimeMs)) continue;
      const now = stat === undefined ? undefined : await from.again(file);
      const content = now?.content ?? '';
      if (now === undefined && file.mtimeMs === GONE) continue;
      const latest: MemoryFile = { ...file, content, mtimeMs: now?.mtimeMs ?? GONE };
      const isNew = content !== file.content;
      known.set(file.path, { file: latest, late: known.get(file.path)?.late === true || isNew });
      if (isNew) found.push(renderChanged(latest));
    }
    return found;
  };

  /** Last, so that what was added with a folder is not repeated. */
  const chosen = (): readonly FoundMemory[] => {
    const found = relevant?.take((path) => known.has(path)) ?? [];
    return found.length === 0 ? [] : [renderRelevant(found.map((file) => take(file, true)))];
  };

  const found = async ({ toolUses, view }: TouchingTurn, life: Life) => {
    await load();
    if (reader === undefined || life.aborted) return NOTHING;
    const paths = touched(toolUses);
    if (paths.length > 0) await recall(view, reader);
    return [...(await changed(reader)), ...(await nested(paths, reader)), ...chosen()];
  };

  return {
    load,
    prefetch: relevant && ((need) => relevant.start(need, unsaid)),
    branch: (readers) => createProjectMemory({ ...options, ...readers, relevant: undefined }, head),
    source: { name: 'memory', collect: found },
    restored: {
      name: 'memory',
      async collect({ summarised, kept }) {
        await load();
        if (reader === undefined) return [];
        await recall([...summarised, ...kept], reader);
        const shown = shownIn(kept);
        return [...known.values()]
          .filter(({ file, late }) => late && file.content.trim() !== '' && !shown.has(file.path))
          .map(({ file }): AttachmentMessage => {
            options.onLoaded({ ...file, reason: 'compact' });
            return {
              type: 'attachment',
              uuid: options.ids.uuid(),
              timestamp: isoTime(options.clock.nowMs()),
              ...renderNested(file),
            };
          });
      },
    },
  };
}

/** The file no longer exists. */
const GONE = -1;
