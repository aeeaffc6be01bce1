/** One run of one case by one variant: a fresh working copy, the engine, the checks. */
import { cp } from 'node:fs/promises';
import { systemClock } from '@turnwright/base/clock.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import {
  type Options,
  query,
  type SDKResultMessage,
  type SDKUserMessage,
  sessionDecisions,
} from '@turnwright/engine';
import type { Purse } from '@turnwright/engine/protocol/model/purse.ts';
import { type CaseCheck, type EvalCase, FOLDER_MARK } from '../case/eval-case.ts';
import { checkRun, hashFiles } from '../checks/check-run.ts';
import type { EvalOutcome, RunResult, RunTokens } from '../results/run-record.ts';
import { replayAnswers } from './recorded-answers.ts';
import type { RunFolder, RunFolders } from './run-folders.ts';

/** One way to run the cases. */
export interface Variant {
  /** Of its row: `opus`, or `opus, careful`. */
  readonly name: string;
  /** What it is made of: records of another content count for nothing but their money. */
  readonly hash: string;
  readonly options: Options;
}

interface OneRun {
  readonly case: EvalCase;
  readonly variant: Variant;
  readonly sessionId: string;
  readonly folders: RunFolders;
  /** Where its session is kept; absolute. */
  readonly home: string;
  /** Of the eval. `onEmpty`: called when there was not enough for a call of this run. */
  readonly budget: { readonly maxUsd: number; open(onEmpty: () => void): Purse } | undefined;
  readonly isReplayed: boolean;
  readonly signal: AbortSignal;
}

const DEFAULT_SECONDS = 1_800;

/**
 * Rejects when it was aborted, and with `invalid_option`, `invalid_settings`, `not_configured` or
 * `unpriced_model`, before anything was sent.
 */
export async function runOnce(run: OneRun): Promise<RunResult> {
  const { case: given, signal } = run;
  let folder: RunFolder;
  try {
    folder = await run.folders.make(given, run.sessionId, signal);
  } catch (error) {
    signal.throwIfAborted();
    return notBegun('failed', `The working copy could not be made: ${errorText(error)}`);
  }
  try {
    const before = await hashFiles(given.checks, folder.path);
    return await inFolder(folder, before, run);
  } finally {
    await folder.remove();
    signal.throwIfAborted();
  }
}

async function inFolder(
  { path: folder, diff }: RunFolder,
  before: ReadonlyMap<string, string | undefined>,
  run: OneRun,
): Promise<RunResult> {
  const { case: given, signal, isReplayed } = run;
  const prompts = given.prompts.map((prompt) => inFolderOf(prompt, folder));
  let isEmpty = false;
  const purse = run.budget?.open(() => {
    isEmpty = true;
  });
  const recorded = isReplayed
    ? await replayAnswers(inFolderOf(given.answers ?? '', JSON.stringify(folder).slice(1, -1)))
    : undefined;
  const limit = new AbortController();
  const abort = () => limit.abort();
  signal.addEventListener('abort', abort, { once: true });
  const stopTimer = systemClock.timer((given.options.timeoutSeconds ?? DEFAULT_SECONDS) * 1_000, abort);
  const options = optionsOf(run, folder, { purse, abortController: limit, callModel: recorded?.callModel });
  const startMs = systemClock.monotonicMs();
  let result: SDKResultMessage;
  try {
    result = await lastResult(prompts, options);
  } finally {
    stopTimer();
    signal.removeEventListener('abort', abort);
  }
  signal.throwIfAborted();
  const durationMs = Math.round(systemClock.monotonicMs() - startMs);
  const gaps = recorded?.gaps() ?? [];
  const isTimeout = limit.signal.aborted;
  const failed = isTimeout || result.is_error || gaps.length > 0;
  const { checks, judgeUsd } = failed
    ? { checks: [{ what: 'result', passed: false, words: whyFailed(result, gaps, isTimeout) }], judgeUsd: 0 }
    : await checked();
  const errors = [...gaps, ...(result.subtype === 'success' ? [] : result.errors)];
  const { maxBudgetUsd } = given.options;
  const isSpent =
    purse !== undefined && maxBudgetUsd === undefined && result.terminal_reason === 'budget_exhausted';
  const isOutOfMoney = (isEmpty || isSpent) && (checks.some(({ passed }) => !passed) || result.is_error);
  return {
    outcome: isOutOfMoney
      ? 'no_money'
      : checks.every(({ passed, skipped }) => passed || skipped)
        ? 'passed'
        : 'failed',
    reason: isTimeout ? 'timeout' : (result.terminal_reason ?? 'not_begun'),
    ...(await readDecisions(run, folder)),
    costUsd: result.total_cost_usd,
    judgeUsd,
    tokens: sumTokens(result),
    durationMs,
    checks,
    denials: result.permission_denials.length,
    ...(errors.length > 0 && { errors }),
  };

  async function checked() {
    const { after } = given.state;
    if (after !== undefined) await cp(after, folder, { recursive: true });
    const prompt = prompts.join('\n\n');
    return checkRun(given.checks, {
      folder,
      diff,
      before,
      result,
      options,
      prompt,
      signal,
      isOffline: isReplayed,
    });
  }
}

const inFolderOf = (text: string, folder: string): string => text.replaceAll(FOLDER_MARK, () => folder);

export function notBegun(outcome: EvalOutcome, words: string): RunResult {
  return {
    outcome,
    reason: 'not_begun',
    turns: 0,
    costUsd: 0,
    judgeUsd: 0,
    tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    durationMs: 0,
    checks: [{ what: 'begin', passed: false, words }],
    denials: 0,
    decisions: {},
    errors: [words],
  };
}

function whyFailed(result: SDKResultMessage, gaps: readonly string[], isTimeout: boolean): string {
  if (isTimeout) return 'It was stopped after the time of its case.';
  if (gaps.length > 0) return gaps.join('; ');
  return result.subtype === 'success' ? result.result : result.errors.join(' ');
}

function optionsOf(
  { case: { options: ofCase, checks }, variant, sessionId, home, budget }: OneRun,
  cwd: string,
  {
    purse,
    abortController,
    callModel,
  }: Pick<Options, 'abortController'> & Pick<NonNullable<Options['engine']>, 'purse' | 'callModel'>,
): Options {
  const { timeoutSeconds: _, systemPrompt, appendSystemPrompt, ...limits } = ofCase;
  const maxBudgetUsd = limits.maxBudgetUsd ?? budget?.maxUsd;
  const schema = checks.find(
    (check): check is Extract<CaseCheck, { kind: 'schema' }> => check.kind === 'schema',
  );
  return {
    ...variant.options,
    ...limits,
    ...(limits.permissionMode === 'bypassPermissions' && { allowDangerouslySkipPermissions: true }),
    // Without a price for its model a run with a budget is refused before it begins.
    ...(maxBudgetUsd !== undefined && { maxBudgetUsd, strictBudget: true }),
    ...promptOf(variant.options.systemPrompt, systemPrompt, appendSystemPrompt),
    ...(schema !== undefined && { outputFormat: { type: 'json_schema', schema: schema.schema } }),
    cwd,
    sessionId,
    abortController,
    engine: {
      ...variant.options.engine,
      home,
      ...(purse !== undefined && { purse }),
      ...(callModel !== undefined && { callModel }),
    },
  };
}

function promptOf(
  given: Options['systemPrompt'],
  own: string | undefined,
  append: string | undefined,
): Pick<Options, 'systemPrompt'> {
  if (own !== undefined) return { systemPrompt: append === undefined ? own : [own, append] };
  if (append === undefined) return {};
  if (typeof given === 'object' && 'type' in given && given.type === 'preset')
    return { systemPrompt: { ...given, append: [given.append, append].filter(Boolean).join('\n\n') } };
  const before = typeof given === 'string' ? [given] : Array.isArray(given) ? given : [];
  return { systemPrompt: [...before, append] };
}

/** Each prompt is sent when the one before has a result that is no error. */
async function lastResult(prompts: readonly string[], options: Options): Promise<SDKResultMessage> {
  let goOn: (isError: boolean) => void = () => undefined;
  async function* feed(): AsyncGenerator<SDKUserMessage> {
    for (const content of prompts) {
      const answered = new Promise<boolean>((resolve) => {
        goOn = resolve;
      });
      yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
      if (await answered) return;
    }
  }
  let result: SDKResultMessage | undefined;
  const [only] = prompts;
  try {
    for await (const message of query({
      prompt: prompts.length === 1 && only !== undefined ? only : feed(),
      options,
    })) {
      if (message.type !== 'result') continue;
      result = message;
      goOn(message.is_error);
    }
  } catch (error) {
    // After an error result the stream throws as well (L10.6).
    if (result?.is_error !== true) throw error;
  } finally {
    goOn(true);
  }
  if (result === undefined) throw new Error('The run ended without a result.');
  return result;
}

async function readDecisions(
  { sessionId, home }: OneRun,
  cwd: string,
): Promise<Pick<RunResult, 'turns' | 'decisions'>> {
  const records = await sessionDecisions(sessionId, { cwd, env: { TURNWRIGHT_HOME: home } }).catch(() => []);
  const decisions: Record<string, number> = {};
  for (const { decision } of records) {
    if (decision === undefined) continue;
    const name =
      decision.kind === 'continue'
        ? `continue ${decision.transition}`
        : decision.kind === 'stop'
          ? `stop ${decision.terminal}`
          : decision.kind;
    decisions[name] = (decisions[name] ?? 0) + 1;
  }
  return { turns: records.filter(({ request }) => request !== undefined).length, decisions };
}

function sumTokens({ modelUsage }: SDKResultMessage): RunTokens {
  const sum = (name: 'inputTokens' | 'outputTokens' | 'cacheReadInputTokens' | 'cacheCreationInputTokens') =>
    Object.values(modelUsage).reduce((total, usage) => total + usage[name], 0);
  return {
    input: sum('inputTokens'),
    output: sum('outputTokens'),
    cacheRead: sum('cacheReadInputTokens'),
    cacheWrite: sum('cacheCreationInputTokens'),
  };
}
