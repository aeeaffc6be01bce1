/** The title of a session, recorded in the form that other programs read. */

import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { SDKSessionTitleChanged } from '../../protocol/stream/session-messages.ts';
import type { HostChannel } from './host-channel.ts';
import { openSession } from './open-session.ts';
import type { Session } from './session.ts';

export function titleRecord(title: string): JournalBody {
  const id = `title/${uuid()}`;
  return { type: 'custom-title', id, submission: id, customTitle: title };
}

/** Throws `invalid_option` for an empty title, and for the id of another session. */
export async function setSessionTitle(
  title: string,
  session: Session,
  meant: string = session.conversation.sessionId,
): Promise<void> {
  const { conversation, host } = session;
  if (meant !== conversation.sessionId)
    throw new TurnwrightError('invalid_option', `This is session ${conversation.sessionId}, not ${meant}.`);
  const name = title.trim();
  if (name === '') throw new TurnwrightError('invalid_option', 'A title must not be empty.');
  await openSession(session);
  await conversation.recorder.append([titleRecord(name)]);
  conversation.rename(name);
  host.emit(titleChanged(name, host));
}

export function titleChanged(title: string, host: HostChannel): SDKSessionTitleChanged {
  return { type: 'system', subtype: 'session_title_changed', title, ...host.stamp() };
}
