/** How one kept session went, and what filled its context: read from its file. */

import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { estimateText } from '../../context/estimate/text-estimate.ts';
import { limitsFor } from '../../context/estimate/thresholds.ts';
import { modelInfo, resolveModelAlias } from '../../model/catalog/model-info.ts';
import { computeCost } from '../../model/catalog/prices.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { TodoItem } from '../../protocol/model/attachment.ts';
import type { ModelPrice } from '../../protocol/model/model.ts';
import type { EffortLevel, Usage } from '../../protocol/model/wire.ts';
import type { DecisionRecord } from '../../protocol/session/decision-record.ts';
import type { CostForecast } from '../../protocol/session/forecast.ts';
import {
  MAIN_AGENT,
  type SessionCost,
  type SpendingRow,
  type SpendingWaste,
  totalUsd,
} from '../../protocol/session/spending.ts';
import type { ContextUsage } from '../../protocol/stream/context-usage.ts';
import { forecastCost } from '../../session/forecast/forecast-cost.ts';
import { readRuns } from '../../session/forecast/run-history.ts';
import { createFileJournalStore } from '../../session/journal/file-store.ts';
import { readEntries } from '../../session/journal/read-journal.ts';
import { listWaste } from '../../session/list-waste.ts';
import { type FoundSession, findSession, newestSession, sessionsDirectory } from '../../session/paths.ts';
import type { InterruptedSubmission } from '../../session/resume/interrupted.ts';
import { resumeSession } from '../../session/resume/resume.ts';
import { ResumedBreaks } from '../../session/resumed-breaks.ts';
import { isInterrupted, isRetracted, type PaidAnswer } from '../../session/wasted-answers.ts';
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

/** Of the built-in list. */
export const listPrice = (model: string): ModelPrice | undefined => modelInfo(model).price;

/** What the session has cost, agents included. Throws `session_not_found`. */
export async function readCostAt(sessionId: string | undefined, place: SessionPlace): Promise<SessionCost> {
  const { files, found } = await foundSession(sessionId, place);
  const entries = await readSessionEntries(found.sessionId, place);
  const recorded = resumeSession(entries).totals;
  const isForeign = entries.some(({ type, v }) => type === 'assistant' && v === 0);
  const breaks = new ResumedBreaks(listPrice);
  const records = entries.flatMap((entry) => breaks.complete(entry) ?? []);
  const cost = toSessionCost(
    entries.at(0)?.sessionId ?? sessionId ?? '',
    { ...recorded, records },
    isForeign,
  );
  return { ...cost, ...(await forecastNext(files, found.directory)) };
}

/** What the journal of the main conversation says of money. */
interface RecordedCost {
  readonly totalCostUsd: number;
  readonly spending: readonly SpendingRow[];
  readonly records: readonly PaidAnswer[];
}

export function toSessionCost(sessionId: string, recorded: RecordedCost, isForeign: boolean): SessionCost {
  const spending = isForeign ? recorded.spending.map(computed) : recorded.spending;
  const totalCostUsd = totalUsd(spending);
  const computedUsd = totalCostUsd - recorded.totalCostUsd;
  const waste = sumWaste(spending, recorded.records);
  const unpriced = spending.filter(({ isPriced }) => !isPriced).map(({ model }) => model);
  return {
    sessionId,
    totalCostUsd,
    rows: spending,
    unpricedModels: [...new Set(unpriced)],
    waste,
    wasted: listWaste(waste),
    ...(computedUsd > 0 && { computedUsd }),
  };
}

function sumWaste(spending: readonly SpendingRow[], records: readonly PaidAnswer[]): SpendingWaste {
  const useful = ({ costUsd = 0, wastedCostUsd = 0 }: PaidAnswer) => costUsd - wastedCostUsd;
  const sum = (figures: readonly number[]) => figures.reduce((all, figure) => all + figure, 0);
  return {
    retriesUsd: totalUsd(spending.filter(({ purpose }) => purpose === 'retry_waste')),
    discardedUsd: sum(records.filter(isRetracted).map(useful)),
    cacheBrokenUsd: sum(records.map(({ cache }) => cache?.break?.usd ?? 0)),
    interruptedUsd: sum(records.filter(isInterrupted).map(useful)),
  };
}

async function forecastNext(
  files: PersistentFiles,
  directory: string,
): Promise<{ readonly next?: CostForecast }> {
  const runs = await readRuns(files, directory);
  const last = runs.at(-1);
  return last === undefined ? {} : { next: forecastCost(runs, last) };
}

/** What a run will probably cost that begins with this, in the folder of `place`. */
export async function forecastAt(
  { model, agent, prompt }: ForecastQuestion,
  { cwd, env, files = nodeFiles }: SessionPlace,
): Promise<CostForecast> {
  const home = configHome(env, cwd);
  const runs = home === undefined ? [] : await readRuns(files, sessionsDirectory(home, cwd));
  const tokens = estimateText(prompt);
  return forecastCost(runs, { model: resolveModelAlias(model, env), agent: agent ?? MAIN_AGENT, tokens });
}

export interface ForecastQuestion {
  /** As in `Options.model`. */
  readonly model: string;
  /** As in `Options.agent`. Default: none. */
  readonly agent?: string | undefined;
  readonly prompt: string;
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
  /** The model of its last prompt, as it was asked for; absent: it has none. */
  readonly model?: string;
  /** The effort that was set for it; absent: none. */
  readonly effort?: EffortLevel;
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
  const { chosen, interrupted, todos, ...last } = resumeSession(await readSessionEntries(sessionId, place));
  const model = chosen.modelName ?? last.model;
  const { effort } = chosen;
  return {
    todos,
    ...(interrupted !== undefined && { interrupted: interruptedTurn(interrupted) }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
  };
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
