/** Carries an interrupted submission on: no new prompt, the same submission id, one result (L4.1). */

import type { Output } from '@turnwright/base/async/batch-output.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { PermissionDenial, PermissionMode } from '../../protocol/tools/permission.ts';
import type { InterruptedSubmission } from '../../session/resume/interrupted.ts';
import type { SessionToolsPort } from '../../tools/tools-port.ts';
import { retractedIn } from '../../view/changes.ts';
import { resultIds } from '../../view/tool-results.ts';
import { initMessage } from '../output/create-init-message.ts';
import { createOutcome, type SubmissionOutcome } from '../output/result.ts';
import { openSession } from '../session/open-session.ts';
import { presetAnswers } from '../session/recorded-questions.ts';
import { fetchContexts, recordSnapshot, type SubmissionContext } from '../session/request-context.ts';
import type { Session } from '../session/session.ts';
import { carryOnVerification } from '../verifying/verify-submission.ts';
import type { Submission } from './submission.ts';
import { finish, runSubmission, settled } from './submit-message.ts';
import { lendAgain } from './temporary-rules.ts';

export async function resumeSubmission(
  submission: Submission,
  session: Session,
  output: Output<SDKMessage>,
): Promise<void> {
  submission.start();
  session.mcp.start();
  session.skills.startSubmission();
  try {
    const outcome = createOutcome();
    const setUp = await settled(takeUp(submission, outcome, session));
    if (setUp.kind === 'failed') {
      if (submission.silent()) return;
      const terminal = { reason: 'turn_setup_failed' as const, turnCount: 0, errors: [setUp.message] };
      await finish(terminal, outcome, submission, session, output);
      return;
    }
    const taken = setUp.value;
    if (taken === undefined) return;
    const { interrupted, model, context } = taken;
    if (context === undefined) {
      if (interrupted.terminal !== undefined)
        await finish(interrupted.terminal, outcome, submission, session, output);
      return;
    }
    await output.emit([initMessage(model, session)]);
    const input = {
      submission: submission.id,
      scope: submission.scope,
      model,
      context,
      startAt: interrupted.startAt,
    };
    await runSubmission(input, outcome, submission, session, output);
  } finally {
    await submission.end();
  }
}

interface TakenUp {
  readonly interrupted: InterruptedSubmission;
  readonly model: string;
  /** Absent: only the result is missing. */
  readonly context: SubmissionContext | undefined;
}

/** undefined: nothing was interrupted. */
async function takeUp(
  submission: Submission,
  outcome: SubmissionOutcome,
  session: Session,
): Promise<TakenUp | undefined> {
  const { budget, config, conversation, permissions, structured, submissions, tools } = session;
  const recovered = await openSession(session);
  const interrupted = submissions.isFirst ? recovered?.interrupted : undefined;
  if (interrupted !== undefined) await presetAnswers(interrupted.asks, tools, config.earlierAnswers);
  await presetOrphan(interrupted, session);
  if (interrupted === undefined) return undefined;
  submissions.recorded();
  submissions.started();
  submission.carryOn(interrupted.id);
  budget.ledger.carryOn(interrupted.usages);
  budget.guard?.carryOn(recovered?.submissionCostUsd ?? 0);
  submissions.denied(...deniedIn(interrupted.said, tools.port), ...interrupted.denied);
  await carryOnVerification(interrupted.id, interrupted.verify, session);
  restoreMode(interrupted, session);
  for (const [path, read] of Object.entries(interrupted.filesRead)) tools.readFileCache.set(path, read);
  submission.scope.onClose(lendAgain(interrupted.lent, permissions, config.stderr));
  const configured = session.model.begin();
  const { switched } = interrupted;
  // What a command or an overloaded model had switched to holds, unless this process was given another model.
  const model = switched?.from === configured ? switched.to : configured;
  await conversation.recorder.append([
    {
      type: 'submission',
      id: `${interrupted.id}/submission/carried-on/${session.world.ids.uuid()}`,
      submission: interrupted.id,
      carriesOn: true,
      model,
      ...session.model.asChosen(model),
      permissionMode: permissions.mode,
    },
    ...interrupted.reopening,
  ]);
  const retracted = retractedIn(interrupted.reopening);
  for (const message of interrupted.said) {
    if (retracted.has(message.uuid)) continue;
    outcome.observe(message);
    structured?.observe(message);
  }
  // Answers that resume itself gave count like those of the tools they stand for.
  for (const body of interrupted.reopening) if (body.type === 'user') outcome.observe(body);
  if (interrupted.terminal !== undefined) return { interrupted, model, context: undefined };
  session.questions.carryOn(interrupted.asks);
  session.parking?.carryOn(interrupted.sleeps);
  const open = interrupted.startAt.response?.calls ?? [];
  const areCalled = open.some(({ block }) => block.name.startsWith('mcp__'));
  await session.mcp.settled(submission.scope, { areCalled });
  await session.skills.settled();
  session.host.enter('system_prompt');
  const context = await fetchContexts(session, submission.scope, model);
  recordSnapshot(context, submission.id, model, session);
  return { interrupted, model, context };
}

/** The host's answer goes before one that an earlier process recorded. */
async function presetOrphan(
  interrupted: InterruptedSubmission | undefined,
  session: Pick<Session, 'config' | 'conversation' | 'submissions' | 'tools'>,
): Promise<void> {
  const orphan = session.submissions.takeOrphan() ? session.config.orphanedPermission : undefined;
  if (orphan === undefined) return;
  const orphans = await import('./orphaned-permission.ts');
  const response = interrupted?.terminal === undefined ? interrupted?.startAt.response : undefined;
  const known = response?.known.flatMap(resultIds);
  const open = response?.calls.map(({ block }) => block.id).filter((id) => known?.includes(id) !== true);
  orphans.presetOrphan(orphan, open ?? [], session);
}

/**
 * The mode that a call or the host had switched to holds, unless this process was given another one, or may
 * not use it.
 */
function restoreMode(
  { modes }: InterruptedSubmission,
  { config, permissions }: Pick<Session, 'config' | 'permissions'>,
): void {
  if (modes === undefined || modes.from !== permissions.mode || modes.to === modes.from) return;
  try {
    permissions.setMode(modes.to as PermissionMode);
  } catch (error) {
    config.stderr?.(`The permission mode ${modes.to} was not restored: ${(error as Error).message}`);
  }
}

/** Calls that were denied in previous processes, those of agents excepted. */
function deniedIn(
  said: InterruptedSubmission['said'],
  port: Pick<SessionToolsPort, 'outwardInput'>,
): PermissionDenial[] {
  const denied = new Set(
    said.flatMap((message) =>
      message.type === 'user' &&
      message.nonExecution === 'denied' &&
      typeof message.message.content !== 'string'
        ? message.message.content.flatMap((block) =>
            block.type === 'tool_result' ? [block.tool_use_id] : [],
          )
        : [],
    ),
  );
  return said.flatMap((message) =>
    message.type === 'assistant'
      ? message.message.content.flatMap((block) =>
          block.type === 'tool_use' && denied.has(block.id)
            ? [{ tool_name: block.name, tool_use_id: block.id, tool_input: port.outwardInput(block) }]
            : [],
        )
      : [],
  );
}
