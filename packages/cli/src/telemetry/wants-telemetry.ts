/** Whether a run reports to OpenTelemetry: by the flag, by variables, or by settings that a person wrote. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationHome, machineSettingsFile } from '@turnwright/engine';
import type { RunFlags } from '../flags/run-flags.ts';
import type { Env, World } from '../world.ts';

const SWITCHES = ['TURNWRIGHT_OTEL', 'CLAUDE_CODE_ENABLE_TELEMETRY'];

export const isSwitchedOn = (value: string | undefined): boolean =>
  ['1', 'true', 'yes', 'on'].includes(value?.trim().toLowerCase() ?? '');

/** Without reading more than it must: nearly all runs report nothing. */
export function mayWantTelemetry({ otel }: RunFlags, { cwd, env }: Pick<World, 'cwd' | 'env'>): boolean {
  if (isSwitchedOn(env['OTEL_SDK_DISABLED'])) return false;
  if (otel === true || SWITCHES.some((name) => isSwitchedOn(env[name]))) return true;
  return settingsFiles(env, cwd).some(namesSwitch);
}

/** Those of the person and of the machine: a repository cannot have its runs reported. */
function settingsFiles(env: Env, cwd: string): readonly string[] {
  const home = configurationHome(env, cwd);
  const own = home && join(home, 'settings.json');
  return [own, machineSettingsFile(process.platform)].filter((file) => file !== undefined);
}

function namesSwitch(file: string): boolean {
  try {
    const text = readFileSync(file, 'utf8');
    return SWITCHES.some((name) => text.includes(name));
  } catch {
    return false;
  }
}
