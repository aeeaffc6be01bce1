/** `turnwright durable`: the tables for sessions in Postgres, their state, and the removal of old ones. */

import { errorText } from '@turnwright/base/text/error-text.ts';
import {
  archiveSessions,
  checkTables,
  type Database,
  type Overview,
  openDatabase,
  overviewOf,
  pendingMigrations,
  prepareDatabase,
  pruneSessions,
  shortenSessions,
  TABLES_VERSION,
} from '@turnwright/durable';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type DurableAction, type DurableInvocation, isCaringAction } from '../flags/durable-flags.ts';
import { UsageError } from '../usage-error.ts';
import { counted, duration } from '../words/units.ts';
import type { World } from '../world.ts';
import { neededArchive } from './archive-folder.ts';
import { careFor } from './caring-actions.ts';
import { databaseUrl } from './database-url.ts';
import { limitsLines } from './limits-command.ts';
import { isAlive } from './workers-alive.ts';

const DAY_MS = 86_400_000;

interface Call {
  readonly url: string;
  readonly database: Database;
  readonly which: string | undefined;
  readonly flags: DurableInvocation['flags'];
  readonly world: World;
}

interface Answer {
  readonly lines: readonly string[];
  /** Default: success. */
  readonly code?: ExitCode;
}

async function archive({ database, flags, world }: Call): Promise<Answer> {
  const { olderThan } = flags;
  if (olderThan === undefined)
    throw new UsageError('Say how old a session must be: turnwright durable archive --older-than <days>');
  const blobs = neededArchive(flags, world);
  await checkTables(database.run);
  const { length } = await archiveSessions(database, { blobs, olderThanMs: olderThan * DAY_MS });
  return { lines: [`${length} ${length === 1 ? 'session was' : 'sessions were'} archived.`] };
}

const ACTIONS: Readonly<Record<DurableAction, (call: Call) => Promise<Answer>>> = {
  async migrate({ url, flags }) {
    if (flags.check === true) {
      const steps = await pendingMigrations(url);
      return steps.length === 0
        ? { lines: ['Nothing is to be done.'] }
        : { lines: [`To be applied: ${steps.join('; ')}.`], code: EXIT.pending };
    }
    const { from, to } = await prepareDatabase(url);
    return {
      lines: [from === to ? `The tables have version ${to} already.` : `The tables have version ${to} now.`],
    };
  },

  async status({ database, flags }) {
    await checkTables(database.run);
    const overview = await overviewOf(database.run);
    return { lines: flags.json === true ? [JSON.stringify(overview, undefined, 2)] : statusLines(overview) };
  },

  async doctor({ database }) {
    const lines: string[] = [];
    let failed = false;
    const check = async (what: string, look: () => Promise<string>) => {
      try {
        lines.push(`ok      ${what}: ${await look()}`);
      } catch (error) {
        failed = true;
        lines.push(`failed  ${what}: ${errorText(error)}`);
      }
    };
    await check('database', async () => {
      const [row] = await database.run<{ readonly version: string; readonly name: string }>(
        "select current_setting('server_version') as version, current_database() as name",
      );
      return `Postgres ${row?.version}, ${row?.name}`;
    });
    if (failed) return { lines, code: EXIT.error };
    await check('durability', async () => {
      const [row] = await database.run<{ readonly fsync: string; readonly commit: string }>(
        "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit",
      );
      if (row?.fsync !== 'on') throw new Error('fsync is off: a power failure can destroy the database');
      if (row.commit === 'off')
        throw new Error('synchronous_commit is off: a crash of the database loses what was acknowledged');
      return `fsync is on, synchronous_commit is ${row.commit}`;
    });
    await check('tables', async () => {
      const version = await checkTables(database.run);
      return version === TABLES_VERSION
        ? `version ${version}`
        : `version ${version}, which serves this package (${TABLES_VERSION})`;
    });
    await check('writes', async () => {
      await writeAndUndo(database);
      return 'the disk takes them';
    });
    if (failed) return { lines, code: EXIT.error };
    const { workers, sessions } = await overviewOf(database.run);
    const alive = workers.filter(isAlive).length;
    const work = (sessions['queued'] ?? 0) + (sessions['running'] ?? 0);
    // No fault of the database: one that was just restored has none yet.
    lines.push(
      alive === 0 && work > 0
        ? `missing workers: none is heard, and ${counted(work, 'session')} ${work === 1 ? 'waits' : 'wait'}: npx turnwright worker ./agent.js`
        : `ok      workers: ${alive} alive`,
    );
    return { lines };
  },

  async limits({ database, which, flags }) {
    await checkTables(database.run);
    return { lines: await limitsLines({ database, tenant: which, flags }) };
  },

  archive,

  async prune({ database, flags: { inside, olderThan } }) {
    if (olderThan === undefined)
      throw new UsageError('Say how old a session must be: turnwright durable prune --older-than <days>');
    await checkTables(database.run);
    if (inside === true) {
      const { sessions, records } = await shortenSessions(database, { olderThanMs: olderThan * DAY_MS });
      return { lines: [`${counted(records, 'record')} of ${counted(sessions, 'session')} deleted.`] };
    }
    const { length } = await pruneSessions(database, { olderThanMs: olderThan * DAY_MS });
    return { lines: [`${length} ${length === 1 ? 'session was' : 'sessions were'} deleted.`] };
  },
};

/** Writes more than a page that has room: what a small record does not show, a full disk refuses here. */
async function writeAndUndo(database: Database): Promise<void> {
  const undone = new Error('It is undone.');
  const written = database.transaction(async (run) => {
    await run(
      `insert into turnwright.blobs (session_id, key, bytes)
       select 'doctor', gen_random_uuid()::text, decode(string_agg(md5(random()::text), ''), 'hex')
       from generate_series(1, 4096)`,
    );
    throw undone;
  });
  await written.catch((error: unknown) => {
    if (error !== undone) throw error;
  });
}

export async function runDurableCommand(
  world: World,
  { action, which, flags }: DurableInvocation,
): Promise<ExitCode> {
  const url = databaseUrl(flags, world);
  // A look at all rows of a large database takes long, and Ctrl-C ends it.
  const database = await openDatabase({ url, connections: 2, answerMs: 0 });
  try {
    const { lines, code = EXIT.success }: Answer = isCaringAction(action)
      ? { lines: await careFor({ action, which: which ?? '', url, database, flags, world }) }
      : await ACTIONS[action]({ url, database, which, flags, world });
    await world.out.write(`${lines.join('\n')}\n`);
    return code;
  } finally {
    await database.close();
  }
}

function statusLines({
  sessions,
  archived,
  openAsks,
  questions,
  setAside,
  held,
  oldestQueuedMs,
  workers,
  bytes,
}: Overview): readonly string[] {
  const counts = Object.entries(sessions).map(([state, count]) => `${count} ${state}`);
  const queued =
    oldestQueuedMs === undefined ? '' : `; the oldest has been queued for ${duration(oldestQueuedMs)}`;
  const { runs = 0, usdPerDay = 0 } = held;
  const waits = [
    ...(runs > 0 ? [`${counted(runs, 'run')} until one of the same tenant ends`] : []),
    ...(usdPerDay > 0 ? [`${counted(usdPerDay, 'session')} until its tenant has money again`] : []),
  ];
  if (archived > 0) counts.push(`${archived} archived`);
  return [
    `sessions   ${counts.length === 0 ? 'none' : counts.join(', ')}${queued}`,
    ...(setAside.length === 0
      ? []
      : ['set aside  try one again: npx turnwright durable retry <session>; all about it: show <session>']),
    ...setAside.map(({ sessionId, error }) => `  ${sessionId}  ${visible(error)}`),
    openAsks === 0
      ? 'questions  none is open'
      : `questions  ${openAsks} ${openAsks === 1 ? 'waits' : 'wait'} for an answer: npx turnwright answer <session> <ask> allow (or deny)`,
    ...questions.map(({ sessionId, askId, toolName }) => `  ${sessionId}  ${askId}  ${visible(toolName)}`),
    ...(waits.length === 0 ? [] : [`limits     hold ${waits.join(', and ')}: npx turnwright durable limits`]),
    `database   ${(bytes / 1e6).toFixed(1)} MB`,
    workers.length === 0 ? 'workers    none' : 'workers',
    ...workers.map((worker) => {
      const { workerId, host, pid, heartbeatAgeMs, draining, version } = worker;
      const silent = isAlive(worker) ? '' : `, silent for ${duration(heartbeatAgeMs)}`;
      return `  ${workerId}  ${host}, process ${pid}, version ${version}${draining ? ', drains' : ''}${silent}`;
    }),
  ];
}
