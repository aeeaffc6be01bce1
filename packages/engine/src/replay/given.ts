/** What a replayed run is given: the parameters of the record, and ports that answer from it. */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { LoopDeps, LoopParams } from '../loop/deps.ts';
import { FRESH_COMPACTION } from '../loop/state.ts';
import { viewAtStart } from '../loop/turn-output.ts';
import { modelInfo } from '../model/catalog/model-info.ts';
import type { Recorder } from '../protocol/session/journal.ts';
import type { CheckReport } from '../protocol/session/verification.ts';
import type { Cursor } from './cursor.ts';
import { type AlterBytes, modelPort } from './ports/model-port.ts';
import { attachmentsPort, hooksPort, ledger, outerGuard } from './ports/other-ports.ts';
import { contextPort, type LearnedSizes } from './ports/replayed-context.ts';
import { toolsPort } from './ports/replayed-tools.ts';
import type { RecordedIteration, RecordedRun } from './recorded.ts';

export function paramsOf(run: RecordedRun, scope: LoopParams['scope']): LoopParams {
  const { sessionId, submission, agentPath, facts = {}, iterations, startAt } = run;
  const [first] = iterations;
  const record = first?.record;
  const attempt = first?.attempts[0];
  const depth = agentPath === '' ? 0 : agentPath.split('/').length;
  const cap = attempt?.maxTokens ?? record?.request?.maxTokens;
  const effort = record?.request?.effort as LoopParams['effort'];
  const { maxTurns } = record?.budgets ?? {};
  // What earlier runs of the replay know of its size is not what the run knew.
  const view =
    run.facts === undefined ? run.view : PersistentList.from(viewAtStart({ view: () => run.view, startAt }));
  const { structuredOutput: toolName } = facts;
  return {
    sessionId,
    submission,
    querySource: first?.querySource ?? 'main',
    foreground: facts.isBackground !== true,
    agentPath,
    chainId: submission,
    depth,
    view: () => view,
    system: [],
    userContext: [],
    model: modelAtStart(first) ?? run.model,
    fallbackModels: facts.fallbackModels ?? hopsOf(run),
    defaultOutputCap: facts.defaultOutputCap ?? (run.facts === undefined ? cap : undefined) ?? 8_000,
    escalatedOutputCap: facts.escalatedOutputCap ?? 64_000,
    includePartialMessages: false,
    stopHookBlockCap: facts.stopHookBlockCap ?? 8,
    compaction: FRESH_COMPACTION,
    startAt,
    attemptBase: (attempt?.number ?? 1) - 1,
    scope,
    ...(facts.thinking !== undefined && { thinking: facts.thinking }),
    ...(effort !== undefined && { effort }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(facts.taskBudget !== undefined && { taskBudget: facts.taskBudget }),
    ...(facts.taskBudgetRemaining !== undefined && { taskBudgetRemaining: facts.taskBudgetRemaining }),
    ...tokenBudgetOf(run),
    ...(facts.maxOutputTokens !== undefined && { maxOutputTokens: facts.maxOutputTokens }),
    ...(toolName !== undefined && { structuredOutput: { toolName } }),
  };
}

/** A limit that the process knew of ends a call without an attempt: another model has made the first. */
function modelAtStart(iteration: RecordedIteration | undefined): string | undefined {
  const { attempts = [], record, told } = iteration ?? {};
  const [call] = told?.calls ?? [];
  const hops = call?.n === 0 && call.attempts === 0 ? hopsIn(record) : [];
  return hops[0]?.from ?? attempts[0]?.model ?? record?.request?.model;
}

/** Of a version that did not record it, one that is used up where the record says so. */
function tokenBudgetOf({ facts, iterations }: RecordedRun): Pick<LoopParams, 'tokenBudget'> {
  if (facts !== undefined) return facts.tokenBudget === undefined ? {} : { tokenBudget: facts.tokenBudget };
  if (!iterations.some(({ record }) => record?.next?.continued !== undefined)) return {};
  const outputs = iterations.map(({ record }) => record?.usage?.output_tokens ?? 0);
  const gainsLittle = iterations.some(({ record }) => (record?.next?.continued?.smallGains ?? 0) > 0);
  const target = gainsLittle ? 101 * Math.max(...outputs) : outputs.reduce((sum, tokens) => sum + tokens, 0);
  return { tokenBudget: { target } };
}

/** The models that took over, as far as they are recorded. */
function hopsOf({ iterations }: RecordedRun): readonly string[] {
  return iterations.flatMap(({ record }) => hopsIn(record).map(({ to }) => to));
}

function hopsIn(record: RecordedIteration['record']) {
  if (record?.fallback === undefined) return [];
  const { before = [], ...last } = record.fallback;
  return [...before, last];
}

/** What an abort could have interrupted before them is over. */
function checksAgain(cursor: Cursor): readonly CheckReport[] | undefined {
  cursor.abort();
  const { now } = cursor;
  return now?.told.checks ?? now?.record?.checks;
}

/** Of a version that did not record it, as many as there were. undefined: there were no conditions. */
function verifyAttemptsOf({ facts, iterations }: RecordedRun): number | undefined {
  if (facts !== undefined) return facts.verifyAttempts;
  if (!iterations.some(({ record }) => record?.checks !== undefined)) return undefined;
  const sentBack = iterations.map(({ record }) => record?.next?.verify?.sentBack ?? 0);
  const last = iterations.at(-1)?.record?.decision;
  return Math.max(...sentBack) + (last?.kind === 'stop' && last.terminal === 'max_turns' ? 1 : 0);
}

export function depsOf(
  cursor: Cursor,
  recorder: Recorder,
  learned: LearnedSizes,
  alterBytes: AlterBytes | undefined,
): LoopDeps {
  const { facts, iterations } = cursor.run;
  const parks =
    facts?.parks === true ||
    iterations.some(({ record }) => record?.rules.some(({ name }) => name === 'parked'));
  const providers = facts?.providers;
  const attempts = verifyAttemptsOf(cursor.run);
  let model: string | undefined;
  return {
    callModel: modelPort(cursor, alterBytes),
    recorder,
    tools: toolsPort(cursor),
    context: contextPort(cursor, learned),
    hooks: hooksPort(cursor),
    attachments: attachmentsPort(cursor),
    ledger: ledger(cursor),
    guard: outerGuard(cursor),
    clock: cursor.clock,
    ids: cursor.ids,
    modelLimits: (name) => ({
      maxOutputTokens: facts?.sizes?.[name]?.maxOutputTokens ?? modelInfo(name).maxOutputTokens,
      nonStreamingRepeat: true,
    }),
    providerOf: (name) =>
      providers?.[name] ?? (providers === undefined && name.includes(':') ? name.split(':')[0] : undefined),
    cacheWatch: {
      answered() {
        const { readTokens: _, writtenTokens: __, ...report } = cursor.now?.record?.cache ?? {};
        return report;
      },
    },
    takeSwitch() {
      const now = modelAtStart(cursor.now);
      const before = cursor.before?.record;
      model = before?.fallback?.to ?? before?.request?.model ?? model;
      const effort = cursor.now?.record?.request?.effort as LoopParams['effort'];
      const isSwitched = before?.request !== undefined && now !== undefined && now !== model;
      const isOther =
        before?.request !== undefined && effort !== undefined && effort !== before.request.effort;
      return isSwitched || isOther
        ? { ...(isSwitched && { model: now }), ...(isOther && { effort }) }
        : undefined;
    },
    ...(attempts !== undefined && { verify: { attempts, check: async () => checksAgain(cursor) } }),
    ...(parks && { parking: { isTooLong: () => false } }),
  };
}
