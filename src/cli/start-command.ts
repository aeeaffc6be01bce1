/** `turnwright start`: with a configured model the task in this folder, without one the bundled rehearsal. */
import type { RunFlags } from './args.ts';
import { runBundled } from './bundled-run.ts';
import { modelSource } from './configured.ts';
import type { ExitCode } from './exit-codes.ts';
import { readPrompt } from './prompt.ts';
import { runPrinted, runShown } from './run-command.ts';
import { UsageError } from './usage-error.ts';
import type { World } from './world.ts';

export async function startCommand(
  world: World,
  words: readonly string[],
  flags: RunFlags,
): Promise<ExitCode> {
  const source = await modelSource(world, flags);
  if (source === undefined) return runBundled(world, flags, words.join(' ').trim());

  const prompt = await readPrompt({ words, stdin: world.stdin });
  if (prompt === '') {
    throw new UsageError(
      `A model is configured (${source}): say what to do in this folder, as in turnwright start "explain this project", or npm start -- "…". To watch a rehearsed run instead: turnwright rehearse bundled.`,
    );
  }
  if (flags.print === true || flags.outputFormat !== 'text') return runPrinted(world, prompt, flags);
  return runShown(world, prompt, flags);
}
