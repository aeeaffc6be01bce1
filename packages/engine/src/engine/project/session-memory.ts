/** Memory files in a session: read by its settings sources, reported to hooks, added after tool results. */

import type { Scope } from '@turnwright/base/async/scope.ts';
import type { PathBase } from '@turnwright/base/files/home-path.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { MemoryFile } from '../../memory/memory-file.ts';
import {
  createProjectMemory,
  type MemoryReaders,
  NO_MEMORY,
  type ProjectMemory,
} from '../../memory/project-memory.ts';
import type { RelevantMemoryOptions } from '../../memory/relevant-memory.ts';
import type { CompactionSource } from '../../protocol/model/context.ts';
import type { ToolUseBlock } from '../../protocol/model/wire.ts';
import type { HookPort } from '../../protocol/tools/hook.ts';
import type { AnyTool, ReadFileCache } from '../../protocol/tools/tool.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { ToolPermissions } from '../host/asking.ts';
import type { Conversation } from '../session/conversation.ts';
import { changesRestored } from '../session/request-context.ts';
import type { Session } from '../session/session.ts';
import { askSmallModel, type SideCallPorts } from '../side-calls/small-model.ts';
import type { NotesPlaces } from './notes-places.ts';

interface MemoryParts extends SideCallPorts {
  readonly files: PersistentFiles;
  readonly hooks: HookPort;
  readonly scope: Scope;
  readonly tools: () => readonly AnyTool[];
  /** Where the relative paths of calls count from. */
  readonly folder: { readonly now: string; readonly home: string | undefined };
  readonly readFileCache: Pick<ReadFileCache, 'get'>;
  readonly permissions: Pick<ToolPermissions, 'permissions'>;
  readonly notes: Pick<NotesPlaces, 'find'>;
}

/** Tokens: a handful of numbers. */
const MAX_CHOICE_TOKENS = 200;

export function composeMemory(config: QueryEngineConfig, parts: MemoryParts): ProjectMemory {
  const { settingSources: sources = [] } = config;
  if (sources.length === 0) return NO_MEMORY;
  const { excludes = [], imports = 'project' } = config.memoryFiles ?? {};
  return createProjectMemory({
    cwd: config.cwd,
    files: parts.files,
    sources,
    userFolder: config.home,
    notesFolders: parts.notes.find,
    relevant: relevantMemory(config, parts),
    homeDirectory: config.env?.['HOME'] ?? config.env?.['USERPROFILE'],
    additionalDirectories: config.additionalDirectories ?? [],
    excludes,
    importsAnywhere: imports === 'anywhere' && config.projectTrusted !== false,
    isDenied: async (path) =>
      (await parts.permissions.permissions.readFilter({ cwd: config.cwd })?.(path)) === true,
    warn: (line) => config.stderr?.(line),
    ...memoryReaders(parts),
    clock: parts.world.clock,
    ids: parts.world.ids,
  });
}

/** What a summary must not lose, in this order. */
export function restoredSources(parts: {
  readonly conversation: Conversation;
  readonly world: Pick<Session['world'], 'clock' | 'ids'>;
  readonly skills: { readonly compactionSources: readonly CompactionSource[] };
  readonly projectMemory: Pick<ProjectMemory, 'restored'>;
  readonly toolState: { readonly compactionSources: readonly CompactionSource[] };
}): readonly CompactionSource[] {
  const { conversation, projectMemory, skills, toolState, world } = parts;
  return [
    changesRestored(conversation, world),
    ...skills.compactionSources,
    projectMemory.restored,
    ...toolState.compactionSources,
  ];
}

function relevantMemory(
  { relevantMemory: choice = false }: QueryEngineConfig,
  parts: MemoryParts,
): RelevantMemoryOptions | undefined {
  if (choice === false) return undefined;
  const { model, ...limits } = choice === true ? {} : choice;
  return {
    ...limits,
    wasRead: (path) => parts.readFileCache.get(path) !== undefined,
    ask: ({ system, text, submission, signal }) =>
      askSmallModel(
        {
          querySource: 'memory',
          foreground: false,
          system,
          texts: [text],
          model,
          maxTokens: MAX_CHOICE_TOKENS,
          effectKey: `${submission}/memory`,
          signal,
        },
        parts,
      ),
  };
}

/** Whose conversation it is says what its calls are about, and which hooks hear of what comes into it. */
export function memoryReaders({
  hooks,
  scope,
  tools,
  folder,
}: Pick<MemoryParts, 'folder' | 'hooks' | 'scope' | 'tools'>): MemoryReaders {
  return {
    pathsOf: (call) => listTargetPaths(call, tools(), { cwd: folder.now, home: folder.home }),
    onLoaded(file) {
      if (!hooks.has('InstructionsLoaded')) return;
      // The answers of these hooks have no effect, so they are not awaited.
      void hooks.run({ event: 'InstructionsLoaded', ...toHookFields(file) }, { signal: scope.signal });
    },
  };
}

function toHookFields(file: MemoryFile) {
  return {
    file_path: file.path,
    memory_type: file.type,
    load_reason: file.reason,
    ...(file.globs !== undefined && { globs: file.globs }),
    ...(file.triggerPath !== undefined && { trigger_file_path: file.triggerPath }),
    ...(file.parentPath !== undefined && { parent_file_path: file.parentPath }),
  };
}

/** What the tool itself says a call is about; an input that its tool would refuse is about nothing. */
function listTargetPaths(call: ToolUseBlock, tools: readonly AnyTool[], base: PathBase): readonly string[] {
  try {
    const tool = tools.find(({ name }) => name === call.name);
    const target = tool?.permissionTarget?.(call.input, base);
    return target?.kind === 'read' || target?.kind === 'write' ? target.paths : [];
  } catch {
    return [];
  }
}
