/** Checks flags against each other and against this machine, before anything starts. */
import { statSync } from 'node:fs';
import { absolutePath, homeDirectory } from '@turnwright/base/files/home-path.ts';
import { unknownBuiltinTools } from '@turnwright/engine';
import { contradiction } from '@turnwright/engine/options/check-options.ts';
import { findOptionRow, longFlag, type OptionName } from '@turnwright/engine/options/table.ts';
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';
import type { RunFlags } from './run-flags.ts';

export function checkFlags(flags: RunFlags, { cwd, env }: Pick<World, 'cwd' | 'env'>): void {
  const { tools, additionalDirectories = [] } = flags.options;
  const contradicting = contradiction(flags.options, formatFlag);
  if (contradicting !== undefined) throw new UsageError(contradicting);
  for (const { holds, sentence } of CONTRADICTIONS) if (holds(flags)) throw new UsageError(sentence);
  const { unknown, known } = unknownBuiltinTools(
    Array.isArray(tools) ? tools.filter((name) => name !== 'default') : [],
  );
  const [stray] = unknown;
  if (stray !== undefined)
    throw new UsageError(`--tools: there is no built-in tool ${stray}. There are ${known.join(', ')}.`);
  for (const folder of additionalDirectories) {
    const path = absolutePath(folder, { cwd, home: homeDirectory(env) });
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) throw new UsageError(`--add-dir: the folder ${path} does not exist.`);
    if (!stat.isDirectory()) throw new UsageError(`--add-dir: ${path} is not a folder.`);
  }
}

interface Contradiction {
  holds(flags: RunFlags): boolean;
  readonly sentence: string;
}

/** Flags that contradict each other, or that would have no effect. */
const CONTRADICTIONS: readonly Contradiction[] = [
  {
    holds: ({ dangerouslySkipPermissions, options: { permissionMode = 'bypassPermissions' } }) =>
      dangerouslySkipPermissions === true && permissionMode !== 'bypassPermissions',
    sentence:
      '--dangerously-skip-permissions and another --permission-mode exclude each other: give the one that you mean.',
  },
  {
    holds: ({ options, outputFormat }) =>
      options.includePartialMessages === true && outputFormat !== 'stream-json',
    sentence: '--include-partial-messages needs --output-format stream-json.',
  },
  {
    holds: ({ managedSettingsInInitialize, initializeFields, inputFormat }) =>
      (managedSettingsInInitialize === true || initializeFields !== undefined) &&
      inputFormat !== 'stream-json',
    sentence: '--managed-settings-in-initialize and --initialize-fields need --input-format stream-json.',
  },
  {
    holds: ({ takeOver, options }) =>
      takeOver === true && options.continue !== true && options.resume === undefined,
    sentence: '--take-over takes the session of --resume or --continue: give one of them.',
  },
];

function formatFlag(name: OptionName): string {
  return longFlag(findOptionRow(name)?.flag ?? name);
}
