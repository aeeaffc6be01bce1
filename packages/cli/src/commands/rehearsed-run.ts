/** One run against a rehearsal on this machine, with a report at its end. */
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Options, sessionDecisions } from '@turnwright/engine';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import type { RehearsalServer } from '@turnwright/testing/rehearsal';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { RunFlags } from '../flags/run-flags.ts';
import { both, createPrinter } from '../run/print.ts';
import { withNotices } from '../run/print-notices.ts';
import { PrintedRun } from '../run/printed-run.ts';
import { createRunNotes } from '../run/run-notes.ts';
import { optionsFrom, type RunContext } from '../run/run-options.ts';
import { runQuery } from '../run/run-query.ts';
import { reportRows } from '../run/run-report.ts';
import { type Env, type World, warnOn } from '../world.ts';

/** API key of a rehearsal, which requires one like the real API. */
export const REHEARSAL_KEY = 'rehearsal';

/** A folder for this run, in the system's temporary folder. */
export async function makeRunFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'turnwright-'));
}

interface RehearsedRun {
  readonly world: World;
  readonly server: RehearsalServer;
  readonly flags: RunFlags;
  readonly prompt: string;
  readonly cwd: string;
  /** Home of the session, separate from sessions with real models. */
  readonly sessionHome: string;
  /** Added to the caller's environment. */
  readonly env?: Env;
  /** The caller's variables that change how an engine works do not count either, so each run is the same. */
  readonly isUntouched?: boolean;
  /** Lines before the run, and before its figures at the end. */
  readonly before?: readonly string[];
  readonly after?: readonly (readonly [string, string])[];
}

export async function runRehearsed(run: RehearsedRun): Promise<ExitCode> {
  await mkdir(run.sessionHome, { recursive: true });
  const quiet = run.flags.print === true || run.flags.outputFormat !== 'text';
  return quiet ? runQuietly(run) : runShown(run);
}

/** Prints the answer only; problems of the scenario go to stderr. */
async function runQuietly(run: RehearsedRun): Promise<ExitCode> {
  const { world, server, flags } = run;
  const { code } = await runQuery({
    prompt: run.prompt,
    options: buildOptions(run, {
      partials: flags.options.includePartialMessages === true,
      canUseTool: undefined,
      warn: warnOn(world),
    }),
    sink: withNotices(createPrinter(flags.outputFormat, world.out, world.err), {
      warn: warnOn(world),
      // The faults are those of the scenario.
      course: false,
      denials: flags.outputFormat === 'text',
      nowMs: () => performance.now(),
    }),
    signals: world.signals,
  });
  const problems = listProblems(server);
  if (problems.length === 0) return code;
  await world.err.write(`${problems.join('\n')}\n`);
  return code === EXIT.success ? EXIT.error : code;
}

async function runShown(run: RehearsedRun): Promise<ExitCode> {
  const { world, server, flags, sessionHome, cwd } = run;
  const shown = await PrintedRun.open(world, {
    verbose: flags.verbose === true,
    speaks: flags.screenReader === true,
    summary: false,
  });
  const { theme } = shown;
  for (const line of run.before ?? []) await shown.prose(line);
  const notes = createRunNotes();
  const { result, code } = await runQuery({
    prompt: run.prompt,
    options: {
      ...buildOptions(run, { partials: true, canUseTool: shown.canUseTool, warn: shown.warn }),
      onMcpWait: shown.onMcpWait,
    },
    sink: both(notes, shown),
    signals: world.signals,
  });
  const { sessionId } = notes;
  if (result !== undefined && sessionId !== undefined) {
    const env = { TURNWRIGHT_HOME: sessionHome };
    // A session that is not persisted has no records.
    const decisions = await sessionDecisions(sessionId, { cwd, env }).catch(() => []);
    await shown.line('');
    await shown.line(theme.bold('What the engine did'));
    const did = reportRows({ result, notes, decisions, statuses: listStatuses(server) });
    for (const [name, value] of did) await shown.prose(row(name, value, theme), ' '.repeat(NAME_COLUMNS + 3));
    const why = `TURNWRIGHT_HOME=${sessionHome} ${calledAs(world.env)} explain ${sessionId}`;
    // Paths and commands are copied, so the terminal wraps them.
    for (const [name, value] of [...(run.after ?? []), ['read why', why] as const])
      await shown.line(row(name, value, theme));
  }
  const problems = listProblems(server);
  for (const problem of problems) await shown.prose(theme.bad(`✗ ${problem}`));
  for (const unused of listUnusedReplies(server)) await shown.prose(theme.warn(`! ${unused}`));
  return problems.length > 0 && code === EXIT.success ? EXIT.error : code;
}

function buildOptions(run: RehearsedRun, context: Omit<RunContext, 'cwd' | 'env'>): Options {
  const env = { ...rehearsalEnv(run), ...run.env };
  return {
    ...optionsFrom(run.flags, { cwd: run.cwd, env, ...context }),
    engine: { home: run.sessionHome },
  };
}

/** Variables that would choose another endpoint. */
const ELSEWHERE = /^ANTHROPIC_|^CLAUDE_CODE_USE_|_PROXY$/i;
/** Variables that change how an engine works. */
const OF_AN_ENGINE = /^(?:CLAUDE|TURNWRIGHT|BASH|MCP|API|MAX|DISABLE|ENABLE)_/;

/** The caller's environment, with the rehearsal as the only endpoint. */
function rehearsalEnv({ world, server, isUntouched = false }: RehearsedRun): Env {
  const kept = Object.entries(world.env).filter(
    ([name]) => !ELSEWHERE.test(name) && !(isUntouched && OF_AN_ENGINE.test(name)),
  );
  return { ...Object.fromEntries(kept), ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: REHEARSAL_KEY };
}

/** How the user can call the program again: npm scripts find it, a shell may not. */
function calledAs(env: Env): string {
  return env['npm_lifecycle_event'] === undefined ? 'turnwright' : 'npx turnwright';
}

const NAME_COLUMNS = 13;

const row = (name: string, value: string, theme: Theme): string =>
  `  ${theme.dim(name.padEnd(NAME_COLUMNS))} ${value}`;

/** Requests that the judge refused, or that had no reply. */
export function listProblems(server: RehearsalServer): string[] {
  const { rejected, unanswered } = server.report();
  return [
    ...rejected.map(({ request, rule, message }) => `request ${request} was refused (${rule}): ${message}`),
    ...unanswered.map(({ message }) => message),
  ];
}

export function listUnusedReplies(server: RehearsalServer): string[] {
  return server.report().unusedReplies.map(({ scenario, reply }) => `${scenario}: ${reply} was never used`);
}

function listStatuses(server: RehearsalServer): number[] {
  const asked = new Set(
    server.requests.filter(({ path }) => path === '/v1/messages').map(({ number }) => number),
  );
  return server.timeline.flatMap((event) =>
    event.kind === 'headers_sent' && asked.has(event.request) ? [event.status] : [],
  );
}
