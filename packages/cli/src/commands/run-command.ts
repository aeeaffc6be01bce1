/** `turnwright [task]`: prints the answer, or opens a conversation on a terminal. */
import { describeTerminal, sessionDecisions } from '@turnwright/engine';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { checkFlags } from '../flags/check-flags.ts';
import type { RunFlags } from '../flags/run-flags.ts';
import { modelSource, notConfigured } from '../run/configured.ts';
import { both, createPrinter, expendable } from '../run/print.ts';
import { withNotices } from '../run/print-notices.ts';
import { readPrompt } from '../run/read-prompt.ts';
import { optionsFrom } from '../run/run-options.ts';
import { runQuery } from '../run/run-query.ts';
import { settleTrust } from '../run/trust-question.ts';
import { mayWantTelemetry } from '../telemetry/wants-telemetry.ts';
import { UsageError } from '../usage-error.ts';
import { type World, warnOn } from '../world.ts';

const NO_TASK =
  'Say what to do: turnwright "fix the failing test", or pipe it in. After a list flag such as --allowedTools, put -- before the task.';

const NAME_SESSION =
  'Name the session: --resume <id>. turnwright sessions lists them; at a terminal, --resume without a task lets you choose.';

const GO_ON = 'Go on from where you stopped.';

export async function runPromptCommand(
  world: World,
  words: readonly string[],
  flags: RunFlags,
): Promise<ExitCode> {
  if (flags.worktree !== undefined)
    return (await import('../worktrees/run-in-worktree.ts')).runInWorktree(world, flags, (inside, own) =>
      runPromptCommand(inside, words, own),
    );
  if (!mayWantTelemetry(flags, world)) return runPrompt(world, words, flags);
  const { openTelemetry } = await import('../telemetry/open-telemetry.ts');
  const telemetry = await openTelemetry(world, flags, warnOn(world));
  try {
    return await runPrompt(world, words, { ...flags, tracing: telemetry?.tracing });
  } finally {
    await telemetry?.close();
  }
}

async function runPrompt(world: World, words: readonly string[], flags: RunFlags): Promise<ExitCode> {
  if (flags.pickSession === true && (flags.inputFormat === 'stream-json' || flags.print === true))
    throw new UsageError(NAME_SESSION);
  if (flags.inputFormat === 'stream-json')
    return (await import('../control/stream-command.ts')).runStreamCommand(world, words, flags);
  checkFlags(flags, world);
  const verbose = isTold(flags);
  const task = await readPrompt({
    words,
    stdin: world.stdin,
    note: (sentence) => void (verbose && world.err.write(`${sentence}\n`).catch(() => undefined)),
  });
  const { resume } = flags.options;
  const print = flags.print === true || flags.outputFormat !== 'text' || world.stdout.isTTY !== true;
  const keyboard = print ? undefined : world.keyboard();
  if (flags.pickSession === true && (keyboard === undefined || task !== ''))
    throw new UsageError(NAME_SESSION);
  if (keyboard !== undefined)
    return converse(world, keyboard, flags.pickSession === true ? '/resume' : task, flags);
  const continues = flags.options.continue === true || resume !== undefined;
  if (task === '' && !continues) throw new UsageError(NO_TASK);
  // Without a task an interrupted submission is continued to its one result (L4.1).
  const prompt = task === '' ? undefined : task;
  if ((await modelSource(world, flags)) === undefined) throw new UsageError(await notConfigured(world));
  return runPrinted(world, prompt, flags);
}

/** A conversation at the terminal; `task`: its first prompt, '' for none. */
async function converse(
  world: World,
  keyboard: NodeJS.ReadStream,
  task: string,
  flags: RunFlags,
): Promise<ExitCode> {
  const { readScreenSettings } = await import('../conversation/screen/screen-settings.ts');
  const { wantsLineMode } = await import('../conversation/line-mode/wants-line-mode.ts');
  const { cwd, env } = world;
  const settings = await readScreenSettings(
    optionsFrom(flags, { cwd, env, partials: true, canUseTool: undefined }),
  );
  const lineMode = wantsLineMode(world, flags.screenReader === true || settings.screenReader);
  while ((await modelSource(world, flags)) === undefined) {
    const { welcome } = await import('../conversation/start/index.ts');
    const welcomed = await welcome(world, flags, { keyboard, lineMode });
    if (welcomed.kind === 'leave') return EXIT.success;
    if (welcomed.kind === 'goOn') flags = welcomed.flags;
    else {
      const { runStartCommand } = await import('./bundled-run.ts');
      await runStartCommand(world, [], lineMode ? { ...flags, screenReader: true } : flags);
      await world.out.write('\n');
    }
  }
  const ask = lineMode ? (await import('../conversation/start/menu.ts')).askTrust : undefined;
  const declined = (await settleTrust(world, flags, { keyboard, ask })) === 'declined';
  const mine = declined ? { ...flags, options: { ...flags.options, trustRecorded: false } } : flags;
  const { openConversation } = await import('../conversation/screen/open-conversation.ts');
  return openConversation(world, mine, { keyboard, prompt: task, settings, lineMode });
}

/** `stream-json` reports progress already: programs that read it set --verbose, and expect a quiet stderr. */
const isTold = ({ verbose, outputFormat }: RunFlags): boolean =>
  verbose === true && outputFormat !== 'stream-json';

/** Only the answer on stdout; questions and, with --verbose, progress on stderr. */
async function runPrinted(world: World, prompt: string | undefined, flags: RunFlags): Promise<ExitCode> {
  await settleTrust(world, flags);
  const warn = warnOn(world);
  const told = isTold(flags);
  const course = flags.outputFormat !== 'stream-json';
  const printer = createPrinter(flags.outputFormat, world.out, told ? undefined : world.err);
  const neverAsk = flags.print === true || flags.outputFormat !== 'text';
  const shown =
    told || !neverAsk
      ? await (await import('../run/printed-run.ts')).PrintedRun.open(world, {
          on: 'stderr',
          verbose: true,
          neverAsk,
          onlyAsks: !told,
          speaks: flags.screenReader === true,
        })
      : undefined;
  const canUseTool = shown?.canUseTool;
  const sink =
    shown !== undefined && told
      ? both(expendable(shown), printer)
      : withNotices(printer, {
          warn,
          course,
          denials: flags.outputFormat === 'text' && canUseTool === undefined,
          nowMs: () => performance.now(),
        });
  // Without them a long answer would look like a silent server.
  const partials = course || flags.options.includePartialMessages === true;
  const { cwd, env } = world;
  const options = {
    ...optionsFrom(flags, { cwd, env, partials, canUseTool, warn }),
    ...(told && { onMcpWait: shown?.onMcpWait }),
  };
  const goOn = () => promptToGoOn(world, flags);
  return (await runQuery({ prompt, options, sink, signals: world.signals, goOn })).code;
}

/**
 * `--continue` alone, without an open submission: a stopped submission has its result and has ended, so it
 * continues as a submission of its own, with this prompt. undefined when the last turn was completed, or
 * there was none.
 */
async function promptToGoOn(
  { cwd, env }: Pick<World, 'cwd' | 'env'>,
  { options: { resume } }: Pick<RunFlags, 'options'>,
): Promise<string | undefined> {
  const decisions = await sessionDecisions(resume, { cwd, env }).catch(() => []);
  const last = decisions.at(-1)?.decision;
  return last?.kind === 'stop' && describeTerminal(last.terminal)?.result !== 'answer' ? GO_ON : undefined;
}
