/** The name of a session, on record where other programs look for it. */
import { TurnwrightError } from '../../protocol/errors.ts';
import type { JournalBody } from '../../protocol/journal.ts';
import type { SDKSessionTitleChanged } from '../../protocol/session-messages.ts';
import { uuid } from '../../util/ids/uuid.ts';
import { openSession } from './open-session.ts';
import type { EngineParts } from './session-parts.ts';

export function titleRecord(title: string): JournalBody {
  const id = `title/${uuid()}`;
  return { type: 'custom-title', id, submission: id, customTitle: title };
}

/** Throws `invalid_option` for an empty name, and when another session is meant. */
export async function renameSession(
  title: string,
  parts: EngineParts,
  meant: string = parts.sessionId,
): Promise<void> {
  if (meant !== parts.sessionId)
    throw new TurnwrightError('invalid_option', `This is session ${parts.sessionId}, not ${meant}.`);
  const name = title.trim();
  if (name === '') throw new TurnwrightError('invalid_option', 'A title must not be empty.');
  await openSession(parts);
  await parts.journal.recorder.append([titleRecord(name)]);
  parts.memory.title = name;
  parts.announcer.say(titleChanged(name, parts));
}

export function titleChanged(
  title: string,
  { ids, sessionId }: Pick<EngineParts, 'ids' | 'sessionId'>,
): SDKSessionTitleChanged {
  const stamp = { uuid: ids.uuid(), session_id: sessionId };
  return { type: 'system', subtype: 'session_title_changed', title, ...stamp };
}
