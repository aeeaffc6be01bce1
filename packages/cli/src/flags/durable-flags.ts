/** The flags of the commands about sessions in a database: `durable`, `worker`, `send`, `answer`. */
import { type Command, Option } from 'commander';
import { UsageError } from '../usage-error.ts';
import { jsonObject, orNone, port, positiveInteger, positiveNumber } from './flag-values.ts';

/** What `turnwright durable` can be asked to do. */
const DURABLE_ACTIONS = ['migrate', 'status', 'doctor', 'prune', 'archive', 'limits'] as const;
export type DurableAction = (typeof DURABLE_ACTIONS)[number];
/** What it can be asked to do with one session, and with workers. */
const SESSION_ACTIONS = ['show', 'retry', 'release', 'move', 'cancel', 'delete', 'restore'] as const;
const WORKER_ACTIONS = ['cordon'] as const;
const CARING_ACTIONS = [...SESSION_ACTIONS, ...WORKER_ACTIONS];
export type CaringAction = (typeof CARING_ACTIONS)[number];
const ALL_ACTIONS = [...DURABLE_ACTIONS, ...CARING_ACTIONS];

export interface DurableInvocation {
  readonly command: 'durable';
  readonly action: DurableAction | CaringAction;
  /**
   * For a `CaringAction`: id of the session or worker, or the beginning of it; or a host. For `limits`: a
   * tenant.
   */
  readonly which?: string | undefined;
  readonly flags: LimitFlags & {
    readonly db?: string;
    readonly check?: true;
    readonly inside?: true;
    readonly json?: true;
    readonly olderThan?: number;
    readonly archive?: string;
  };
}

/** Figures of a tenant: `none` removes one. */
export interface LimitFlags {
  readonly sessions?: number | 'none';
  readonly runs?: number | 'none';
  readonly usdPerDay?: number | 'none';
  readonly requestsPerMinute?: number | 'none';
  readonly tokensPerMinute?: number | 'none';
}

export interface WorkerInvocation {
  readonly command: 'worker';
  /** A JavaScript file. */
  readonly module: string;
  readonly flags: {
    readonly db?: string;
    /** The same database without a pooler. */
    readonly direct?: string;
    /** Runs at the same time. */
    readonly concurrency?: number;
    /** Port of the health endpoint; `false`: there is none. */
    readonly health?: number | false;
    readonly healthHost?: string;
    /** Seconds that running sessions may take to end after SIGTERM. */
    readonly drain?: number;
    /** How what it says is written to stderr; default `lines`. */
    readonly log?: 'lines' | 'json';
  };
}

export interface SendInvocation {
  readonly command: 'send';
  readonly session: string;
  readonly words: readonly string[];
  readonly flags: {
    readonly db?: string;
    readonly follow?: true;
    readonly from?: string;
    readonly interrupt?: true;
    readonly archive?: string;
    readonly key?: string;
    readonly tenant?: string;
    readonly json?: true;
  };
}

export interface AnswerInvocation {
  readonly command: 'answer';
  readonly session: string;
  readonly ask: string;
  readonly behavior: 'allow' | 'deny';
  readonly flags: {
    readonly db?: string;
    readonly message?: string;
    readonly input?: Readonly<Record<string, unknown>>;
  };
}

export type DatabaseInvocation = DurableInvocation | WorkerInvocation | SendInvocation | AnswerInvocation;

export const isCaringAction = (action: string): action is CaringAction =>
  (CARING_ACTIONS as readonly string[]).includes(action);

const DATABASE = ['--db <url>', 'the Postgres database (default: the variable TURNWRIGHT_DB)'] as const;

const limitOption = (flag: string, what: string, parse: (word: string) => number): Option =>
  new Option(flag, `limits: ${what}, or none`).argParser(orNone(parse));

const LIMIT_FLAGS: Readonly<Record<keyof LimitFlags, string>> = {
  sessions: '--sessions',
  runs: '--runs',
  usdPerDay: '--usd-per-day',
  requestsPerMinute: '--requests-per-minute',
  tokensPerMinute: '--tokens-per-minute',
};

/** Figures belong to a tenant, and to no other action. */
function refuseLimits(action: string, which: string | undefined, flags: LimitFlags): void {
  const [given] = Object.entries(LIMIT_FLAGS).filter(
    ([name]) => flags[name as keyof LimitFlags] !== undefined,
  );
  if (given === undefined || (action === 'limits' && which !== undefined)) return;
  const usage = `turnwright durable limits <tenant or *> ${given[1]} <figure>`;
  throw new UsageError(
    action === 'limits' ? `Say whose limit it is: ${usage}` : `${given[1]} goes with "limits" only: ${usage}`,
  );
}
const ARCHIVE = [
  '--archive <folder>',
  'where archived sessions are (default: the variable TURNWRIGHT_ARCHIVE)',
] as const;

type Subcommand = (name: string, does: string) => Command;
type OnCall = (invocation: DatabaseInvocation) => void;

export function addDurableCommands(subcommand: Subcommand, onCall: OnCall): void {
  addDurableCommand(subcommand, onCall);
  addWorkerCommand(subcommand, onCall);
  addSendCommand(subcommand, onCall);
  addAnswerCommand(subcommand, onCall);
}

function addDurableCommand(subcommand: Subcommand, onCall: OnCall): void {
  subcommand('durable', 'make or check the tables for sessions in Postgres, and care for the sessions')
    .argument('<action>', `${ALL_ACTIONS.slice(0, -1).join(', ')} or ${ALL_ACTIONS.at(-1)}`)
    .argument(
      '[which]',
      `${SESSION_ACTIONS.join(', ')}: id of the session; cordon: of a worker, or a host; limits: a tenant, or * for each without figures of its own`,
    )
    .option(...DATABASE)
    .option('--check', 'migrate: only say what would be done; exits with 3 when something would be')
    .option('--json', 'status, show, limits: as JSON')
    .option(...ARCHIVE)
    .option('--inside', 'prune: what sessions that go on do not need any more, and no session')
    .addOption(
      new Option(
        '--older-than <days>',
        'prune, archive: sessions without a change for so many days; --inside: what is older in those that go on',
      ).argParser(positiveInteger),
    )
    .addOption(limitOption('--sessions <n>', 'sessions that it may have', positiveInteger))
    .addOption(limitOption('--runs <n>', 'runs at the same time', positiveInteger))
    .addOption(limitOption('--usd-per-day <usd>', 'cost of its model requests in a UTC day', positiveNumber))
    .addOption(limitOption('--requests-per-minute <n>', 'model requests', positiveInteger))
    .addOption(limitOption('--tokens-per-minute <n>', 'tokens of model requests', positiveInteger))
    .action((action: string, which: string | undefined, flags: DurableInvocation['flags']) => {
      const known = ALL_ACTIONS.find((each) => each === action);
      if (known === undefined)
        throw new UsageError(`There is no "durable ${action}". There are: ${ALL_ACTIONS.join(', ')}.`);
      const what = known === 'cordon' ? 'worker or host' : 'session';
      refuseLimits(known, which, flags);
      if (known !== 'limits' && isCaringAction(known) !== (which !== undefined))
        throw new UsageError(
          which === undefined
            ? `Name the ${what}: turnwright durable ${action} <${what}>`
            : `"durable ${action}" is about the whole database, and not about "${which}".`,
        );
      onCall({ command: 'durable', action: known, which, flags });
    });
}

function addWorkerCommand(subcommand: Subcommand, onCall: OnCall): void {
  subcommand('worker', 'run the sessions of a database, with the agent that a module describes')
    .argument('<module>', 'a JavaScript file whose default export holds the options of the agent')
    .option(...DATABASE)
    .option(
      '--direct <url>',
      'the same database without a pooler, if --db is one (default: the variable TURNWRIGHT_DB_DIRECT)',
    )
    .addOption(new Option('--concurrency <n>', 'sessions at the same time').argParser(positiveInteger))
    .addOption(
      new Option(
        '--health <port>',
        'serve /healthz and /metrics here (default 9464, or any free port)',
      ).argParser(port),
    )
    .option('--no-health', 'serve neither')
    .option('--health-host <address>', 'listen on this address (default 127.0.0.1)')
    .addOption(
      new Option('--drain <seconds>', 'after SIGTERM, wait so long for what runs (default 30)').argParser(
        positiveInteger,
      ),
    )
    .addOption(
      new Option(
        '--log <form>',
        'lines for people, or one JSON object for each, with session, run and tenant',
      ).choices(['lines', 'json']),
    )
    .action((module: string, flags: WorkerInvocation['flags']) =>
      onCall({ command: 'worker', module, flags }),
    );
}

function addSendCommand(subcommand: Subcommand, onCall: OnCall): void {
  subcommand('send', 'send a prompt to a session in a database, follow it, or interrupt it')
    .argument('<session>', 'id of a session; a new one begins with its first prompt')
    .argument('[text...]', 'the prompt')
    .option(...DATABASE)
    .option('--follow', 'print what the session says, until it has answered')
    .option('--from <cursor>', 'with --follow: go on behind this place')
    .option('--interrupt', 'interrupt what runs')
    .option(...ARCHIVE)
    .option('--key <key>', 'sending twice under one key sends once')
    .option('--tenant <name>', 'whose limits the session counts against')
    .option('--json', 'with --follow: one JSON object for each message, with its cursor')
    .action((session: string, words: string[], flags: SendInvocation['flags']) =>
      onCall({ command: 'send', session, words, flags }),
    );
}

function addAnswerCommand(subcommand: Subcommand, onCall: OnCall): void {
  subcommand('answer', 'answer a question that a session in a database waits for')
    .argument('<session>', 'id of the session')
    .argument('<ask>', 'id of the question, as --follow prints it')
    .argument('<allow|deny>', 'the answer')
    .option(...DATABASE)
    .option('--message <text>', 'deny: what the model is told')
    .addOption(
      new Option('--input <json>', 'allow: run the call with this input instead').argParser(jsonObject),
    )
    .action((session: string, ask: string, behavior: string, flags: AnswerInvocation['flags']) => {
      if (behavior !== 'allow' && behavior !== 'deny')
        throw new UsageError(`The answer is allow or deny, not "${behavior}".`);
      onCall({ command: 'answer', session, ask, behavior, flags });
    });
}
