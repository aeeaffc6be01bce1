/**
 * One submission, from prompt to its one result, in eight phases (L1). The set-up is in
 * `prepare-submission.ts`; here the loop is driven, the budgets are kept and the result is made.
 */

import type { Output } from '@turnwright/base/async/batch-output.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { LoopDeps, LoopParams, OuterGuard } from '../../loop/deps.ts';
import type { Terminal } from '../../protocol/session/terminal.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import { displayFor } from '../output/message-display.ts';
import { recordParking, recordResult, refusalNotice } from '../output/record-result.ts';
import { buildResult, createOutcome, resultWithoutQuery, type SubmissionOutcome } from '../output/result.ts';
import type { ResultFacts } from '../output/result-fields.ts';
import { localAnswer } from '../output/to-sdk-assistant.ts';
import { createSdkMapper, type SdkMapperOptions } from '../output/to-sdk-message.ts';
import { toReplay } from '../output/to-sdk-user.ts';
import type { Session } from '../session/session.ts';
import { endGoal, verifyPort } from '../verifying/verify-submission.ts';
import type { ManualCompaction } from './compact-session.ts';
import { buildLoopDeps, buildLoopParams, driveLoop, type LoopInput, runDefaultsOf } from './loop-driver.ts';
import { atBoundary, LoopObserver } from './loop-observer.ts';
import { type PreparedSubmission, prepareSubmission } from './prepare-submission.ts';
import { promptUuids } from './prompt.ts';
import { STRUCTURED_OUTPUT_TOOL } from './structured-output.ts';
import type { Submission } from './submission.ts';

/** Messages that are handed on together. */
export type SDKBatch = readonly SDKMessage[];

/**
 * Emits the submission's messages, what belongs together at once, and, last, its result; no result when it
 * was silenced or lost its journal (L10.6).
 */
export async function submitMessage(
  submission: Submission,
  session: Session,
  output: Output<SDKMessage>,
): Promise<void> {
  const outcome = createOutcome();
  submission.start();
  let prepared: PreparedSubmission | undefined;
  try {
    // 1–4, 6  What is asked, and of whom.
    const setUp = await settled(prepareSubmission(submission, session));
    if (setUp.kind === 'failed') {
      if (submission.silent()) return;
      const terminal: Terminal = { reason: 'turn_setup_failed', turnCount: 0, errors: [setUp.message] };
      await finish(terminal, outcome, submission, session, output);
      return;
    }
    prepared = setUp.value;
    if (prepared.kind === 'local') {
      // 5  A command that is answered here.
      await answerHere(prepared, outcome, submission, session, output);
      return;
    }
    await output.emit(prepared.messages);
    // 7, 8  The loop, and the result.
    const input = { ...prepared, submission: submission.id, scope: submission.scope };
    await runSubmission(input, outcome, submission, session, output);
  } finally {
    prepared?.undo();
    await submission.end();
  }
}

/** The early exit: no request is made, or only that of a compaction. */
async function answerHere(
  { messages, clear, compaction, resultText: text, command }: Extract<PreparedSubmission, { kind: 'local' }>,
  outcome: SubmissionOutcome,
  submission: Submission,
  session: Session,
  output: Output<SDKMessage>,
): Promise<void> {
  if (!clear) await output.emit(messages);
  session.host.enter('no_query');
  const resultText =
    compaction === undefined ? text : await runCompaction(compaction, submission, session, output);
  if (submission.silent()) return;
  const facts = collectResultFacts(submission, outcome, session);
  if (!clear) {
    const recorded = await recordResult(resultWithoutQuery(resultText, facts, command), submission, session);
    if (!submission.silent()) await output.emit(recorded);
    return;
  }
  const { clearSession } = await import('../session/clear-session.ts');
  const cleared = await clearSession({ messages, text: resultText, command, facts }, submission, session);
  if (!submission.silent()) await output.emit(cleared);
}

/** A compaction that was asked for; returns the result's text: what went wrong, if anything did. */
async function runCompaction(
  compaction: ManualCompaction,
  submission: Submission,
  session: Session,
  output: Output<SDKMessage>,
): Promise<string> {
  const { host } = session;
  const { sessionId } = host;
  const mapper = createSdkMapper(mapperOptions(session));
  // Loaded by the first one.
  const { compactSession } = await import('./compact-session.ts');
  const { compacted, text } = await compactSession(compaction, submission, session, {
    emit(batch) {
      for (const message of batch) if (message.type === 'system') atBoundary(message, session);
      if (submission.silent()) return undefined;
      return output.emit(batch.flatMap((message) => mapper.map(message)).map(asPlainText));
    },
  });
  if (!submission.silent()) {
    const content = `<local-command-stdout>${text}</local-command-stdout>`;
    await output.emit([
      compacted
        ? toReplay({ ...host.timedStamp(), content }, sessionId)
        : localAnswer(text, host.timedStamp(), sessionId),
    ]);
  }
  return compacted ? '' : text;
}

/** The summary, as clients expect it of a compaction that a person asked for. */
function asPlainText(message: SDKMessage): SDKMessage {
  if (message.type !== 'user' || typeof message.message.content === 'string') return message;
  return { ...message, message: { role: 'user', content: textOfContent(message.message.content) } };
}

function mapperOptions({
  config,
  host,
  world,
}: Pick<Session, 'config' | 'host' | 'world'>): SdkMapperOptions {
  return {
    sessionId: host.sessionId,
    ids: world.ids,
    clock: world.clock,
    includePartialMessages: config.includePartialMessages === true,
    replayUserMessages: config.replayUserMessages === true,
    verbose: config.verbose === true,
  };
}

/**
 * Phases 7 and 8: the messages of the loop, then the result. Also used to resume an interrupted submission.
 */
export async function runSubmission(
  input: LoopInput,
  outcome: SubmissionOutcome,
  submission: Submission,
  session: Session,
  output: Output<SDKMessage>,
): Promise<void> {
  const { budget, host, model, queue, structured, submissions } = session;
  const mapper = createSdkMapper({
    userMessageUuids: promptUuids(submission.prompt),
    joinedUuids: outcome.joinedUuids,
    ...mapperOptions(session),
  });
  const observer = new LoopObserver(mapper, outcome, submission, session);
  submission.onResponse((messageId, stopReason) => {
    if (stopReason === 'refusal') submissions.refused();
    outcome.responseEnded(messageId, stopReason);
  });
  submission.scope.onClose(
    queue.onJoined(() => {
      outcome.joined();
      mapper.joined((replay) => host.emit(replay));
    }),
  );

  host.enter('query_loop');
  await model.client.ready(input.model, submission.scope);
  const params: LoopParams = {
    ...buildLoopParams(input, session),
    ...(structured !== undefined && { structuredOutput: { toolName: STRUCTURED_OUTPUT_TOOL } }),
  };
  model.request = params;
  const summaries =
    session.config.toolUseSummaries === true
      ? await import('../side-calls/tool-use-summaries.ts')
      : undefined;
  const end = await driveLoop(
    {
      params,
      deps: (guard) => ({
        ...buildSessionDeps(guard, session),
        ...(summaries !== undefined && {
          toolUseSummary: summaries.createToolUseSummaries(submission.id, submission.scope.signal, session),
        }),
      }),
      runsWith: runDefaultsOf(session.config),
      budgets: { budget, structured },
      show: (message) => observer.show(message),
      display: displayFor(outcome, submission, session),
      delivered: () => observer.delivered(),
      isSilent: () => submission.silent(),
    },
    output,
  );
  if (end === undefined || submission.silent()) return;
  const left = mapper.flush();
  if (left.length > 0) await output.emit(left);
  if (end.kind === 'stop') await finish(end.terminal, outcome, submission, session, output);
  else await output.emit(await recordParking(end.parked, submission, session));
}

/** The ports of the loop; stages and denied calls are reported to the session. */
function buildSessionDeps(guard: OuterGuard, session: Session): LoopDeps {
  const deps = buildLoopDeps(guard, session);
  return {
    ...deps,
    callModel: session.structured?.asking(deps.callModel) ?? deps.callModel,
    onStage: (stage) => session.host.enter(stage),
    onDenial: (denial) => session.submissions.denied(denial),
    parking: session.parking,
    verify: verifyPort(session),
  };
}

/** Phase 8. */
export async function finish(
  terminal: Terminal,
  outcome: SubmissionOutcome,
  submission: Submission,
  session: Session,
  output: Output<SDKMessage>,
): Promise<void> {
  const result = buildResult(
    terminal,
    outcome,
    {
      ...collectResultFacts(submission, outcome, session),
      verification: session.verification.stateAt(terminal),
    },
    session.config,
    session.structured?.accepted(),
  );
  if (result.stop_reason === 'refusal') await output.emit(refusalNotice(outcome, submission, session.host));
  await endGoal(terminal, session);
  const recorded = await recordResult(result, submission, session);
  const shown = session.structured === undefined ? recorded : await session.structured.shown(recorded);
  if (!submission.silent()) await output.emit(shown);
}

function collectResultFacts(
  submission: Submission,
  outcome: SubmissionOutcome,
  session: Session,
): ResultFacts {
  const { budget, conversation, model, submissions, world } = session;
  const { ledger } = budget;
  return {
    uuid: world.ids.uuid(),
    sessionId: conversation.sessionId,
    durationMs: Math.round(world.clock.monotonicMs() - submission.startedMs),
    durationApiMs: Math.round(model.client.apiMs()),
    totalCostUsd: ledger.totalCostUsd(),
    usage: ledger.submissionUsage(),
    modelUsage: ledger.modelUsage(),
    fastMode: model.fastModeStatus(model.current),
    permissionDenials: [...submissions.denials],
    origin: submission.prompt.origin,
    userMessageUuids: promptUuids(submission.prompt),
    times: submission.times,
    usageSinceLastResult: ledger.takeUsageSinceResult(),
    subagentStats: session.agents.counts(),
    safetyStops: submissions.refusals,
    joinedUuids: outcome.joinedUuids,
    queuedTurns: session.queue.peek().length,
    index: submissions.results,
  };
}

type Settled<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly message: string };

export async function settled<T>(work: Promise<T>): Promise<Settled<T>> {
  try {
    return { kind: 'done', value: await work };
  } catch (error) {
    return { kind: 'failed', message: describeError(error) };
  }
}

const describeError = (error: unknown): string => errorText(error);
