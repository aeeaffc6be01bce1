/** Entry point of the command line. Mistakes of the user get a sentence, never a stack trace. */

import { errorText } from '@turnwright/base/text/error-text.ts';
import { PROTOCOL_VERSION, TurnwrightError, type TurnwrightErrorCode, VERSION } from '@turnwright/engine';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { fileProblem } from './file-problem.ts';
import { type Invocation, parseArgs } from './flags/args.ts';
import { OutputClosed } from './output.ts';
import { UsageError } from './usage-error.ts';
import { createWorld, type World } from './world.ts';

/** The program's own version first; that of the protocol is the one that its clients name. */
export const VERSION_LINE = `Turnwright ${VERSION} (protocol ${PROTOCOL_VERSION})`;

/** Runs the command line and ends the process with its exit code. `argv` is without node and script. */
export async function main(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  const world = createWorld(process);
  const fail = (error: unknown) => void report(error, world).then(world.signals.depart);
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  process.once('beforeExit', () => fail(new Error(DRAINED)));
  const code = await runCommandLine(argv, world);
  if (!world.signals.leaving) world.exit(code);
}

/** What `main` does between start and end of a process: an error becomes a sentence and an exit code. */
export async function runCommandLine(argv: readonly string[], world: World): Promise<ExitCode> {
  try {
    const invocation = readArgs(argv);
    return await dispatch(namesId(invocation) ? await wholeId(invocation, world) : invocation, world);
  } catch (error) {
    return await report(error, world);
  }
}

/**
 * Nothing keeps the process alive, although the command has not ended: without this it would look like a
 * success.
 */
const DRAINED =
  'The command stopped before it was done: nothing was left to wait for. This is a defect. A session that was running is recorded: turnwright --continue continues it.';

/** Errors in the arguments refer to the help text. */
function readArgs(argv: readonly string[]): Invocation {
  try {
    return parseArgs(argv, VERSION_LINE);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.message}\nSee ${error.command} --help.`);
  }
}

/** Whether a session is named, perhaps by the beginning of its id. */
const namesId = (call: Invocation): boolean =>
  (call.command === 'run' && call.flags.options.resume !== undefined) ||
  (call.command === 'sessions' && call.words.length > 0) ||
  (call.command === 'policy' && call.sessions.length > 0) ||
  ('session' in call && call.session !== undefined);

const wholeId = async (call: Invocation, world: World): Promise<Invocation> =>
  (await import('./commands/whole-id.ts')).withWholeId(call, world);

/** Each command is loaded when it is called: version and help need none. */
async function dispatch(invocation: Invocation, world: World): Promise<ExitCode> {
  switch (invocation.command) {
    case 'say':
      await world.out.write(invocation.text.endsWith('\n') ? invocation.text : `${invocation.text}\n`);
      return EXIT.success;
    case 'run':
      return (await import('./commands/run-command.ts')).runPromptCommand(
        world,
        invocation.words,
        invocation.flags,
      );
    case 'start':
      return (await import('./commands/bundled-run.ts')).runStartCommand(
        world,
        invocation.words,
        invocation.flags,
      );
    case 'rehearse':
      return (await import('./commands/rehearse-command.ts')).runRehearseCommand(world, invocation);
    case 'explain':
      return (await import('./commands/explain-command.ts')).runExplainCommand(world, invocation);
    case 'inspect':
      return (await import('./inspect/inspect-command.ts')).runInspectCommand(world, invocation);
    case 'context':
      return (await import('./commands/context-command.ts')).runContextCommand(world, invocation.session);
    case 'replay':
      return (await import('./commands/replay-command.ts')).runReplayCommand(world, invocation);
    case 'record':
      return (await import('./commands/record-command.ts')).runRecordCommand(world, invocation);
    case 'eval':
      return (await import('./evals/eval-command.ts')).runEvalCommand(world, invocation);
    case 'case':
      return (await import('./evals/case-command.ts')).runCaseCommand(world, invocation);
    case 'fork':
      return (await import('./forking/fork-command.ts')).runForkCommand(world, invocation);
    case 'worktree':
      return (await import('./worktrees/worktree-command.ts')).runWorktreeCommand(world, invocation);
    case 'policy':
      return (await import('./commands/policy-command.ts')).runPolicyCommand(world, invocation);
    case 'cost':
      return (await import('./commands/cost-command.ts')).runCostCommand(world, invocation);
    case 'models':
      return (await import('./commands/models-command.ts')).runModelsCommand(world, invocation);
    case 'sessions':
      return (await import('./commands/sessions-command.ts')).runSessionsCommand(world, invocation);
    case 'auth':
      return (await import('./commands/auth-command.ts')).runAuthCommand(world, invocation.json);
    case 'login':
      return (await import('./commands/login-command.ts')).runLoginCommand(world, invocation);
    case 'logout':
      return (await import('./commands/login-command.ts')).runLogoutCommand(world, invocation);
    case 'init':
      return (await import('./init/init-command.ts')).runInitCommand(world, invocation);
    case 'trust':
      return (await import('./commands/trust-command.ts')).runTrustCommand(world, invocation);
    case 'mcp':
      return (await import('./commands/mcp-command.ts')).runMcpCommand(world, invocation);
    case 'durable':
      return (await import('./durable/durable-command.ts')).runDurableCommand(world, invocation);
    case 'worker':
      return (await import('./durable/worker-command.ts')).runWorkerCommand(world, invocation);
    case 'send':
      return (await import('./durable/send-command.ts')).runSendCommand(world, invocation);
    case 'answer':
      return (await import('./durable/answer-command.ts')).runAnswerCommand(world, invocation);
    case 'doctor':
      return (await import('./commands/doctor-command.ts')).runDoctorCommand(world);
  }
}

async function report(error: unknown, world: World): Promise<ExitCode> {
  if (world.signals.leaving) return EXIT.error;
  if (error instanceof OutputClosed || isTerminalGone(error)) return EXIT.outputClosed;
  const usage = isMistake(error);
  const text = fileProblem(error) ?? errorText(error);
  const lines = [`turnwright: ${text}`];
  if (!usage && world.env['TURNWRIGHT_DEBUG'] === '1') lines.push(detail(error));
  else if (!usage) lines.push('Set TURNWRIGHT_DEBUG=1 for more detail.');
  await world.err.write(`${lines.join('\n')}\n`).catch(() => undefined);
  return usage ? EXIT.usage : EXIT.error;
}

/** A question was open on a terminal that was closed. */
function isTerminalGone(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'setRawMode';
}

/** Mistakes of the caller, as opposed to failures. */
const MISTAKES: readonly TurnwrightErrorCode[] = [
  'invalid_option',
  'invalid_settings',
  'invalid_scenario',
  'session_not_found',
  'session_in_use',
  'unpriced_model',
];

function isMistake(error: unknown): boolean {
  return error instanceof UsageError || (error instanceof TurnwrightError && MISTAKES.includes(error.code));
}

/** The error with its stack, and its causes. */
function detail(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${detail(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
