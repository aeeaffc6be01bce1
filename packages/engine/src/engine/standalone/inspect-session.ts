/** How one kept session went, and what filled its context: read from its file. */

import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { limitsFor } from '../../context/estimate/thresholds.ts';
import { modelInfo } from '../../model/catalog/model-info.ts';
import { computeCost } from '../../model/catalog/prices.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { TodoItem } from '../../protocol/model/attachment.ts';
import type { Usage } from '../../protocol/model/wire.ts';
import type { DecisionRecord } from '../../protocol/session/decision-record.ts';
import { type SessionCost, type SpendingRow, totalUsd } from '../../protocol/session/spending.ts';
import type { ContextUsage } from '../../protocol/stream/context-usage.ts';
import { createFileJournalStore } from '../../session/journal/file-store.ts';
import { readEntries } from '../../session/journal/read-journal.ts';
import { type FoundSession, findSession, newestSession } from '../../session/paths.ts';
import type { InterruptedSubmission } from '../../session/resume/interrupted.ts';
import { resumeSession } from '../../session/resume/resume.ts';
import { configHome } from '../../settings/read/config-home.ts';
import { contextUsageOnRecord } from '../host/measure-context.ts';

export interface SessionPlace {
  /** The folder whose sessions are meant; absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files?: PersistentFiles | undefined;
}

/** The decision records of a session. Throws `session_not_found`. */
export async function readDecisionsAt(
  sessionId: string | undefined,
  place: SessionPlace,
): Promise<readonly DecisionRecord[]> {
  const entries = await readSessionEntries(sessionId, place);
  return entries.flatMap((entry) => (entry.type === 'decision' ? [entry.record] : []));
}

/** What filled the context when the session last stood still. Throws `session_not_found`. */
export async function readContextUsageAt(
  sessionId: string | undefined,
  place: SessionPlace,
): Promise<ContextUsage> {
  const entries = await readSessionEntries(sessionId, place);
  return contextUsageOnRecord(resumeSession(entries), (model) => limitsFor(modelInfo(model)));
}

/** What the session has cost, agents included. Throws `session_not_found`. */
export async function readCostAt(sessionId: string | undefined, place: SessionPlace): Promise<SessionCost> {
  const entries = await readSessionEntries(sessionId, place);
  const recorded = resumeSession(entries).totals;
  const isForeign = entries.some(({ type, v }) => type === 'assistant' && v === 0);
  return toSessionCost(entries.at(0)?.sessionId ?? sessionId ?? '', recorded, isForeign);
}

/** `recorded`: the totals of its journal. */
export function toSessionCost(
  sessionId: string,
  recorded: { readonly totalCostUsd: number; readonly spending: readonly SpendingRow[] },
  isForeign: boolean,
): SessionCost {
  const spending = isForeign ? recorded.spending.map(computed) : recorded.spending;
  const totalCostUsd = totalUsd(spending);
  const computedUsd = totalCostUsd - recorded.totalCostUsd;
  const unpriced = spending.filter(({ isPriced }) => !isPriced).map(({ model }) => model);
  return {
    sessionId,
    totalCostUsd,
    rows: spending,
    unpricedModels: [...new Set(unpriced)],
    ...(computedUsd > 0 && { computedUsd }),
  };
}

/** Another program recorded the usage and no cost. What this one wrote has its cost already. */
function computed(row: SpendingRow): SpendingRow {
  const usage = {
    input_tokens: row.inputTokens,
    output_tokens: row.outputTokens,
    cache_read_input_tokens: row.cacheReadInputTokens,
    cache_creation_input_tokens: row.cacheCreationInputTokens,
    cache_creation: { ephemeral_1h_input_tokens: row.cacheCreationEphemeral1hInputTokens },
  };
  const isUsed = Object.values(usage).some((tokens) => typeof tokens === 'number' && tokens > 0);
  if (row.costUSD > 0 || row.provider !== 'unknown' || !isUsed) return row;
  const costUSD = computeCost(usage as Partial<Usage>, modelInfo(row.model));
  return costUSD === undefined ? { ...row, isPriced: false } : { ...row, costUSD };
}

/** What a process that resumes a session finds. */
export interface SessionResumePoint {
  /** The todo list; empty: there is none. */
  readonly todos: readonly TodoItem[];
  /** The turn that was cut off; absent: the last one has its result. */
  readonly interrupted?: InterruptedTurn;
}

/** A turn without a result. */
export interface InterruptedTurn {
  /** What was waited for: the model, a call of a tool, or the result alone. */
  readonly waitedFor: 'model' | 'tool' | 'result';
  /** The first call without a result. `hasRun`: it was started, and its outcome is unknown. */
  readonly call?: { readonly name: string; readonly input: JsonObject; readonly hasRun: boolean };
}

/** Throws `session_not_found`. */
export async function readResumePointAt(
  sessionId: string | undefined,
  place: SessionPlace,
): Promise<SessionResumePoint> {
  const { interrupted, todos } = resumeSession(await readSessionEntries(sessionId, place));
  return { todos, ...(interrupted !== undefined && { interrupted: interruptedTurn(interrupted) }) };
}

function interruptedTurn({ next, calls }: InterruptedSubmission): InterruptedTurn {
  if (next === 'stopped') return { waitedFor: 'result' };
  const open = next === 'tools' ? calls.find(({ plan }) => plan !== 'answered') : undefined;
  if (open === undefined) return { waitedFor: 'model' };
  const { name, input } = open.call.block;
  return { waitedFor: 'tool', call: { name, input, hasRun: open.plan !== 'run' } };
}

export async function readSessionEntries(sessionId: string | undefined, place: SessionPlace) {
  const { files, found } = await foundSession(sessionId, place);
  const { cwd } = place;
  const store = createFileJournalStore({ files, directory: found.directory, cwd, clock: systemClock });
  return readEntries(store, found.sessionId);
}

/** Throws `session_not_found`. */
export async function foundSession(
  sessionId: string | undefined,
  { cwd, env, files = nodeFiles }: SessionPlace,
): Promise<{ readonly files: PersistentFiles; readonly found: FoundSession }> {
  const home = configHome(env, cwd);
  const found = home === undefined ? undefined : await findOne(sessionId, { files, home, cwd });
  if (found === undefined) {
    const which = sessionId === undefined ? `of ${cwd}` : sessionId;
    throw new TurnwrightError('session_not_found', `There is no session ${which} in ${home ?? 'any home'}.`);
  }
  return { files, found };
}

function findOne(
  sessionId: string | undefined,
  where: { readonly files: PersistentFiles; readonly home: string; readonly cwd: string },
): Promise<FoundSession | undefined> {
  return sessionId === undefined ? newestSession(where) : findSession({ ...where, sessionId });
}
