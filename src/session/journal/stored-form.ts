/** Records whose written form differs from the appended one; reading restores the latter. */
import type { JournalBody } from '../../protocol/session/journal.ts';
import { withoutTwin, withTwin } from './result-dedup.ts';
import { toldDecision, writtenDecision } from './stored-decision.ts';

type Fields = Readonly<Record<string, unknown>>;

export function asWritten(record: JournalBody | Fields): object {
  const body = record as JournalBody;
  switch (body.type) {
    case 'user':
      return withoutTwin(record as Fields);
    case 'response': {
      // Programs that count tokens identify a response by `message.id` and `requestId`, and take the largest
      // figures. Its blocks were recorded before its usage was known.
      const { messageId: id, model, usage, ...rest } = body;
      return { ...rest, message: { id, model, usage } };
    }
    case 'decision':
      return { ...body, record: writtenDecision(body.record, body) };
    default:
      return record;
  }
}

/** What does not have the shape of its type is returned unchanged. */
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
