/** `turnwright doctor`: checks everything that a run needs. Exit code 1 when something is missing. */

import { createStyle, wantsColor } from '@turnwright/terminal/text/style.ts';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { problemsIn, reportLines, runChecks } from '../doctor/run-checks.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { World } from '../world.ts';

export async function runDoctorCommand(world: World): Promise<ExitCode> {
  const checks = await runChecks(world);
  const {
    green: ok,
    yellow: warning,
    red: problem,
  } = createStyle(wantsColor(world.env, world.stdout.isTTY === true));
  const shown = checks.map((check) => ({ ...check, detail: visible(check.detail) }));
  await world.out.paint(`${reportLines(shown, { ok, warning, problem }).join('\n')}\n`);
  return problemsIn(checks) === 0 ? EXIT.success : EXIT.error;
}
