/** `turnwright start`: with a configured model the task in this folder, without one the bundled rehearsal. */
import type { RunFlags } from './args.ts';
import { runBundled } from './bundled-run.ts';
import { modelVariables } from './configured.ts';
import type { ExitCode } from './exit-codes.ts';
import { createLiveView } from './live-view.ts';
import { createPrinter } from './print.ts';
import { readPrompt } from './prompt.ts';
import { optionsFrom } from './run-options.ts';
import { runQuery } from './run-query.ts';
import { UsageError } from './usage-error.ts';
import type { World } from './world.ts';

export async function startCommand(
  world: World,
  words: readonly string[],
  flags: RunFlags,
): Promise<ExitCode> {
  const [source] = modelVariables(world.env);
  if (source === undefined) return runBundled(world, flags, words.join(' ').trim());

  const prompt = await readPrompt({ words, stdin: world.stdin });
  if (prompt === '') {
    throw new UsageError(
      `A model is configured (${source}): say what to do in this folder, as in turnwright start "explain this project", or npm start -- "…". To watch a rehearsed run instead: turnwright rehearse bundled.`,
    );
  }
  const quiet = flags.print === true || flags.outputFormat !== 'text';
  const view = createLiveView(world, { verbose: flags.verbose === true, neverAsk: quiet });
  const printer = createPrinter(flags.outputFormat, world.out);
  const options = optionsFrom(flags, {
    cwd: world.cwd,
    env: world.env,
    partials: !quiet || flags.includePartialMessages === true,
    canUseTool: quiet ? undefined : view.canUseTool,
  });
  const sink = quiet ? printer : view.sink;
  return (await runQuery({ prompt, options, sink, signals: world.signals })).code;
}
