/** `--input-format stream-json`: the command line as the engine of another program. */

import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { RunFlags } from '../flags/run-flags.ts';
import { optionsFrom } from '../run/run-options.ts';
import { UsageError } from '../usage-error.ts';
import { type World, warnOn } from '../world.ts';
import { runControlSession, UnreadableLine } from './control-session.ts';

export async function runStreamCommand(
  world: World,
  words: readonly string[],
  flags: RunFlags,
): Promise<ExitCode> {
  if (flags.outputFormat !== 'stream-json')
    throw new UsageError('--input-format stream-json needs --output-format stream-json.');
  if (words.some((word) => word.trim() !== ''))
    throw new UsageError('With --input-format stream-json, prompts come through stdin alone.');
  const { options } = flags;
  const partials = options.includePartialMessages === true;
  const flagOptions = optionsFrom(flags, {
    cwd: world.cwd,
    env: world.env,
    partials,
    canUseTool: undefined,
    // Warnings, such as ignored hooks of an untrusted folder, are not messages of the protocol.
    warn: warnOn(world),
  });
  try {
    return await runControlSession({
      // A host that names the settings files agrees to them, apart from what they allow; see
      // `Options.projectTrusted`.
      options: {
        ...flagOptions,
        projectTrusted:
          flagOptions.projectTrusted || (options.settingSources === undefined ? false : undefined),
      },
      demands: {
        initializeFirst: flags.awaitInitialize,
        managedSettings: flags.managedSettingsInInitialize,
        fields: flags.initializeFields,
      },
      mirrors: flags.sessionMirror === true,
      asksHost: options.permissionPromptToolName === 'stdio' && options.permissionPrompts !== 'none',
      echoesAnswers: options.replayUserMessages === true,
      stdin: world.stdin,
      write: (line) => world.out.write(line),
      signals: world.signals,
    });
  } catch (error) {
    if (!(error instanceof UnreadableLine)) throw error;
    await world.err.write(`${error.message}\n`);
    return EXIT.error;
  }
}
