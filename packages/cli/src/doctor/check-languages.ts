/** The language servers of a run, or of a running session. None is started. */
import { type LanguageServerStatus, listLanguageServers, machineSettingsFile } from '@turnwright/engine';
import type { World } from '../world.ts';
import type { CheckResult } from './check-result.ts';

/** `running`: those of a session, with their states. Rejects with `invalid_settings`. */
export async function checkLanguages(
  { cwd, env }: Pick<World, 'cwd' | 'env'>,
  running: readonly LanguageServerStatus[] | undefined,
): Promise<readonly CheckResult[]> {
  const problems: string[] = [];
  const listed = await listLanguageServers({
    cwd,
    env,
    projectTrusted: false,
    trustRecorded: true,
    managedSettingsFile: machineSettingsFile(process.platform),
    stderr: (line) => /^(?:The|No) (?:well-known )?language server/.test(line) && problems.push(line),
  });
  const servers = running ?? listed;
  const name = 'languages';
  return [
    ...problems.map((detail): CheckResult => ({ name, state: 'warning', detail })),
    ...servers.map(
      ({ name: server, state, command, extensions, problem }): CheckResult => ({
        name,
        state: state === 'failed' ? 'problem' : 'ok',
        detail: `${server} (${command}, ${extensions.join(' ')}): ${problem === undefined ? STATES[state] : `failed: ${problem}`}`,
      }),
    ),
  ];
}

const STATES: Readonly<Record<LanguageServerStatus['state'], string>> = {
  idle: 'starts when a file of it is edited',
  starting: 'starting',
  running: 'running',
  failed: 'failed',
};
