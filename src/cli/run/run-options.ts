/** The flags as options of `query()`. */
import { isAbsolute, resolve } from 'node:path';
import type { CanUseTool, Options } from '../../index.ts';
import type { RunFlags } from '../flags/args.ts';
import { clientOptions } from '../flags/client-flags.ts';
import { permissionModeOf, SETTING_SOURCES } from '../flags/flag-values.ts';
import type { Env } from '../world.ts';
import { isTrustedUnasked } from './trust-question.ts';

export interface RunContext {
  readonly cwd: string;
  readonly env: Env;
  /** Raw stream events: the live view needs them. */
  readonly partials: boolean;
  readonly canUseTool: CanUseTool | undefined;
  /** Warnings of the engine. */
  readonly warn?: ((line: string) => void) | undefined;
}

export function optionsFrom(flags: RunFlags, context: RunContext): Options {
  const bypass = flags.dangerouslySkipPermissions === true;
  const client = clientOptions(flags);
  return {
    ...client,
    cwd: context.cwd,
    env: context.env,
    canUseTool: context.canUseTool,
    includePartialMessages: context.partials,
    stderr: context.warn,
    model: flags.model,
    fallbackModel: flags.fallbackModel,
    maxTurns: flags.maxTurns,
    maxBudgetUsd: flags.maxBudgetUsd,
    permissionMode: bypass ? 'bypassPermissions' : permissionModeOf(flags.permissionMode),
    allowDangerouslySkipPermissions: bypass || client.allowDangerouslySkipPermissions,
    allowedTools: flags.allowedTools,
    disallowedTools: flags.disallowedTools,
    tools: toolsOf(flags.tools),
    additionalDirectories: flags.addDir?.map((folder) =>
      isAbsolute(folder) ? folder : resolve(context.cwd, folder),
    ),
    systemPrompt: systemPromptOf(flags),
    resume: flags.resume,
    continue: flags.continue,
    persistSession: flags.sessionPersistence,
    sessionId: flags.sessionId,
    title: flags.name,
    ...(flags.takeOver === true && { engine: { takeOver: true } }),
    settings: flags.settings,
    settingSources: flags.settingSources ?? SETTING_SOURCES,
    // A repository's settings may forbid, but what they would allow or run waits for a person's trust (T101–T103).
    projectTrusted: isTrustedUnasked(flags, context.env),
    trustRecorded: true,
    outputFormat:
      flags.jsonSchema === undefined ? undefined : { type: 'json_schema', schema: flags.jsonSchema },
  };
}

/** `default` stands for all of them; nothing given as well. */
function toolsOf(names: readonly string[] | undefined): Options['tools'] {
  return names === undefined || names.includes('default') ? undefined : names;
}

/** `query()` sends no system prompt of itself; the command line sends Turnwright's own. */
function systemPromptOf({ systemPrompt, appendSystemPrompt }: RunFlags): Options['systemPrompt'] {
  if (systemPrompt === undefined) return { type: 'preset', preset: 'turnwright', append: appendSystemPrompt };
  return appendSystemPrompt === undefined ? systemPrompt : [systemPrompt, appendSystemPrompt];
}
