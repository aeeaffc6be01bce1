/** Which result a follower waits for: that of the submission that its prompt began or joined. */

import { shownId } from '@turnwright/base/text/cut-text.ts';
import { type SDKMessage, TurnwrightError } from '@turnwright/engine';
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import type { RunStatement } from '../postgres/database.ts';
import { hasResult } from '../postgres/results.ts';

/** Observes the stream until the result has come. */
export interface Expected {
  readonly uuid: string;
  readonly key: string;
  readonly isAnswered: boolean;
  entry(entry: JournalEntry): void;
  message(message: SDKMessage): void;
}

/** Rejects with `invalid_option` when the session has no prompt with this uuid. */
export async function openExpected(run: RunStatement, sessionId: string, uuid: string): Promise<Expected> {
  const [row] = await run<{ readonly key: string }>(
    `select key from turnwright.inbox
     where session_id = $1 and position('"uuid":"' || $2 || '"' in item) > 0`,
    [sessionId, uuid],
  );
  if (row === undefined)
    throw new TurnwrightError(
      'invalid_option',
      `Session ${sessionId} has no prompt with the uuid "${shownId(uuid)}".`,
    );
  return new ExpectedResult(uuid, row.key);
}

class ExpectedResult implements Expected {
  readonly uuid: string;
  readonly key: string;
  #submission: string | undefined;
  isAnswered = false;

  constructor(uuid: string, key: string) {
    this.uuid = uuid;
    this.key = key;
  }

  entry(entry: JournalEntry): void {
    switch (entry.type) {
      case 'user':
        if (entry.uuid === this.uuid) this.#submission = entry.submission;
        return;
      case 'inbox':
        if (entry.consumed.some((each) => each === this.uuid || each === this.key))
          this.#submission = entry.submission;
        return;
      case 'result': {
        const { user_message_uuids: uuids } = entry.result as {
          readonly user_message_uuids?: readonly string[];
        };
        this.isAnswered ||= entry.submission === this.#submission || uuids?.includes(this.uuid) === true;
      }
    }
  }

  /** A result that could not be recorded. */
  message(message: SDKMessage): void {
    if (message.type === 'result')
      this.isAnswered ||= message.user_message_uuids?.includes(this.uuid) === true;
  }
}

/** Whether the result is among the records up to `seq`. */
export const answeredAt = (
  run: RunStatement,
  sessionId: string,
  expected: Expected,
  seq: number,
): Promise<boolean> => hasResult(run, sessionId, expected, seq);
