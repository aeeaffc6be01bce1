/**
 * One submission, from prompt to its one result, in eight phases (L1). The set-up is in `prepare-submission.ts`;
 * here the loop is driven, the budgets are kept and the result is made.
 */
import type { SDKConversationReset, SDKMessage } from '../../protocol/sdk-messages.ts';
import type { Terminal } from '../../protocol/terminal.ts';
import { isoTime } from '../../util/text/iso-time.ts';
import { textOfContent } from '../../util/text/text-of-content.ts';
import { fastModeStatus } from '../models/fast-mode-status.ts';
import { recordResult } from '../output/record-result.ts';
import { refusalNotice } from '../output/refusal-notice.ts';
import { createOutcome, type Outcome, resultOf, resultWithoutQuery } from '../output/result.ts';
import type { ResultFacts } from '../output/result-fields.ts';
import { localAnswer } from '../output/to-sdk-assistant.ts';
import { createSdkMapper, type SdkMapperOptions } from '../output/to-sdk-message.ts';
import { toReplay } from '../output/to-sdk-user.ts';
import type { EngineParts } from '../session/session-parts.ts';
import { withToolUseSummaries } from '../side-calls/tool-use-summaries.ts';
import { type CompactionReport, compactSession, type ManualCompaction } from './compact-session.ts';
import { LoopDriver } from './loop-driver.ts';
import { type LoopInput, loopDepsOf, loopParamsOf } from './loop-input.ts';
import { atBoundary, LoopObserver } from './loop-observer.ts';
import { type Prepared, type Prompt, prepareSubmission, promptUuids } from './prepare-submission.ts';
import { STRUCTURED_OUTPUT_ATTEMPTS } from './structured-output.ts';
import type { Submission } from './submission.ts';

/** Messages that are handed on together. */
export type Batch = readonly SDKMessage[];
export type Batches = AsyncGenerator<Batch, void, void>;

/**
 * Yields the submission's messages, what belongs together at once, and, last, its result; no result when it was
 * silenced or lost its journal (L10.6).
 */
export async function* submitMessage(
  prompt: Prompt,
  submission: Submission,
  parts: EngineParts,
): AsyncGenerator<Batch, void> {
  const outcome = createOutcome();
  submission.start(); //                                                                   1
  let prepared: Prepared | undefined;
  try {
    const setUp = await settled(prepareSubmission(prompt, submission, parts)); //           1–4, 6
    if (setUp.kind === 'failed') {
      if (submission.silent()) return;
      yield* finish(
        { reason: 'turn_setup_failed', turnCount: 0, errors: [setUp.message] },
        outcome,
        submission,
        parts,
      );
      return;
    }
    prepared = setUp.value;
    const clears = prepared.kind === 'local' && prepared.clear;
    if (!clears) yield prepared.messages;
    if (prepared.kind === 'local') {
      //                                                     5
      parts.state.enter('no_query');
      let { resultText } = prepared;
      if (prepared.compaction !== undefined)
        resultText = yield* runCompaction(prepared.compaction, submission, parts);
      if (submission.silent()) return;
      const facts = factsOf(submission, outcome, parts);
      if (!clears) {
        const recorded = await recordResult(
          resultWithoutQuery(resultText, facts, prepared.command),
          submission,
          parts,
        );
        if (!submission.silent()) yield recorded;
        return;
      }
      yield* beginAnew(prepared, facts, submission, parts);
      return;
    }
    yield* runLoop(
      { ...prepared, submission: submission.id, scope: submission.scope },
      outcome,
      submission,
      parts,
    ); // 7, 8
  } finally {
    prepared?.undo();
    await submission.end();
  }
}

/** `/clear`: what is said from here on is said of the conversation that begins, whose cost begins at 0 as well. */
async function* beginAnew(
  { messages, resultText, command }: Extract<Prepared, { kind: 'local' }>,
  facts: ResultFacts,
  submission: Submission,
  parts: EngineParts,
): AsyncGenerator<Batch, void> {
  const reset = conversationReset(parts);
  const session_id = reset.new_conversation_id;
  const fresh = { sessionId: session_id, totalCostUsd: 0, modelUsage: {}, usageSinceLastResult: {} };
  const result = resultWithoutQuery(resultText, { ...facts, ...fresh }, command);
  const recorded = await recordResult(result, submission, parts);
  parts.ledger.startConversation();
  if (!submission.silent())
    yield [reset, ...messages.map((message) => ({ ...message, session_id })), ...recorded];
}

/** From here on this session takes no more prompts: see `QueryEngine.successor`. */
function conversationReset({ memory, ids, clock, sessionId }: EngineParts): SDKConversationReset {
  memory.successor = ids.uuid();
  return {
    type: 'conversation_reset',
    new_conversation_id: memory.successor,
    trigger: 'clear',
    ...(memory.promptId !== undefined && { user_message_uuid: memory.promptId }),
    timestamp: isoTime(clock.nowMs()),
    uuid: ids.uuid(),
    session_id: sessionId,
  };
}

/** A compaction that was asked for; returns the result's text: what went wrong, if anything did. */
async function* runCompaction(
  compaction: ManualCompaction,
  submission: Submission,
  parts: EngineParts,
): AsyncGenerator<Batch, string> {
  const { sessionId } = parts;
  const mapper = createSdkMapper(mapperOptions(parts));
  const steps = compactSession(compaction, submission, parts);
  const stamp = () => ({ uuid: parts.ids.uuid(), timestamp: isoTime(parts.clock.nowMs()) });
  let report: CompactionReport | undefined;
  try {
    while (report === undefined) {
      const step = await steps.next();
      if (step.done) report = step.value;
      else {
        if (step.value.type === 'system') atBoundary(step.value, parts);
        if (!submission.silent()) yield mapper.map(step.value).map(asPlainText);
      }
    }
  } finally {
    await steps.return({ compacted: false, text: '' }).catch(() => undefined);
  }
  const { compacted, text } = report;
  if (!submission.silent()) {
    const content = `<local-command-stdout>${text}</local-command-stdout>`;
    yield [compacted ? toReplay({ ...stamp(), content }, sessionId) : localAnswer(text, stamp(), sessionId)];
  }
  return compacted ? '' : text;
}

/** The summary, as clients expect it of a compaction that a person asked for. */
function asPlainText(message: SDKMessage): SDKMessage {
  if (message.type !== 'user' || typeof message.message.content === 'string') return message;
  return { ...message, message: { role: 'user', content: textOfContent(message.message.content) } };
}

function mapperOptions({ config, sessionId, ids, clock, tools }: EngineParts): SdkMapperOptions {
  return {
    mcpOf: (name) => tools.mcpOf(name),
    sessionId,
    ids,
    clock,
    includePartialMessages: config.includePartialMessages === true,
    replayUserMessages: config.replayUserMessages === true,
    verbose: config.verbose === true,
  };
}

/** Phases 7 and 8: the messages of the loop, then the result. Also used to resume an interrupted submission. */
export async function* runLoop(
  input: LoopInput,
  outcome: Outcome,
  submission: Submission,
  parts: EngineParts,
): AsyncGenerator<Batch, void> {
  const { state } = parts;
  const mapper = createSdkMapper({
    ...mapperOptions(parts),
    userMessageUuids: promptUuids(submission.prompt.options),
    joinedUuids: outcome.joinedUuids,
  });
  const observer = new LoopObserver(mapper, outcome, submission, parts);
  submission.onResponse((messageId, stopReason) => {
    if (stopReason === 'refusal') parts.memory.safetyStops += 1;
    outcome.responseEnded(messageId, stopReason);
  });
  submission.scope.onClose(
    parts.queue.onJoined(() => {
      outcome.joined();
      mapper.joined((replay) => parts.announcer.say(replay));
    }),
  );

  state.enter('query_loop');
  await parts.model.ready(input.model, submission.scope);
  const params = loopParamsOf(input, parts);
  parts.memory.request = params;
  const driver = new LoopDriver({
    params,
    deps: (guard) => withToolUseSummaries(loopDepsOf(guard, parts), submission, parts),
    budgets: {
      ledger: parts.ledger,
      maxBudgetUsd: parts.config.maxBudgetUsd,
      unaffordable: () => parts.memory.unaffordable,
      structured: parts.structured,
    },
    show: (message) => observer.show(message),
    delivered: () => observer.delivered(),
    isSilent: () => submission.silent(),
  });
  try {
    for (let batch = await driver.next(); batch !== undefined; batch = await driver.next()) yield batch;
  } finally {
    await driver.close();
  }
  const { terminal } = driver;
  if (terminal === undefined || submission.silent()) return;
  const left = mapper.flush();
  if (left.length > 0) yield left;
  yield* finish(terminal, outcome, submission, parts);
}

/** Phase 8. */
export async function* finish(
  terminal: Terminal,
  outcome: Outcome,
  submission: Submission,
  parts: EngineParts,
): AsyncGenerator<Batch, void> {
  const { maxTurns, maxBudgetUsd } = parts.config;
  const limits = { maxTurns, maxBudgetUsd, structuredOutputAttempts: STRUCTURED_OUTPUT_ATTEMPTS };
  const result = resultOf(
    terminal,
    outcome,
    factsOf(submission, outcome, parts),
    limits,
    parts.structured?.accepted(),
  );
  if (result.stop_reason === 'refusal') yield refusalNotice(outcome, submission, parts);
  const recorded = await recordResult(result, submission, parts);
  if (!submission.silent()) yield recorded;
}

function factsOf(submission: Submission, outcome: Outcome, parts: EngineParts): ResultFacts {
  return {
    uuid: parts.ids.uuid(),
    sessionId: parts.sessionId,
    durationMs: Math.round(parts.clock.monotonicMs() - submission.startedMs),
    durationApiMs: Math.round(parts.model.apiMs()),
    totalCostUsd: parts.ledger.totalCostUsd(),
    usage: parts.ledger.submissionUsage(),
    modelUsage: parts.ledger.modelUsage(),
    fastMode: fastModeStatus(parts.model.resolve(parts.memory.modelName), parts),
    permissionDenials: [...parts.memory.denials],
    origin: submission.prompt.options.origin,
    userMessageUuids: promptUuids(submission.prompt.options),
    times: submission.times,
    usageSinceLastResult: parts.ledger.takeUsageSinceResult(),
    subagentStats: parts.subagentStats(),
    safetyStops: parts.memory.safetyStops,
    joinedUuids: outcome.joinedUuids,
    queuedTurns: parts.queue.peek().length,
    index: parts.memory.results,
  };
}

type Settled<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly message: string };

export async function settled<T>(work: Promise<T>): Promise<Settled<T>> {
  try {
    return { kind: 'done', value: await work };
  } catch (error) {
    return { kind: 'failed', message: messageOf(error) };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
