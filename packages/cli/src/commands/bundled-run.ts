/** The bundled rehearsal: fixes a broken project in a temporary folder. */

import { join } from 'node:path';
import type { RehearsalServer } from '@turnwright/testing/rehearsal';
import type { ExitCode } from '../exit-codes.ts';
import type { RunFlags } from '../flags/run-flags.ts';
import { modelVariables } from '../run/configured.ts';
import type { World } from '../world.ts';
import { makeRunFolder, runRehearsed } from './rehearsed-run.ts';

export async function runBundled(world: World, flags: RunFlags, wanted: string): Promise<ExitCode> {
  const { bundledScenario } = await import('@turnwright/testing/rehearsal/bundled');
  const { startRehearsal } = await import('@turnwright/testing/rehearsal');
  const server = await startRehearsal({ scenario: bundledScenario() });
  try {
    return await playBundled(world, server, flags, wanted);
  } finally {
    await server.close();
  }
}

/** Runs against a server that plays the bundled scenario. */
export async function playBundled(
  world: World,
  server: RehearsalServer,
  flags: RunFlags,
  wanted: string,
): Promise<ExitCode> {
  const { BUNDLED_MODEL, BUNDLED_TASK, BUNDLED_WINDOW_TOKENS, layOutProject } = await import(
    '@turnwright/testing/rehearsal/bundled'
  );
  const folder = await makeRunFolder();
  const project = join(folder, 'order-book');
  const sessionHome = join(folder, 'home');
  await layOutProject(project);
  return runRehearsed({
    world,
    server,
    flags: {
      ...flags,
      dangerouslySkipPermissions: true,
      options: { ...flags.options, settingSources: [], model: BUNDLED_MODEL },
    },
    prompt: BUNDLED_TASK,
    cwd: project,
    sessionHome,
    isUntouched: true,
    env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(BUNDLED_WINDOW_TOKENS) },
    before: [
      `Rehearsal: the model's words are scripted, all else is real (tools, files, processes, HTTP); bypassPermissions is on in ${project}; ${forReal(world, wanted)}`,
      ...(wanted === '' ? [] : [`Your own task needs a real model. This one is played instead:`]),
      `The model's window is set to ${BUNDLED_WINDOW_TOKENS / 1_000}k tokens, so that a short run can fill it.`,
      '',
      `> ${BUNDLED_TASK}`,
      '',
    ],
    after: [
      ['project', project],
      ['run its tests', `cd ${project} && npm test`],
    ],
  });
}

/** Explains how to use a real model. */
function forReal({ env }: World, wanted: string): string {
  const [configured] = modelVariables(env);
  return configured === undefined
    ? 'for a real model store a key with turnwright login or set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a compatible server.'
    : `for the real model (${configured} is set): turnwright "${wanted === '' ? 'explain this project' : wanted}".`;
}

/** `turnwright start`: the bundled rehearsal, whatever is configured. */
export function runStartCommand(world: World, words: readonly string[], flags: RunFlags): Promise<ExitCode> {
  return runBundled(world, flags, words.join(' ').trim());
}
