/**
 * System prompt and contexts: fetched once per session, assembled per submission, recorded when they change.
 */

import { release, type } from 'node:os';
import { crc32 } from 'node:zlib';
import { renderMemory } from '../../memory/render.ts';
import { wireModel } from '../../model/catalog/model-info.ts';
import type { Scope } from '../../util/async/scope.ts';
import { localDate } from '../../util/text/local-time.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { SessionModel } from '../models/session-model.ts';
import type { SessionContexts } from './conversation.ts';
import type { Session } from './session.ts';
import { buildSystemPrompt, buildUserContext, readSystemPrompt, type Surroundings } from './system-prompt.ts';

export interface SubmissionContext {
  readonly system: readonly string[];
  readonly userContext: readonly string[];
}

/**
 * Fetched by the first call; later calls return the same contexts, so the request's head keeps its bytes
 * (L3).
 */
export async function fetchContexts(
  session: Session,
  scope: Pick<Scope, 'signal'>,
  model: string,
): Promise<SubmissionContext> {
  const { config, conversation, tools } = session;
  const contexts = await conversation.fetchContexts(() => fetchOnce(session, scope));
  const { memoryFiles, gitStatus, ownMemory } = contexts;
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
      // The default prompt contains it.
      outputStyle: custom === undefined ? undefined : config.outputStyles?.current,
      surroundings: surroundingsOf(model, contexts, session),
    }),
  };
}

async function fetchOnce(
  { config, sources, world }: Pick<Session, 'config' | 'sources' | 'world'>,
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
    date: localDate(world.clock.nowMs(), config.env?.['TZ']),
  };
}

/**
 * Surroundings of a conversation with this model. Equal for a whole session, so its requests share their
 * head.
 */
export function surroundingsOf(
  name: string,
  { isRepository, date }: Pick<SessionContexts, 'isRepository' | 'date'>,
  { config, model }: { readonly config: QueryEngineConfig; readonly model: Pick<SessionModel, 'infoOf'> },
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

/** Whether the host disables the system prompt: then nothing is appended either. */
function isSilent({ systemPrompt }: QueryEngineConfig): boolean {
  const { custom } = readSystemPrompt(systemPrompt);
  return custom !== undefined && [custom].flat().join('') === '';
}

/** Recorded with the request when it differs from the previous one. */
export function recordSnapshot(
  context: SubmissionContext,
  submission: string,
  { conversation, tools }: Pick<Session, 'conversation' | 'tools'>,
): void {
  const toolNames = tools.names();
  const hash = crc32(JSON.stringify([context.system, context.userContext, toolNames])).toString(16);
  if (!conversation.isNewSnapshot(hash)) return;
  conversation.recorder.later([
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
