/** Carries an interrupted submission on: no new prompt, the same submission id, one result (L4.1). */
import type { PermissionDenial } from '../../protocol/permission.ts';
import { retractedIn } from '../../view/changes.ts';
import { initMessage } from '../output/init-message.ts';
import { createOutcome, type Outcome } from '../output/result.ts';
import { openSession } from '../session/open-session.ts';
import { presetAnswers } from '../session/recorded-questions.ts';
import { fetchContexts, recordSnapshot, type SubmissionContext } from '../session/request-context.ts';
import type { Interrupted } from '../session/session-journal.ts';
import type { EngineParts } from '../session/session-parts.ts';
import { presetOrphan } from './orphaned-permission.ts';
import type { Submission } from './submission.ts';
import { type Batch, finish, runLoop, settled } from './submit-message.ts';
import { lendAgain } from './temporary-rules.ts';

export async function* resumeSubmission(
  submission: Submission,
  parts: EngineParts,
): AsyncGenerator<Batch, void> {
  submission.start();
  parts.mcp.start();
  parts.skills.startSubmission();
  try {
    const outcome = createOutcome();
    const setUp = await settled(takeUp(submission, outcome, parts));
    if (setUp.kind === 'failed') {
      if (submission.silent()) return;
      const terminal = { reason: 'turn_setup_failed' as const, turnCount: 0, errors: [setUp.message] };
      yield* finish(terminal, outcome, submission, parts);
      return;
    }
    const taken = setUp.value;
    if (taken === undefined) return;
    const { interrupted, model, context } = taken;
    if (context === undefined) {
      if (interrupted.terminal !== undefined) yield* finish(interrupted.terminal, outcome, submission, parts);
      return;
    }
    yield [initMessage(model, parts)];
    const input = {
      submission: submission.id,
      scope: submission.scope,
      model,
      context,
      carryOn: interrupted.carryOn,
      startAt: interrupted.startAt,
    };
    yield* runLoop(input, outcome, submission, parts);
  } finally {
    await submission.end();
  }
}

interface TakenUp {
  readonly interrupted: Interrupted;
  readonly model: string;
  /** Absent: only the result is missing. */
  readonly context: SubmissionContext | undefined;
}

/** undefined: nothing was interrupted. */
async function takeUp(
  submission: Submission,
  outcome: Outcome,
  parts: EngineParts,
): Promise<TakenUp | undefined> {
  const recovered = await openSession(parts);
  const interrupted = parts.memory.submissions === 0 ? recovered?.interrupted : undefined;
  if (interrupted === undefined) return undefined;
  parts.memory.submissions += 1;
  parts.memory.started = true;
  submission.carryOn(interrupted.submission);
  parts.ledger.carryOn(interrupted.usages);
  parts.memory.denials.push(...deniedIn(interrupted.said, parts), ...interrupted.denied);
  submission.scope.onClose(lendAgain(interrupted.lent, parts));
  const configured = parts.model.resolve(parts.memory.modelName);
  const { switched } = interrupted;
  // What a command or an overloaded model had switched to holds, unless this process was given another model.
  const model = switched?.from === configured ? switched.to : configured;
  await parts.journal.recorder.append([
    {
      type: 'submission',
      id: `${interrupted.submission}/submission/carried-on/${parts.ids.uuid()}`,
      submission: interrupted.submission,
      carriesOn: true,
      model,
      permissionMode: parts.permissions.mode,
    },
    ...interrupted.reopening,
  ]);
  const retracted = retractedIn(interrupted.reopening);
  for (const message of interrupted.said) {
    if (retracted.has(message.uuid)) continue;
    outcome.observe(message);
    parts.structured?.observe(message);
  }
  // Answers that resume itself gave count like those of the tools they stand for.
  for (const body of interrupted.reopening) if (body.type === 'user') outcome.observe(body);
  if (interrupted.terminal !== undefined) return { interrupted, model, context: undefined };
  presetAnswers(interrupted.answers, parts);
  const { orphanedPermission } = parts.config;
  if (orphanedPermission !== undefined && !parts.memory.orphanHandled) {
    parts.memory.orphanHandled = true;
    presetOrphan(orphanedPermission, parts);
  }
  await parts.mcp.settled(submission.scope);
  await parts.skills.settled();
  parts.state.enter('system_prompt');
  const context = await fetchContexts(parts, submission.scope, model);
  recordSnapshot(context, submission.id, parts);
  return { interrupted, model, context };
}

/** What was denied in its earlier life, agents' calls excepted. */
function deniedIn(said: Interrupted['said'], { tools }: EngineParts): PermissionDenial[] {
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
            ? [{ tool_name: block.name, tool_use_id: block.id, tool_input: tools.port.outwardInput(block) }]
            : [],
        )
      : [],
  );
}
