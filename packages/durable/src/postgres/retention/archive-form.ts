/** A session as one compressed text: a line for each of its rows, whose columns come back by their names. */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createGzip, gunzipSync } from 'node:zlib';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { RunStatement } from '../database.ts';

/** Of the text. An older one is always read. */
const FORM = 1;

/** Rows in the order of a key, a page at a time. What is made anew from the journal is not among them. */
const PAGES = {
  sessions: { behind: 'session_id > $2', keys: ['session_id'], first: [''], rows: 1 },
  journal: { behind: 'seq > $2::int', keys: ['seq'], first: [-1], rows: 500 },
  messages: {
    behind: '(after_seq, n) > ($2::int, $3::bigint)',
    keys: ['after_seq', 'n'],
    first: [-1, -1],
    rows: 500,
  },
  inbox: { behind: 'n > $2::int', keys: ['n'], first: [-1], rows: 100 },
  interrupts: { behind: 'key > $2', keys: ['key'], first: [''], rows: 500 },
  asks: { behind: 'ask_id > $2', keys: ['ask_id'], first: [''], rows: 100 },
  blobs: { behind: 'key > $2', keys: ['key'], first: [''], rows: 4 },
} as const;
type ArchivedTable = keyof typeof PAGES;
const TABLES = Object.keys(PAGES) as ArchivedTable[];

interface Line {
  readonly table: ArchivedTable;
  readonly row: Readonly<Record<string, unknown>>;
}

/** What an archived session is found and checked by. */
export interface Archived {
  /** In the store. */
  readonly key: string;
  /** Of the compressed bytes. */
  readonly sha256: string;
  readonly bytes: number;
  readonly rows: number;
}

/** Reads all rows of a session. */
export async function packed(
  run: RunStatement,
  sessionId: string,
): Promise<{ readonly bytes: Uint8Array; readonly archived: Archived }> {
  const zip = createGzip();
  const parts: Buffer[] = [];
  zip.on('data', (part: Buffer) => parts.push(part));
  const ended = once(zip, 'end');
  const write = async (line: string) => {
    if (!zip.write(`${line}\n`)) await once(zip, 'drain');
  };
  await write(JSON.stringify({ turnwright: 'session', form: FORM, sessionId }));
  let rows = 0;
  for (const table of TABLES)
    for await (const row of readRows(run, table, sessionId)) {
      await write(`{"table":"${table}","row":${row}}`);
      rows += 1;
    }
  zip.end();
  await ended;
  const bytes = Buffer.concat(parts);
  const sum = sha256(bytes);
  // Named by its content: what another process stores cannot take its place.
  const key = `${sessionId}-${sum.slice(0, 32)}.jsonl.gz`;
  return { bytes, archived: { key, sha256: sum, bytes: bytes.length, rows } };
}

/** Each row as JSON. */
async function* readRows(run: RunStatement, table: ArchivedTable, sessionId: string): AsyncGenerator<string> {
  const { behind, keys, first, rows } = PAGES[table];
  const statement = `select row_to_json(t)::text as row, ${keys.map((key) => `t.${key} as "${key}"`).join(', ')}
    from turnwright.${table} t where session_id = $1 and ${behind} order by ${keys.join(', ')} limit ${rows}`;
  let at: readonly unknown[] = first;
  for (;;) {
    const page = await run<{ readonly row: string }>(statement, [sessionId, ...at]);
    for (const { row } of page) yield row;
    const last = page.at(-1) as Readonly<Record<string, unknown>> | undefined;
    if (last === undefined || page.length < rows) return;
    at = keys.map((key) => last[key]);
  }
}

/** Throws `storage_error` when the bytes are not those that were archived. */
export function unpacked(sessionId: string, bytes: Uint8Array, archived: Archived): readonly Line[] {
  if (sha256(bytes) !== archived.sha256)
    throw new TurnwrightError(
      'storage_error',
      `The archive "${archived.key}" of session ${sessionId} is not what was stored: ${bytes.length} bytes with another checksum, instead of ${archived.bytes}.`,
    );
  const [head = '', ...lines] = gunzipSync(bytes).toString('utf8').split('\n').slice(0, -1);
  const { form, sessionId: of } = JSON.parse(head) as { readonly form: number; readonly sessionId: string };
  if (form > FORM)
    throw new TurnwrightError(
      'storage_error',
      `Session ${sessionId} was archived by a later version of turnwright, whose form this one cannot read: update it.`,
    );
  if (of !== sessionId || lines.length !== archived.rows)
    throw new TurnwrightError(
      'storage_error',
      `The archive "${archived.key}" is of session ${of} with ${lines.length} rows, instead of ${sessionId} with ${archived.rows}.`,
    );
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Rows that one statement inserts. */
const ROWS_AT_ONCE = 500;

/** Inserts them. `run` is that of a transaction. Columns that these tables do not have are left out. */
export async function insertRows(run: RunStatement, lines: readonly Line[]): Promise<void> {
  for (const table of TABLES) {
    const rows = lines.filter((line) => line.table === table).map(({ row }) => row);
    const [first] = rows;
    if (first === undefined) continue;
    const columns = await run<{ readonly name: string }>(
      `select quote_ident(column_name) as name from information_schema.columns
       where table_schema = 'turnwright' and table_name = $1 and column_name = any($2)`,
      [table, Object.keys(first)],
    );
    const names = columns.map(({ name }) => name).join(', ');
    const most = Math.min(ROWS_AT_ONCE, PAGES[table].rows);
    for (let at = 0; at < rows.length; at += most)
      await run(
        `insert into turnwright.${table} (${names})
         select ${names} from json_populate_recordset(null::turnwright.${table}, $1::json)`,
        [JSON.stringify(rows.slice(at, at + most))],
      );
  }
}
