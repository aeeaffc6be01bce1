/** What an earlier process has left of a session, in the words of the conversation. */
import { errorText } from '@turnwright/base/text/error-text.ts';
import { type InterruptedTurn, modelAccess, type Options, sessionResumePoint } from '@turnwright/engine';
import { OPTIONS } from '@turnwright/engine/options/table.ts';
import { toolLabel } from '../../words/tool-label.ts';
import type { Env } from '../../world.ts';
import type { ReopenTarget } from '../command-context.ts';
import type { ConversationEvent } from '../reduce/reduce.ts';
import { readTodo } from '../reduce/reduce-tools.ts';

type Found = Extract<ConversationEvent, { readonly kind: 'found' }>;

const NOTHING: Found = { kind: 'found', todos: [], cutOff: undefined };

/** Never rejects: a session that cannot be read is reported when it is opened. */
export async function foundIn(
  { resume, resumeSessionAt, forkSession }: ReopenTarget,
  place: { readonly cwd: string; readonly env: Env },
): Promise<Found> {
  // Going back leaves behind what came later.
  if (resume === undefined || resumeSessionAt !== undefined) return NOTHING;
  const left = await sessionResumePoint(resume, place).catch(() => undefined);
  if (left === undefined) return NOTHING;
  const { interrupted } = left;
  // A copy does not finish what the session was at.
  const cutOff =
    interrupted === undefined || forkSession === true ? undefined : describePlace(interrupted, place.cwd);
  return { kind: 'found', todos: left.todos.flatMap(readTodo), cutOff };
}

/**
 * Options with which a session goes on as it was asked last: its model and effort. Those that are given win.
 * `problem`: why its model cannot be had, in a sentence. Never rejects.
 */
export async function lastChoice(
  sessionId: string,
  given: Options,
): Promise<Pick<Options, 'effort' | 'model'> & { readonly problem?: string }> {
  const { cwd, env, model: named } = given;
  const place = { ...(cwd !== undefined && { cwd }), ...(env !== undefined && { env }) };
  const { model: last, effort } = (await sessionResumePoint(sessionId, place).catch(() => undefined)) ?? {};
  const model = named ?? last;
  const chosen = { ...(effort !== undefined && given.effort === undefined && { effort }) };
  if (named !== undefined || model === undefined) return chosen;
  const { unreachable } = await modelAccess({
    ...given,
    env: { ...env, [OPTIONS.model.variable]: model },
  }).catch((error: unknown) => ({
    unreachable: errorText(error),
  }));
  if (unreachable === undefined) return { ...chosen, model };
  return {
    problem: `The session's last model, ${model}, cannot be had, so it goes on with another: ${unreachable}`,
  };
}

function describePlace({ waitedFor, call }: InterruptedTurn, cwd: string): string {
  if (call !== undefined)
    return `${call.hasRun ? 'while' : 'before'} ${toolLabel(call.name, call.input, cwd)} ran`;
  return waitedFor === 'result' ? 'when it was done' : 'while the model was to answer';
}
