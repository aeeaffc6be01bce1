/** Sessions of a database, and their questions, by the beginning of their ids. */
import type { DurableClient, OpenQuestion, SessionStatus } from '@turnwright/durable';
import { isPart, theOnly } from '../commands/whole-id.ts';
import { formatDurableSession } from './list-sessions.ts';

type Looking = Pick<DurableClient, 'sessions' | 'status'>;

/** The text itself when no id begins with it; throws which ones do when there are several. */
export async function wholeSession(given: string, client: Looking): Promise<string> {
  if (!isPart(given) || (await client.status(given)) !== undefined) return given;
  const found = await client.sessions({ prefix: given.toLowerCase() });
  return theOnly<SessionStatus>(given, found, {
    what: 'sessions',
    idOf: ({ sessionId }) => sessionId,
    lineOf: formatDurableSession,
  });
}

const BEGINS_A_UUID = /^[\da-f]{8}(?:-[\da-f-]*)?$/i;

/** For a prompt, with which a session of that name may begin: only what looks like a part of an id is one. */
export const sessionToSendTo = async (given: string, client: Looking): Promise<string> =>
  BEGINS_A_UUID.test(given) ? wholeSession(given, client) : given;

/** A question that the session waits for. */
export async function wholeQuestion(given: string, session: string, client: Looking): Promise<string> {
  const { questions = [] } = (await client.status(session)) ?? {};
  return theOnly<OpenQuestion>(given, questions, {
    what: 'questions',
    idOf: ({ askId }) => askId,
    lineOf: ({ askId, toolName }) => `${askId}  ${toolName}`,
  });
}
