/** `turnwright inspect [session]`: a page of this machine that shows why a session did what it did. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { listSessions, type OpenInspection, openInspection } from '@turnwright/engine';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { InspectInvocation } from '../flags/inspect-flags.ts';
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';
import { writeNew } from '../write-new.ts';
import { databaseSession } from './database-session.ts';
import { exportSession } from './export-session.ts';
import { readPage } from './page-file.ts';
import { serveInspector } from './serve-inspector.ts';

/** For its owner: a session can hold anything. */
const PRIVATE = 0o600;
/** In the page's list. */
const MOST_SESSIONS = 200;

export async function runInspectCommand(
  world: World,
  { session, view, redact, flags }: InspectInvocation,
): Promise<ExitCode> {
  const place = flags.db === undefined ? filePlace(world) : await databasePlace(flags.db);
  try {
    const inspection = await place.open(session, redact);
    if (flags.export !== undefined) return await writeExport(world, inspection, flags);
    return await show(world, inspection, { view, redact, place, flags });
  } finally {
    await place.close();
  }
}

interface Place {
  open(sessionId: string | undefined, redact: boolean): Promise<OpenInspection>;
  list: Parameters<typeof serveInspector>[0]['list'];
  close(): Promise<void>;
}

function filePlace({ cwd, env }: World): Place {
  return {
    open: (sessionId, redact) => openInspection(sessionId, { cwd, env, redact }),
    list: () => listSessions({ env, limit: MOST_SESSIONS }),
    close: async () => undefined,
  };
}

/** Postgres, where workers run the sessions. */
async function databasePlace(url: string): Promise<Place> {
  const { openInspectionSources } = await import('@turnwright/durable');
  const sources = await openInspectionSources(url);
  return {
    async open(sessionId, redact) {
      const source = await databaseSession(sources, sessionId);
      return openInspection(source.sessionId, { redact, source });
    },
    list: () => sources.list(MOST_SESSIONS),
    close: () => sources.close(),
  };
}

async function writeExport(
  { cwd, out }: World,
  inspection: OpenInspection,
  { export: kind = 'html', output }: InspectInvocation['flags'],
): Promise<ExitCode> {
  const text = await exportSession(kind, inspection, async () => (await readPage()).html);
  if (output === undefined) {
    await out.write(text);
    return EXIT.success;
  }
  if (!(await writeNew(resolve(cwd, output), text, PRIVATE)))
    throw new UsageError(`${output} exists already: give --output another name, or remove it.`);
  const reader = kind === 'perfetto' ? ' Open it at ui.perfetto.dev.' : '';
  await out.write(`${output} is written.${reader}\n`);
  return EXIT.success;
}

interface Shown {
  readonly view: string;
  readonly redact: boolean;
  readonly place: Place;
  readonly flags: InspectInvocation['flags'];
}

async function show(
  world: World,
  session: OpenInspection,
  { view, redact, place, flags }: Shown,
): Promise<ExitCode> {
  const page = await readPage();
  // The page asks for it first of all.
  session.data();
  const inspector = await serveInspector({
    page,
    session,
    redact,
    port: flags.port,
    list: place.list,
    open: place.open,
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new UsageError(`Port ${flags.port} is taken: give --port another one, or leave it out.`);
  });
  const forget = world.signals.attach({ interrupt: inspector.close, close: inspector.close });
  try {
    const url = view === '' ? inspector.url : `${inspector.url}&${new URLSearchParams(view)}`;
    await world.out.write(`${url}\n`);
    await world.err.write(
      'Open this address; only who has it sees the session. Ctrl-C ends it, and so do ten minutes without a page.\n',
    );
    if (flags.open === true) openBrowser(url);
    await inspector.closed;
  } finally {
    forget();
    inspector.close();
  }
  return EXIT.success;
}

/** Where there is none, the printed address is left. */
function openBrowser(url: string): void {
  const { platform } = process;
  const [program = '', ...args] =
    platform === 'darwin' ? ['open', url] : platform === 'win32' ? ['explorer', url] : ['xdg-open', url];
  spawn(program, args, { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
