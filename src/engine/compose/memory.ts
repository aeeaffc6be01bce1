/** Memory files in a session: read under its settings sources, told to hooks, put behind tool results. */
import type { MemoryFile } from '../../memory/memory-file.ts';
import { createProjectMemory, type MemoryReaders, type ProjectMemory } from '../../memory/project-memory.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { HookPort } from '../../protocol/hook.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { AnyTool } from '../../protocol/tool.ts';
import type { ToolUseBlock } from '../../protocol/wire.ts';
import type { Scope } from '../../util/scope.ts';
import type { QueryEngineConfig } from '../config.ts';

export interface MemoryParts {
  readonly files: PersistentFiles;
  readonly hooks: HookPort;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly scope: Scope;
  readonly tools: () => readonly AnyTool[];
}

export function composeMemory(config: QueryEngineConfig, parts: MemoryParts): ProjectMemory {
  const { excludes = [], imports = 'project' } = config.memoryFiles ?? {};
  return createProjectMemory({
    cwd: config.cwd,
    files: parts.files,
    sources: config.settingSources ?? [],
    userFolder: config.home,
    homeDirectory: config.env?.['HOME'] ?? config.env?.['USERPROFILE'],
    additionalDirectories: config.additionalDirectories ?? [],
    excludes,
    importsAnywhere: imports === 'anywhere',
    warn: (line) => config.stderr?.(line),
    ...memoryReaders(config, parts),
    clock: parts.clock,
    ids: parts.ids,
  });
}

/** Whose conversation it is says what its calls are about, and which hooks hear of what comes into it. */
export function memoryReaders(
  { cwd }: Pick<QueryEngineConfig, 'cwd'>,
  { hooks, scope, tools }: Pick<MemoryParts, 'hooks' | 'scope' | 'tools'>,
): MemoryReaders {
  return {
    pathsOf: (call) => pathsOf(call, tools(), cwd),
    onLoaded(file) {
      if (!hooks.has('InstructionsLoaded')) return;
      // Hooks are told and have no say: nobody waits for them.
      void hooks.run({ event: 'InstructionsLoaded', ...factsOf(file) }, { signal: scope.signal });
    },
  };
}

function factsOf(file: MemoryFile) {
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
function pathsOf(call: ToolUseBlock, tools: readonly AnyTool[], cwd: string): readonly string[] {
  try {
    const tool = tools.find(({ name }) => name === call.name);
    const target = tool?.permissionTarget?.(call.input, { cwd });
    return target?.kind === 'read' || target?.kind === 'write' ? target.paths : [];
  } catch {
    return [];
  }
}
