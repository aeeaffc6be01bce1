/** System prompt and contexts of a session: fetched once, put together per submission, recorded when they change. */
import { crc32 } from 'node:zlib';
import { renderMemory } from '../memory/render.ts';
import { isoTime } from '../util/iso-time.ts';
import type { Scope } from '../util/scope.ts';
import type { QueryEngineConfig } from './config.ts';
import type { EngineParts } from './parts.ts';
import { buildSystemPrompt, buildUserContext } from './system-prompt.ts';

export interface SubmissionContext {
  readonly system: readonly string[];
  readonly userContext: readonly string[];
}

/** Fetches on the first call; afterwards the same contexts are used, so the request's head keeps its bytes (L3). */
export async function fetchContexts(
  parts: EngineParts,
  scope: Pick<Scope, 'signal'>,
): Promise<SubmissionContext> {
  const { config, memory, sources, tools } = parts;
  // Without Turnwright's own prompt the date is left to the host.
  const own = config.customSystemPrompt === undefined;
  if (memory.contexts === undefined) {
    const [memoryFiles, gitStatus] = await Promise.all([
      sources.memoryFiles(),
      isSilent(config) ? '' : sources.gitStatus(scope.signal),
    ]);
    memory.contexts = {
      memoryFiles,
      gitStatus,
      date: isoTime(parts.clock.nowMs()).slice(0, 10),
    };
  }
  const { memoryFiles, gitStatus, date } = memory.contexts;
  return {
    system: buildSystemPrompt({
      custom: config.customSystemPrompt,
      append: config.appendSystemPrompt,
      outputStyle: config.outputStyles?.current,
      cwd: config.cwd,
      additionalDirectories: config.additionalDirectories ?? [],
      toolNames: tools.names(),
      systemContext: gitStatus,
      platform: process.platform,
    }),
    userContext: buildUserContext({
      memory: renderMemory(memoryFiles),
      date: own || memoryFiles.length > 0 ? date : undefined,
    }),
  };
}

/** Whether the host wants no system prompt at all: nothing is appended to none. */
function isSilent({ customSystemPrompt: custom, appendSystemPrompt = '' }: QueryEngineConfig): boolean {
  return custom !== undefined && [custom].flat().join('') + appendSystemPrompt === '';
}

/** Goes out with the request, when it differs from the one before. */
export function recordSnapshot(context: SubmissionContext, submission: string, parts: EngineParts): void {
  const toolNames = parts.tools.names();
  const hash = crc32(JSON.stringify([context.system, context.userContext, toolNames])).toString(16);
  if (hash === parts.memory.snapshot) return;
  parts.memory.snapshot = hash;
  parts.journal.recorder.later([
    {
      type: 'context-snapshot',
      id: `${submission}/context-snapshot`,
      submission,
      ...context,
      toolNames,
      hash,
    },
  ]);
}
