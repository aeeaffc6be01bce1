/** Fields of agents, skills and commands that have no effect. */
import { fieldsWithoutEffect, machineSettingsFile } from '@turnwright/engine';
import type { World } from '../world.ts';
import type { CheckResult } from './check-result.ts';

/** Rejects with `invalid_settings`. */
export async function checkFields({ cwd, env }: Pick<World, 'cwd' | 'env'>): Promise<readonly CheckResult[]> {
  const fields = await fieldsWithoutEffect({
    cwd,
    env,
    projectTrusted: false,
    trustRecorded: true,
    managedSettingsFile: machineSettingsFile(process.platform),
  });
  return fields.map((detail) => ({ name: 'fields', state: 'warning', detail }));
}
