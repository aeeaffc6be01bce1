/**
 * System prompt and contexts: fetched once per session, assembled per submission, recorded when they change.
 */

import { release, type } from 'node:os';
import type { Scope } from '@turnwright/base/async/scope.ts';
import { localDate } from '@turnwright/base/text/figures-and-times.ts';
import {
  changedContext,
  type HeadParts,
  hashTexts,
  hashValue,
  outsideTexts,
  withoutTexts,
} from '../../attachments/changed-context.ts';
import { toAttachmentMessage } from '../../attachments/collect.ts';
import type { FoundAttachment } from '../../attachments/source.ts';
import { renderMemory } from '../../memory/render.ts';
import { wireModel } from '../../model/catalog/model-info.ts';
import type { CompactionSource } from '../../protocol/model/context.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { SessionModel } from '../models/session-model.ts';
import type { SessionContexts } from './conversation.ts';
import type { Session } from './session.ts';
import { buildSystemPrompt, buildUserContext, readSystemPrompt, type Surroundings } from './system-prompt.ts';

export interface SubmissionContext {
  readonly system: readonly string[];
  readonly userContext: readonly string[];
  /** Of a head that an earlier process made. */
  readonly parts?: HeadParts;
  /** The working directory that it was made in, if the session was moved since. */
  readonly movedFrom?: string;
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
  const { conversation } = session;
  const contexts = await conversation.fetchContexts(() => fetchOnce(session, scope));
  const { contextSnapshot } = (await conversation.journal.open()) ?? {};
  if (contextSnapshot?.parts?.frame === undefined) return buildHead(session, contexts, model);
  const { system, userContext, parts, movedFrom: cwd } = contextSnapshot;
  if (hashFrame(session, contexts, model, cwd) !== parts.frame) return buildHead(session, contexts, model);
  return { system, userContext, parts, ...(cwd !== undefined && { movedFrom: cwd }) };
}

/** Of everything that is not read from outside: what the caller chose. */
const hashFrame = (session: HeadSource, contexts: SessionContexts, model: string, cwd?: string): string => {
  const { config, tools, model: models } = session;
  const source = cwd === undefined ? session : { config: { ...config, cwd }, tools, model: models };
  return hashValue(buildHead(source, withoutTexts(contexts), model));
};

type HeadSource = Pick<Session, 'config' | 'tools' | 'model'>;

function buildHead(session: HeadSource, contexts: SessionContexts, model: string): SubmissionContext {
  const { config, tools } = session;
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
      surroundings: buildSurroundings(model, contexts, session),
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
export function buildSurroundings(
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
  model: string,
  session: Session,
): void {
  const { conversation, tools } = session;
  const { contexts } = conversation;
  const toolNames = tools.names();
  const hash = hashValue([context.system, context.userContext, toolNames]);
  if (!conversation.isNewSnapshot(hash) || contexts === undefined) return;
  const parts = context.parts ?? {
    frame: hashFrame(session, contexts, model),
    texts: hashTexts(outsideTexts(contexts)),
  };
  conversation.recorder.later([
    {
      type: 'context-snapshot',
      id: `${submission}/context-snapshot`,
      submission,
      ...context,
      parts,
      toolNames,
      hash,
    },
  ]);
}

/** What has changed since this head was made, and was not said yet. */
export function findContextChanges(
  { parts }: SubmissionContext,
  { conversation }: Pick<Session, 'conversation'>,
): FoundAttachment | undefined {
  const { contexts, messages } = conversation;
  if (parts === undefined || contexts === undefined) return undefined;
  return changedContext(parts, outsideTexts(contexts), messages);
}

/** Says it again behind a summary. */
export function changesRestored(
  conversation: Session['conversation'],
  { clock, ids }: Pick<Session['world'], 'clock' | 'ids'>,
): CompactionSource {
  return {
    name: 'changed-context',
    async collect({ kept }) {
      const { contexts } = conversation;
      const parts = (await conversation.journal.open())?.contextSnapshot?.parts;
      if (parts === undefined || contexts === undefined) return [];
      const changed = changedContext(parts, outsideTexts(contexts), kept);
      return changed === undefined ? [] : [toAttachmentMessage(changed, clock, ids)];
    },
  };
}
