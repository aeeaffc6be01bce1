/** System prompt and contexts of a session: fetched once, put together per submission, recorded when they change. */

import { release, type } from 'node:os';
import { crc32 } from 'node:zlib';
import { renderMemory } from '../../memory/render.ts';
import { wireModel } from '../../model/catalog/model-info.ts';
import type { Scope } from '../../util/async/scope.ts';
import { isoTime } from '../../util/text/iso-time.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { EngineParts, SessionMemory } from './session-parts.ts';
import { buildSystemPrompt, buildUserContext, readSystemPrompt, type Surroundings } from './system-prompt.ts';

export interface SubmissionContext {
  readonly system: readonly string[];
  readonly userContext: readonly string[];
}

type SessionContexts = NonNullable<SessionMemory['contexts']>;

/** Fetches on the first call; afterwards the same contexts are used, so the request's head keeps its bytes (L3). */
export async function fetchContexts(
  parts: EngineParts,
  scope: Pick<Scope, 'signal'>,
  model: string,
): Promise<SubmissionContext> {
  const { config, memory, tools } = parts;
  memory.contexts ??= await fetchOnce(parts, scope);
  const { memoryFiles, gitStatus, ownMemory } = memory.contexts;
  const { custom, append } = readSystemPrompt(config.systemPrompt);
  return {
    system: buildSystemPrompt({
      custom,
      ownMemory,
      append,
      outputStyle: config.outputStyles?.current,
      cwd: config.cwd,
      additionalDirectories: config.additionalDirectories ?? [],
      toolNames: tools.names(),
      systemContext: gitStatus,
    }),
    userContext: buildUserContext({
      memory: renderMemory(memoryFiles),
      // Turnwright's own prompt has a place for it.
      outputStyle: custom === undefined ? undefined : config.outputStyles?.current,
      surroundings: surroundingsOf(model, memory.contexts, parts),
    }),
  };
}

async function fetchOnce(
  { clock, config, sources }: EngineParts,
  { signal }: Pick<Scope, 'signal'>,
): Promise<SessionContexts> {
  const [memoryFiles, isRepository, ownMemory] = await Promise.all([
    sources.memoryFiles(),
    sources.isRepository(),
    sources.ownMemory(),
  ]);
  return {
    memoryFiles,
    isRepository,
    ownMemory,
    gitStatus: isRepository && !isSilent(config) ? await sources.gitStatus(signal) : '',
    date: isoTime(clock.nowMs()).slice(0, 10),
  };
}

/** What a conversation with this model is told of where it is. The same for a whole session, so its requests share their head. */
export function surroundingsOf(
  name: string,
  { isRepository, date }: Pick<SessionContexts, 'isRepository' | 'date'>,
  { config, model }: Pick<EngineParts, 'config' | 'model'>,
): Surroundings {
  const { displayName, knowledgeCutoff } = model.infoOf(name);
  return {
    cwd: config.cwd,
    additionalDirectories: config.additionalDirectories ?? [],
    isRepository,
    platform: process.platform,
    os: `${type()} ${release()}`,
    model: { id: wireModel(name), name: displayName, knowledgeCutoff },
    date,
  };
}

/** Whether the host wants no system prompt at all: nothing is appended to none. */
function isSilent({ systemPrompt }: QueryEngineConfig): boolean {
  const { custom } = readSystemPrompt(systemPrompt);
  return custom !== undefined && [custom].flat().join('') === '';
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
