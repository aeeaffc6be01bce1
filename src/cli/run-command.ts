/** `turnwright [task]`: the answer alone when printing, the live view on a terminal. */
import type { RunFlags } from './args.ts';
import { requireModel } from './configured.ts';
import type { ExitCode } from './exit-codes.ts';
import { createLiveView } from './live-view.ts';
import { both, createPrinter } from './print.ts';
import { readPrompt } from './prompt.ts';
import { optionsFrom } from './run-options.ts';
import { runQuery } from './run-query.ts';
import { UsageError } from './usage-error.ts';
import type { World } from './world.ts';

const NO_TASK =
  'Say what to do: turnwright "fix the failing test", or pipe it in. After a list flag such as --allowedTools, put -- before the task.';

export async function runCommand(world: World, words: readonly string[], flags: RunFlags): Promise<ExitCode> {
  const verbose = flags.verbose === true;
  const prompt = await readPrompt({
    words,
    stdin: world.stdin,
    note: (sentence) => void (verbose && world.err.write(`${sentence}\n`).catch(() => undefined)),
  });
  if (prompt === '') throw new UsageError(NO_TASK);
  await requireModel(world, flags);

  const print = flags.print === true || flags.outputFormat !== 'text' || world.stdout.isTTY !== true;
  if (!print) {
    const view = createLiveView(world, { verbose });
    const options = optionsFrom(flags, {
      cwd: world.cwd,
      env: world.env,
      partials: true,
      canUseTool: view.canUseTool,
    });
    return (await runQuery({ prompt, options, sink: view.sink, signals: world.signals })).code;
  }
  const printer = createPrinter(flags.outputFormat, world.out);
  const sink = verbose
    ? both(createLiveView(world, { on: 'stderr', verbose, neverAsk: true }).sink, printer)
    : printer;
  const options = optionsFrom(flags, {
    cwd: world.cwd,
    env: world.env,
    partials: flags.includePartialMessages === true,
    canUseTool: undefined,
  });
  return (await runQuery({ prompt, options, sink, signals: world.signals })).code;
}
