/** The context before a conversation, read once per session. */
import type { PersistentFiles } from '../../protocol/files.ts';
import { memoryPrompt } from '../../subagents/agent-memory.ts';
import { foldersOfRepository } from '../../util/files/folders.ts';
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
  { cwd, memoryPath, projectTrusted = true }: QueryEngineConfig,
  { projectMemory, files, env }: ContextSourceParts,
): ContextSources {
  return {
    memoryFiles: projectMemory.load,
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
export function ownDirectoriesOf({ ownDirectories, memoryPath }: QueryEngineConfig) {
  return memoryPath === undefined ? ownDirectories : [...(ownDirectories ?? []), memoryPath];
}
