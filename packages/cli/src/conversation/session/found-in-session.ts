/** What an earlier process has left of a session, in the words of the conversation. */
import { type InterruptedTurn, sessionResumePoint } from '@turnwright/engine';
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

function describePlace({ waitedFor, call }: InterruptedTurn, cwd: string): string {
  if (call !== undefined)
    return `${call.hasRun ? 'while' : 'before'} ${toolLabel(call.name, call.input, cwd)} ran`;
  return waitedFor === 'result' ? 'when it was done' : 'while the model was to answer';
}
