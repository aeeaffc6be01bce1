/** How records stand in their lines where that is not as they are told: each is told alike when it is read again. */
import type { JournalBody } from '../../protocol/journal.ts';
import { withoutTwin, withTwin } from './result-dedup.ts';
import { toldDecision, writtenDecision } from './stored-decision.ts';

type Fields = Readonly<Record<string, unknown>>;

export function asWritten(record: JournalBody | Fields): object {
  const body = record as JournalBody;
  switch (body.type) {
    case 'user':
      return withoutTwin(record as Fields);
    case 'response': {
      // Readers that count tokens know an answer by `message.id` and `requestId`, and take the largest figures they
      // find. Its blocks were on record before its end said what they cost.
      const { messageId: id, model, usage, ...rest } = body;
      return { ...rest, message: { id, model, usage } };
    }
    case 'decision':
      return { ...body, record: writtenDecision(body.record, body) };
    default:
      return record;
  }
}

/** What has not the shape of its type comes back as it is. */
export function asTold(record: Fields): Fields {
  switch (record['type']) {
    case 'user':
      return withTwin(record);
    case 'response': {
      const { message, ...rest } = record;
      if (typeof message !== 'object' || message === null) return record;
      const { id, model, usage } = message as Fields;
      return { messageId: id, ...(model !== undefined && { model }), usage, ...rest };
    }
    case 'decision':
      return { ...record, record: toldDecision(record['record'], record) };
    default:
      return record;
  }
}
