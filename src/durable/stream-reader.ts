/** Reads the stream of a session in pages: the journal, and what is written beside it, in one order. */
import { type JournalMapper, journalFormat, type SDKMessage, TurnwrightError } from '../index.ts';
import type { JournalEntry } from '../protocol/session/journal.ts';
import { uuid } from '../util/ids/uuid.ts';
import { answeredAt, type Expected, openExpected } from './expected-result.ts';
import type { Statements } from './postgres/database.ts';
import { behind, cursorOf, epochOf, isAfter, openFollowedJournal, type Position } from './stream.ts';

/** A message of a session, and where it is in its stream. */
export interface Followed {
  /** Pass it as `from` to go on behind this message. */
  readonly cursor: string;
  readonly message: SDKMessage;
}

/** Records that are read at once. */
const PAGE = 500;

interface Row {
  readonly kind: 'session' | 'entry' | 'message' | 'frame';
  readonly seq: number;
  readonly n: number;
  readonly epoch: number;
  readonly body: string;
}

interface SessionState {
  readonly head: number;
  /** Last record of the page. */
  readonly upto: number;
  readonly state: string;
  readonly outcome: string | null;
}

type Format = Awaited<ReturnType<typeof journalFormat>>;

/** `until`: uuid of the prompt whose result ends the stream. Rejects with `session_not_found`. */
export async function openReader(
  database: Statements,
  sessionId: string,
  start: Position,
  until: string | undefined,
): Promise<StreamReader> {
  const [session] = await database.run('select 1 from turnwright.sessions where session_id = $1', [
    sessionId,
  ]);
  if (session === undefined)
    throw new TurnwrightError('session_not_found', `There is no session ${sessionId} in this database.`);
  const parts = {
    database,
    sessionId,
    mapper: await openFollowedJournal(),
    format: await journalFormat(),
    expected: until === undefined ? undefined : await openExpected(database.run, sessionId, until),
  };
  const reader = new StreamReader(parts, start);
  await reader.open();
  return reader;
}

interface ReaderParts {
  readonly database: Statements;
  readonly sessionId: string;
  readonly mapper: JournalMapper;
  readonly format: Format;
  readonly expected: Expected | undefined;
}

export class StreamReader {
  readonly #parts: ReaderParts;
  #at: Position;
  /** Messages of the record that the cursor is at, behind it. */
  #rest: readonly Followed[] = [];
  /** uuids of stream events of a block that is not finished, and the owner of the session that wrote them. */
  #shown: string[] = [];
  #shownBy = 0;
  isOver = false;

  constructor(parts: ReaderParts, start: Position) {
    this.#parts = parts;
    this.#at = start;
  }

  /** Reads the submission that the cursor is in up to there: later messages refer to earlier ones. */
  async open(): Promise<void> {
    const { database, expected, format, sessionId } = this.#parts;
    const { seq, n } = this.#at;
    if (seq === 0) return;
    const rows = await database.run<{ readonly seq: number; readonly body: string }>(
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
    if (expected !== undefined) this.isOver = await answeredAt(database.run, sessionId, expected, seq);
    if (epochOf(this.#at) > 0 && !(await this.#isMessage())) this.#shownBy = epochOf(this.#at);
  }

  /** One page of what is there; `more`: the next page can be read at once. */
  async read(): Promise<{ readonly page: readonly Followed[]; readonly more: boolean }> {
    if (this.isOver) return { page: [], more: false };
    const { database, sessionId } = this.#parts;
    const { seq, n } = this.#at;
    const [session, ...rows] = await database.run<Row>(READ, [sessionId, seq, n]);
    if (session === undefined)
      throw new TurnwrightError('session_not_found', `Session ${sessionId} was deleted.`);
    const { head, upto, state, outcome } = JSON.parse(session.body) as SessionState;
    const page = [...this.#rest];
    this.#rest = [];
    page.push(...this.#tombstone(session.epoch));
    for (const row of rows) {
      // Of a worker that has lost the session: what it was about to say is said again.
      if (row.kind === 'frame' && row.epoch < session.epoch) continue;
      page.push(...this.#take(row));
      if (this.isOver) break;
    }
    // What was read of the last record need not be read again; nothing is written behind earlier ones.
    if (isAfter({ seq: upto, n: 0 }, this.#at)) this.#at = { seq: upto, n: 0 };
    if (state === 'poisoned' && page.length === 0) throw poisoned(sessionId, outcome);
    return { page, more: upto < head };
  }

  #take({ kind, seq, n, body }: Row): readonly Followed[] {
    if (kind === 'entry') {
      const made = this.#messagesOf(this.#parts.format.decode(body));
      this.#at = made.at(-1)?.at ?? { seq, n: 0 };
      return made.map(followed);
    }
    const message = JSON.parse(body) as SDKMessage;
    this.#at = { seq, n };
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
      session_id: this.#parts.sessionId,
    };
    return [followed({ at: this.#at, message })];
  }

  /** Whether the cursor is that of a message that is kept. */
  async #isMessage(): Promise<boolean> {
    const { database, sessionId } = this.#parts;
    const rows = await database.run(
      'select 1 from turnwright.messages where session_id = $1 and after_seq = $2 and n = $3',
      [sessionId, this.#at.seq, this.#at.n],
    );
    return rows.length > 0;
  }
}

interface Placed {
  readonly at: Position;
  readonly message: SDKMessage;
}

const followed = ({ at, message }: Placed): Followed => ({ cursor: cursorOf(at), message });

function poisoned(sessionId: string, outcome: string | null): TurnwrightError {
  const { error } = JSON.parse(outcome ?? '{}') as { readonly error?: string };
  const why = error ?? 'Its workers ended, one after the other.';
  return new TurnwrightError(
    'session_poisoned',
    `Session ${sessionId} is set aside: ${why} Send a prompt with "revive" to try again.`,
  );
}

/**
 * One statement, so that what it sees is of one moment: whatever precedes a visible record or message was
 * visible before it. The first row is the session's.
 */
const READ = `
  with session as (
    select head, epoch, state, outcome, least(head, $2::int + ${PAGE}) as upto
    from turnwright.sessions where session_id = $1
  )
  select 'session' as kind, -1 as seq, 0::float8 as n, epoch,
    jsonb_build_object('head', head, 'upto', upto, 'state', state, 'outcome', outcome)::text as body from session
  union all
  select 'entry', j.seq, 0, j.epoch, j.body from turnwright.journal j, session
    where j.session_id = $1 and j.seq > $2 and j.seq <= upto
  union all
  select 'message', after_seq, n, m.epoch, message from turnwright.messages m, session
    where m.session_id = $1 and (after_seq, n) > ($2, $3) and after_seq <= upto
  union all
  select 'frame', after_seq, n, f.epoch, message from turnwright.frames f, session
    where f.session_id = $1 and (after_seq, n) > ($2, $3) and after_seq <= upto
  order by seq, n`;
