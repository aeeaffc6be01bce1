/** `turnwright` at a terminal: which session, with which options, and what is printed of it first. */
import { getSessionInfo, listSessions, type Options } from '@turnwright/engine';
import type { ExitCode } from '../../exit-codes.ts';
import type { RunFlags } from '../../flags/run-flags.ts';
import { optionsFrom } from '../../run/run-options.ts';
import { UsageError } from '../../usage-error.ts';
import type { World } from '../../world.ts';
import type { ReopenTarget } from '../command-context.ts';
import { lastChoice } from '../session/found-in-session.ts';
import type { ConversationLaunch } from './launch.ts';

interface Opening extends Pick<ConversationLaunch, 'keyboard' | 'settings'> {
  /** Sent first; '' for none. */
  readonly prompt: string;
  /** Without a screen. */
  readonly lineMode: boolean;
}

/** Resolves when the person has left. */
export async function openConversation(
  world: World,
  flags: RunFlags,
  { keyboard, prompt, settings, lineMode }: Opening,
): Promise<ExitCode> {
  const { resume, continue: isContinued, forkSession, resumeSessionAt, ...given } = flags.options;
  const base: Options = {
    ...optionsFrom(
      { ...flags, options: given },
      { cwd: world.cwd, env: world.env, partials: true, canUseTool: undefined },
    ),
    enableFileCheckpointing: given.enableFileCheckpointing ?? true,
    // Otherwise the last answer of a subagent would be missing in its count of turns.
    forwardSubagentText: true,
  };
  const id = resume ?? (isContinued === true ? await newestSession(world) : undefined);
  if (resume !== undefined && (await getSessionInfo(resume, { env: world.env })) === undefined)
    throw new UsageError(`No conversation found with session ID: ${resume}. turnwright sessions lists them.`);
  const { problem, ...choice } = id === undefined ? {} : await lastChoice(id, base);
  const options = { ...base, ...choice };
  if (problem !== undefined) await world.err.write(`${problem}\n`);
  const target: ReopenTarget = {
    ...(id !== undefined && { resume: id }),
    ...(id !== undefined && forkSession === true && { forkSession }),
    ...(resumeSessionAt !== undefined && { resumeSessionAt }),
  };
  const launch: ConversationLaunch = {
    keyboard,
    options,
    target,
    prompt: prompt === '' ? undefined : prompt,
    settings,
    mayAsk: flags.probe !== false,
  };
  if (lineMode) return (await import('../line-mode/index.ts')).runLineMode(world, launch);
  return (await import('./run-conversation.ts')).runConversation(world, launch);
}

/** The session that `--continue` means; undefined: there is none, so a new one begins. */
async function newestSession({ cwd, env }: World): Promise<string | undefined> {
  const [newest] = await listSessions({ dir: cwd, env, includeWorktrees: false, limit: 1 });
  return newest?.sessionId;
}
