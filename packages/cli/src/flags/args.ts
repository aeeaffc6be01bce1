/**
 * Parses the command line. Errors are `UsageError`s whose sentence says what is valid.
 */
import { Command, CommanderError, Option } from 'commander';
import { UsageError } from '../usage-error.ts';
import { addWorktreeCommand, type WorktreeInvocation } from '../worktrees/worktree-flags.ts';
import { completionScript } from './completion-script.ts';
import { addDurableCommands, type DatabaseInvocation } from './durable-flags.ts';
import {
  addEvalCommands,
  type CaseInvocation,
  EVAL_COMMANDS,
  type EvalInvocation,
  parseEvalArgs,
} from './eval-flags.ts';
import { appended, fraction, parseWholeNumber, port } from './flag-values.ts';
import { foreignFlagAdvice } from './foreign-flags.ts';
import { asFlags, rejectForeignWord } from './foreign-words.ts';
import { addForkCommand, type ForkInvocation } from './fork-flags.ts';
import {
  addExplainCommand,
  addInspectCommand,
  type ExplainInvocation,
  type InspectInvocation,
} from './inspect-flags.ts';
import { addLoginCommands, type LoginInvocation, type LogoutInvocation } from './login-flags.ts';
import { addMcpCommand, type McpInvocation, parseMcpArgs } from './mcp-flags.ts';
import { addPolicyCommand, type PolicyInvocation } from './policy-flags.ts';
import {
  addRecordCommand,
  addReplayCommand,
  type RecordInvocation,
  type ReplayInvocation,
} from './replay-flags.ts';
import { addRunFlags, type RunFlags, runFlags } from './run-flags.ts';
import { addSessionsCommand, type SessionsInvocation } from './sessions-flags.ts';
import { addTrustCommand, type TrustInvocation } from './trust-flags.ts';

interface RehearseFlags {
  readonly serve?: true;
  readonly port?: number;
  /** Seed of the faults. */
  readonly chaos?: number;
  /** Share of requests with a fault. */
  readonly rate?: number;
  readonly lenient?: readonly string[];
}

export type Invocation =
  | { readonly command: 'run'; readonly words: readonly string[]; readonly flags: RunFlags }
  | { readonly command: 'start'; readonly words: readonly string[]; readonly flags: RunFlags }
  | {
      readonly command: 'rehearse';
      readonly scenario: string;
      readonly words: readonly string[];
      readonly flags: RunFlags & RehearseFlags;
    }
  | ExplainInvocation
  | InspectInvocation
  | { readonly command: 'context'; readonly session: string | undefined }
  | { readonly command: 'models'; readonly json: boolean }
  | RecordInvocation
  | PolicyInvocation
  | ReplayInvocation
  | EvalInvocation
  | CaseInvocation
  | ForkInvocation
  | {
      readonly command: 'cost';
      readonly session: string | undefined;
      readonly json: boolean;
      readonly by: CostColumn | undefined;
    }
  | SessionsInvocation
  | DatabaseInvocation
  | { readonly command: 'doctor' }
  | { readonly command: 'init'; readonly local: boolean }
  | TrustInvocation
  | WorktreeInvocation
  | McpInvocation
  | { readonly command: 'auth'; readonly json: boolean }
  | LoginInvocation
  | LogoutInvocation
  /** Help or version: a text to print. */
  | { readonly command: 'say'; readonly text: string };

/** `argv` without node and script. `version`: the line that `--version` prints. */
export function parseArgs(argv: readonly string[], version: string): Invocation {
  let invocation: Invocation | undefined;
  let said = '';
  const quiet = () =>
    new Command('turnwright').exitOverride().configureOutput({
      writeOut: (text) => {
        said += text;
      },
      writeErr: () => undefined,
    });
  const program = quiet()
    .description('Drives a model through tools until the task is done, and says why it stopped.')
    .usage('[flags] [task]\n       turnwright <command> …')
    .argument('[task...]', 'what to do; text piped in is added to it')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name() });
  addRunFlags(program.addHelpText('after', EPILOGUE));
  program.action((words: string[], given: object) => {
    const flags = runFlags(given);
    if (flags.print !== true && !argv.includes('--')) {
      rejectForeignWord(words);
      rejectMistypedCommand(words, commandNames(program));
    }
    invocation = { command: 'run', words: words.map(unquoted), flags };
  });

  const subcommand = (name: string, does: string) =>
    program.command(name).description(does).helpOption('-h, --help', 'print this help');
  const onCall = (call: Invocation) => {
    invocation = call;
  };
  subcommand('completion', 'print what completes commands and flags in your shell')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) => {
      invocation = { command: 'say', text: completionScript(shell, program) };
    });
  addRehearsedCommands(subcommand, onCall);
  addReportCommands(subcommand, onCall);
  addSessionsCommand(
    subcommand('sessions', 'list, show, rename, tag, fork or delete sessions, or erase a text from one'),
    ({ words, ...call }) => {
      invocation = { ...call, words: words.map(unquoted) };
    },
  );
  addAuthCommand(subcommand, onCall);
  addLoginCommands(subcommand, onCall);
  subcommand('init', 'write a settings file for this folder, with every common key explained')
    .option('--local', 'the one for you alone, which is not committed')
    .action(({ local }: { local?: true }) => {
      invocation = { command: 'init', local: local === true };
    });
  addTrustCommand(subcommand('trust', "let this folder's settings take effect as they are now"), onCall);
  addMcpCommand(program, onCall);
  addEvalCommands(program, onCall);
  addDurableCommands(subcommand, (call) =>
    onCall(call.command === 'send' ? { ...call, words: call.words.map(unquoted) } : call),
  );
  subcommand('doctor', 'check what Turnwright needs on this machine').action(() => {
    invocation = { command: 'doctor' };
  });

  const names = commandNames(program);
  try {
    const words = asFlags(withPicker(argv.map(inOneSpelling)), names);
    if (words[0] === 'mcp') parseMcpArgs(quiet(), words, onCall);
    else if (EVAL_COMMANDS.includes(words[0])) parseEvalArgs(quiet(), words, onCall);
    else program.parse(quoteTask(words, names), { from: 'user' });
    if (invocation !== undefined && !RUNS.includes(invocation.command))
      rejectRunFlags(program, invocation.command);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return { command: 'say', text: said };
    throw ofCommand(error, argv, names);
  }
  return invocation ?? { command: 'say', text: program.helpInformation() };
}

/** Its own help says more than that of the program. */
function ofCommand(error: unknown, [first = '']: readonly string[], names: readonly string[]): unknown {
  const whose = names.includes(first) ? `turnwright ${first}` : 'turnwright';
  if (error instanceof CommanderError) return new UsageError(sentence(error.message), whose);
  return error instanceof UsageError ? new UsageError(error.message, whose) : error;
}

type Subcommand = (name: string, does: string) => Command;
type OnCall = (invocation: Invocation) => void;

function addRehearsedCommands(subcommand: Subcommand, onCall: OnCall): void {
  subcommand('start', 'play a whole run against a rehearsed model')
    .argument('[task...]', 'of your own; it needs a model, so the rehearsed one is played')
    .action((words: string[], _flags: unknown, command: Command) => {
      onCall({
        command: 'start',
        words: words.map(unquoted),
        flags: runFlags(command.optsWithGlobals()),
      });
    });
  addRehearseFlags(subcommand('rehearse', 'run a task against a scripted model on this machine'))
    .argument('<scenario>', 'a scenario file (.yaml, .json, .js), or `bundled`')
    .argument('[task...]', 'what to do')
    .action((scenario: string, words: string[], _flags: unknown, command: Command) => {
      onCall({
        command: 'rehearse',
        scenario: unquoted(scenario),
        words: words.map(unquoted),
        flags: { ...command.opts<RehearseFlags>(), ...runFlags(command.optsWithGlobals()) },
      });
    });
}

/** What says something about a session or the models, and changes nothing. */
function addReportCommands(subcommand: Subcommand, onCall: OnCall): void {
  addExplainCommand(subcommand('explain', 'say why each step of a session ended as it did'), (call) =>
    onCall({ ...call, session: call.session && unquoted(call.session) }),
  );
  addInspectCommand(
    subcommand('inspect', 'show a session on a page of this machine: what it did, why, and what it cost'),
    (call) => onCall({ ...call, session: call.session && unquoted(call.session) }),
  );
  subcommand('context', 'say what fills the context of a session')
    .argument('[session]', 'id of a session; default the newest of this folder')
    .action((session: string | undefined) => {
      onCall({ command: 'context', session: session && unquoted(session) });
    });
  subcommand('cost', 'say what a session has cost, by model, agent and purpose')
    .argument('[session]', 'id of a session; default the newest of this folder')
    .addOption(new Option('--by <what>', 'one row for each of them').choices(COST_COLUMNS))
    .option('--json', 'as JSON')
    .action((session: string | undefined, { json, by }: { json?: true; by?: CostColumn }) => {
      onCall({ command: 'cost', session: session && unquoted(session), json: json === true, by });
    });
  addReplayCommand(
    subcommand('replay', 'run a session again from its record, and say whether it decides the same'),
    (call) => onCall({ ...call, session: call.session && unquoted(call.session) }),
  );
  addRecordCommand(
    subcommand('record', 'write a session as a scenario, which turnwright rehearse plays'),
    (call) => onCall({ ...call, session: call.session && unquoted(call.session) }),
  );
  addForkCommand(
    subcommand('fork', 'go on from a step of a session, in one or several ways, and compare how they ended'),
    (call) => onCall({ ...call, session: call.session && unquoted(call.session) }),
  );
  addWorktreeCommand(
    subcommand('worktree', 'list what runs have left in git worktrees; compare, apply, keep or drop it'),
    ({ name, ...call }) => onCall({ ...call, name: unquoted(name) }),
  );
  addPolicyCommand(
    subcommand('policy', 'say what other permission rules would have made of recorded calls'),
    ({ settings, sessions, flags, ...call }) =>
      onCall({ ...call, settings: settings && unquoted(settings), sessions: sessions.map(unquoted), flags }),
  );
  subcommand('models', 'list the models of the configured endpoint, with sizes and prices')
    .option('--json', 'as JSON')
    .action(({ json }: { json?: true }) => {
      onCall({ command: 'models', json: json === true });
    });
}

function addAuthCommand(subcommand: Subcommand, onCall: OnCall): void {
  subcommand('auth', 'say with which credentials a run would ask its model')
    .argument('<what>', 'status')
    .option('--json', 'as JSON')
    .action((what: string, { json }: { json?: true }) => {
      if (what !== 'status') throw new UsageError('The one thing to ask of auth is its status.');
      onCall({ command: 'auth', json: json === true });
    });
}

/** What rows of a cost can be added up by. */
const COST_COLUMNS = ['model', 'agent', 'purpose'] as const;
export type CostColumn = (typeof COST_COLUMNS)[number];

/** Otherwise `turnwright docter` would be sent to a model as a task, which costs money. */
function rejectMistypedCommand(words: readonly string[], names: readonly string[]): void {
  const [word, ...more] = words;
  if (word === undefined || more.length > 0) return;
  const meant = names.find((name) => isTypo(word.toLowerCase(), name));
  if (meant === undefined) return;
  throw new UsageError(
    `There is no command '${word}' (did you mean ${meant}?). As a task: turnwright -- ${word}`,
  );
}

/** One letter changed, added, left out, or two neighbours swapped. */
function isTypo(word: string, name: string): boolean {
  if (Math.abs(word.length - name.length) > 1) return false;
  let same = 0;
  while (same < name.length && word[same] === name[same]) same++;
  const [rest, wanted] = [word.slice(same), name.slice(same)];
  const swapped = `${rest[1] ?? ''}${rest[0] ?? ''}${rest.slice(2)}`;
  return [
    rest.slice(1) === wanted.slice(1),
    rest.slice(1) === wanted,
    rest === wanted.slice(1),
    swapped === wanted,
  ].includes(true);
}

const RUNS: readonly Invocation['command'][] = ['run', 'start', 'rehearse', 'fork', 'say'];

/** Commander accepts the flags of a run before and after any command. */
function rejectRunFlags(program: Command, command: string): void {
  for (const option of program.options)
    if (program.getOptionValueSource(option.attributeName()) === 'cli')
      throw new UsageError(`${option.long ?? option.flags} means nothing for ${command}.`);
}

const EPILOGUE = `
Exit codes: 0 success; 1 the run failed; 2 the call cannot run as written (also:
no model is configured); 129 SIGHUP, 130 Ctrl-C, 143 SIGTERM; 141 the reader of
stdout left.
Environment: ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, ANTHROPIC_BASE_URL,
ANTHROPIC_MODEL; TURNWRIGHT_HOME; NO_COLOR, FORCE_COLOR; TURNWRIGHT_DEBUG=1 for
stack traces.
More flags, for programs and rarer cases: docs/cli.md, docs/compatibility.md.`;

function addRehearseFlags(command: Command): Command {
  command.option('--serve', 'only listen, and say how to point a client here');
  command.addOption(new Option('--port <port>', 'listen here (default any free one)').argParser(port));
  command.addOption(
    new Option('--chaos <seed>', 'add faults, the same for the same seed').argParser(parseWholeNumber),
  );
  command.addOption(
    new Option('--rate <share>', 'of requests that meet a fault (with --chaos; default 0.1)').argParser(
      fraction,
    ),
  );
  command.addOption(
    new Option('--lenient <rules...>', 'do not enforce these rules of the API').argParser(appended),
  );
  return command;
}

/** Converts flags with two spellings to the one that the help shows. */
function inOneSpelling(word: string): string {
  return word === '--ax-screen-reader'
    ? '--screen-reader'
    : word.replace(/^--(allowed|disallowed)-tools(?==|$)/, '--$1Tools');
}

/** `--resume` without an id lets the person choose one. */
function withPicker(argv: readonly string[]): readonly string[] {
  const task = argv.indexOf('--');
  const flags = task < 0 ? argv : argv.slice(0, task);
  const isAlone = (at: number) => argv[at + 1]?.startsWith('-') ?? true;
  return [
    ...flags.map((word, at) =>
      (word === '-r' || word === '--resume') && isAlone(at) ? '--pick-session' : word,
    ),
    ...argv.slice(flags.length),
  ];
}

/** Prefix of a word that is not a command; no argument of a process can contain it. */
const QUOTE = '\0';

/**
 * The task follows `--`. Quotes its first word if that is the name of a command, which commander would run.
 */
function quoteTask(argv: readonly string[], names: readonly string[]): string[] {
  const first = argv.indexOf('--') + 1;
  return argv.map((word, at) => (first > 0 && at === first && names.includes(word) ? QUOTE + word : word));
}

function unquoted(word: string): string {
  return word.startsWith(QUOTE) ? word.slice(QUOTE.length) : word;
}

function commandNames(program: Command): readonly string[] {
  return program.commands.map((command) => command.name());
}

/** Commander's `error: unknown option '--modle'\n(Did you mean --model?)`, as a sentence. */
function sentence(message: string): string {
  const advice = foreignFlagAdvice(message);
  if (advice !== undefined) return advice;
  const text = message.replace(/^error: /, '').replace(/\n\(Did you mean (.*)\?\)$/s, ' (did you mean $1?)');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!)]$/.test(text) ? '' : '.'}`;
}
