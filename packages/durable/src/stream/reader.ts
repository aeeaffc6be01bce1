/** Reads the stream of a session in pages: the journal, and what is written beside it, in one order. */

import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import { type JournalMapper, journalFormat, type SDKMessage, TurnwrightError } from '@turnwright/engine';
import type { Place } from '@turnwright/engine/protocol/ports.ts';
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import { absentSession } from '../postgres/retention/removed.ts';
import { answeredAt, type Expected, openExpected } from './expected-result.ts';
import type { Pages, StreamItem } from './pages.ts';
import { behind, epochOf, formatCursor, isAfter, openFollowedJournal, START } from './position.ts';

/** A message of a session, and where it is in its stream. */
export interface Followed {
  /** Pass it as `from` to go on behind this message. */
  readonly cursor: string;
  readonly message: SDKMessage;
}

interface StreamEnd {
  /** uuid of the prompt whose result ends the stream. */
  readonly until: string | undefined;
  /** It ends when the session has nothing left to do. */
  readonly untilIdle: boolean;
}

/** Rejects with `session_not_found`. */
export async function openReader(
  pages: Pages,
  start: Place,
  { until, untilIdle }: StreamEnd,
): Promise<StreamReader> {
  const { run, sessionId } = pages;
  const [session] = await run<{ readonly keptFrom: number | null }>(
    'select kept_from as "keptFrom" from turnwright.sessions where session_id = $1',
    [sessionId],
  );
  if (session === undefined) throw await absentSession(run, sessionId);
  const from = keptStart(sessionId, start, session.keptFrom ?? 1);
  const parts = {
    pages,
    mapper: await openFollowedJournal(),
    expected: until === undefined ? undefined : await openExpected(run, sessionId, until),
    // A session that has a prompt is not idle until the prompt was handled, with or without a result.
    endsIdle: untilIdle || until !== undefined,
  };
  const reader = new StreamReader(parts, from);
  await reader.open();
  return reader;
}

/** What precedes `keptFrom` was removed (`shorten-session.ts`): the stream begins there. */
function keptStart(sessionId: string, start: Place, keptFrom: number): Place {
  const first: Place = { seq: keptFrom - 1, n: 0 };
  if (keptFrom === 1 || !isAfter(first, start)) return start;
  if (!isAfter(start, START)) return first;
  throw new TurnwrightError(
    'session_removed',
    `What session ${sessionId} said behind "${formatCursor(start)}" is not complete any more: follow it from "${formatCursor(first)}".`,
  );
}

interface ReaderParts {
  readonly pages: Pages;
  readonly mapper: JournalMapper;
  readonly expected: Expected | undefined;
  readonly endsIdle: boolean;
}

export class StreamReader {
  readonly #parts: ReaderParts;
  #at: Place;
  /** Messages of the record that the cursor is at, behind it. */
  #rest: readonly Followed[] = [];
  /** uuids of stream events of a block that is not finished, and the owner of the session that wrote them. */
  #shown: string[] = [];
  #shownBy = 0;
  isOver = false;

  constructor(parts: ReaderParts, start: Place) {
    this.#parts = parts;
    this.#at = start;
  }

  /** Reads the submission that the cursor is in up to there: later messages refer to earlier ones. */
  async open(): Promise<void> {
    const { expected, pages } = this.#parts;
    const { run, sessionId } = pages;
    const format = await journalFormat();
    const { seq, n } = this.#at;
    if (seq === 0) return;
    const rows = await run<{ readonly seq: number; readonly body: string }>(
      `select seq, body from turnwright.journal where session_id = $1 and seq <= $2
         and seq >= coalesce((select max(seq) from turnwright.journal
           where session_id = $1 and seq <= $2 and entry_id like '%/submission'), 1)
       order by seq`,
      [sessionId, seq],
    );
    const entries = rows.map(({ body }) => format.decode(body));
    const rest: Followed[] = [];
    for (const entry of entries) {
      const made = this.#messagesOf(entry);
      if (entry.seq === seq) rest.push(...made.filter(({ at }) => at.n > n).map(followed));
    }
    this.#rest = rest;
    if (expected !== undefined) this.isOver = await answeredAt(run, sessionId, expected, seq);
    if (epochOf(this.#at) > 0 && !(await this.#isMessage())) this.#shownBy = epochOf(this.#at);
  }

  /** One page of what is there; `more`: the next page can be read at once. */
  async read(): Promise<{ readonly page: readonly Followed[]; readonly more: boolean }> {
    if (this.isOver) return { page: [], more: false };
    const { pages, endsIdle } = this.#parts;
    const { epoch, head, outcome, pieces, state, upto } = await pages.after(this.#at);
    const page = [...this.#rest];
    this.#rest = [];
    page.push(...this.#tombstone(epoch));
    for (const piece of pieces) {
      // Of a worker that has lost the session: what it was about to say is said again.
      if (piece.kind === 'frame' && piece.epoch < epoch) continue;
      page.push(...this.#take(piece));
      if (this.isOver) break;
    }
    // What was read of the last record need not be read again; nothing is written behind earlier ones.
    if (isAfter({ seq: upto, n: 0 }, this.#at)) this.#at = { seq: upto, n: 0 };
    if (state === 'poisoned' && page.length === 0) throw poisoned(pages.sessionId, outcome);
    // Of the same moment as the page: all that the last run has written is in it.
    this.isOver ||= endsIdle && state === 'idle' && upto >= head;
    return { page, more: upto < head };
  }

  #take(piece: StreamItem): readonly Followed[] {
    this.#at = piece.at;
    if (piece.kind === 'entry') {
      const made = this.#messagesOf(piece.entry);
      this.#at = made.at(-1)?.at ?? piece.at;
      return made.map(followed);
    }
    const { message } = piece;
    if (message.type === 'stream_event') {
      this.#shown.push(message.uuid);
      this.#shownBy = epochOf(this.#at);
    }
    this.#parts.expected?.message(message);
    this.#end();
    return [followed({ at: this.#at, message })];
  }

  #messagesOf(entry: JournalEntry): readonly Placed[] {
    this.#parts.expected?.entry(entry);
    const made = this.#parts.mapper.map(entry).map((message, n) => ({ at: { seq: entry.seq, n }, message }));
    if (made.some(({ message }) => message.type === 'assistant')) {
      this.#shown = [];
      this.#shownBy = 0;
    }
    this.#end();
    return made;
  }

  #end(): void {
    this.isOver ||= this.#parts.expected?.isAnswered === true;
  }

  /** Another worker has the session: it does not finish the block of which something was shown. */
  #tombstone(epoch: number): readonly Followed[] {
    if (this.#shownBy === 0 || this.#shownBy >= epoch) return [];
    const retracted_message_uuids = this.#shown;
    this.#shown = [];
    this.#shownBy = 0;
    this.#at = { seq: this.#at.seq, n: behind(epoch, 0) };
    const message: SDKMessage = {
      type: 'system',
      subtype: 'informational',
      level: 'info',
      content: 'The worker that was writing this answer is gone: what it had not finished is made again.',
      retracted_message_uuids,
      uuid: uuid(),
      session_id: this.#parts.pages.sessionId,
    };
    return [followed({ at: this.#at, message })];
  }

  /** Whether the cursor is that of a message that is kept. */
  async #isMessage(): Promise<boolean> {
    const { run, sessionId } = this.#parts.pages;
    const rows = await run(
      'select 1 from turnwright.messages where session_id = $1 and after_seq = $2 and n = $3',
      [sessionId, this.#at.seq, this.#at.n],
    );
    return rows.length > 0;
  }
}

interface Placed {
  readonly at: Place;
  readonly message: SDKMessage;
}

const followed = ({ at, message }: Placed): Followed => ({ cursor: formatCursor(at), message });

function poisoned(sessionId: string, outcome: string | null): TurnwrightError {
  const { error } = JSON.parse(outcome ?? '{}') as { readonly error?: string };
  const why = error ?? 'Its workers ended, one after the other.';
  return new TurnwrightError(
    'session_poisoned',
    `Session ${sessionId} is set aside: ${why} A further prompt tries it again, and so does: npx turnwright durable retry ${sessionId}`,
  );
}
