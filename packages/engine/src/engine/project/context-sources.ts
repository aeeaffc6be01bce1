/** The context before a conversation, read once per session. */
import { resolve } from 'node:path';
import { foldersOfRepository } from '@turnwright/base/files/folders.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { memoryPrompt } from '../../subagents/agent-memory.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { ContextSources } from '../session/session.ts';

interface ContextSourceParts {
  readonly projectMemory: {
    readonly load: ContextSources['memoryFiles'];
    readonly prefetch?: ContextSources['relevantMemory'];
  };
  readonly files: PersistentFiles;
  readonly env: Readonly<Record<string, string>>;
}

export function composeContextSources(
  config: QueryEngineConfig,
  { projectMemory, files, env }: ContextSourceParts,
): ContextSources {
  const { cwd, projectTrusted = true } = config;
  const memoryPath = resolveMemoryPath(config);
  return {
    memoryFiles: () => projectMemory.load(),
    relevantMemory: projectMemory.prefetch,
    isRepository: async () => (await foldersOfRepository(cwd, files)) !== undefined,
    async gitStatus(signal) {
      const { gitStatus } = await import('../session/git-status.ts');
      return gitStatus({ cwd, env, files, isTrusted: projectTrusted }, signal);
    },
    ownMemory: async () => (memoryPath === undefined ? undefined : memoryPrompt(memoryPath, files)),
  };
}

/** What the main thread reads and writes without being asked. */
export function listOwnDirectories(config: QueryEngineConfig) {
  const { ownDirectories } = config;
  const memoryPath = resolveMemoryPath(config);
  return memoryPath === undefined ? ownDirectories : [...(ownDirectories ?? []), memoryPath];
}

/** Where the conversation keeps notes of its own; default, where the environment of the engine says. */
function resolveMemoryPath({ cwd, env, memoryPath }: QueryEngineConfig): string | undefined {
  const given = env?.[MEMORY_PATH_VARIABLE];
  if (memoryPath !== undefined || given === undefined || given.trim() === '') return memoryPath;
  return resolve(cwd, given);
}

const MEMORY_PATH_VARIABLE = 'CLAUDE_COWORK_MEMORY_PATH_OVERRIDE';
