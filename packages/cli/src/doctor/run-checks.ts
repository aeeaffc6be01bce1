/** All checks of the doctor: what a run on this machine, in this folder, needs. */
import { configurationHome, sessionsDirectory, TurnwrightError } from '@turnwright/engine';
import type { World } from '../world.ts';
import { checkFields } from './check-fields.ts';
import { checkLanguages } from './check-languages.ts';
import { checkNode, checkRipgrep, checkSessions, checkWritable } from './check-machine.ts';
import { checkModel } from './check-model.ts';
import type { CheckResult, CheckState } from './check-result.ts';
import { checkSandbox } from './check-sandbox.ts';
import { checkSettings, type RunningSession } from './check-settings.ts';

type Place = Pick<World, 'cwd' | 'env'>;

/** `running`: a session, which has more than the settings name. */
export async function runChecks(place: Place, running?: RunningSession): Promise<readonly CheckResult[]> {
  const { cwd, env } = place;
  const home = configurationHome(env, cwd);
  const checks = await Promise.all([
    checkNode(process.version, process.versions),
    home === undefined ? NO_HOME : checkWritable('config home', home),
    checkWritable('working folder', cwd),
    ...(home === undefined ? [] : [checkSessions(sessionsDirectory(home, cwd))]),
    checkConfigured(place, running),
    checkRipgrep(env),
  ]);
  return checks.flat();
}

const NO_HOME: CheckResult = {
  name: 'config home',
  state: 'warning',
  detail: 'none: sessions are not kept. Set TURNWRIGHT_HOME or HOME.',
};

/** Settings and their model, as for a run. Unreadable settings are one problem. */
async function checkConfigured(
  place: Place,
  running: RunningSession | undefined,
): Promise<readonly CheckResult[]> {
  try {
    return (
      await Promise.all([
        checkSettings(place, running),
        checkLanguages(place, running?.languages),
        checkFields(place),
        checkSandbox(place),
        checkModel(place),
      ])
    ).flat();
  } catch (error) {
    if (!(error instanceof TurnwrightError)) throw error;
    return [{ name: 'settings', state: 'problem', detail: error.message }];
  }
}

export function problemsIn(checks: readonly CheckResult[]): number {
  return checks.filter(({ state }) => state === 'problem').length;
}

const MARKS: Readonly<Record<CheckState, string>> = { ok: '✓', warning: '!', problem: '✗' };

/** One line for each check, and one for all of them. Details are as the checks gave them. */
export function reportLines(
  checks: readonly CheckResult[],
  paint: Readonly<Record<CheckState, (text: string) => string>>,
): readonly string[] {
  const problems = problemsIn(checks);
  return [
    ...checks.map(({ name, state, detail }) => `${paint[state](MARKS[state])} ${name.padEnd(14)}  ${detail}`),
    problems === 0
      ? 'All is well.'
      : `${problems === 1 ? 'One thing needs' : `${problems} things need`} attention.`,
  ];
}
