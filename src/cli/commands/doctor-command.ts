/** `turnwright doctor`: checks everything that a run needs. Exit code 1 when something is missing. */
import { configurationHome, sessionsDirectory, TurnwrightError } from '../../index.ts';
import { createStyle, type Style, wantsColor } from '../../terminal/text/style.ts';
import { visible } from '../../terminal/text/visible.ts';
import type { CheckResult, CheckState } from '../doctor/check.ts';
import { checkNode, checkRipgrep, checkSessions, checkWritable } from '../doctor/check-machine.ts';
import { checkModel } from '../doctor/check-model.ts';
import { checkSandbox } from '../doctor/check-sandbox.ts';
import { checkSettings } from '../doctor/check-settings.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { World } from '../world.ts';

export async function doctorCommand(world: World): Promise<ExitCode> {
  const home = configurationHome(world.env, world.cwd);
  const checks = (
    await Promise.all([
      checkNode(process.version),
      home === undefined ? NO_HOME : checkWritable('config home', home),
      checkWritable('working folder', world.cwd),
      ...(home === undefined ? [] : [checkSessions(sessionsDirectory(home, world.cwd))]),
      checkConfigured(world),
      checkRipgrep(world.env),
    ])
  ).flat();
  const style = createStyle(wantsColor(world.env, world.stdout.isTTY === true));
  const lines = checks.map((check) => lineFor(check, style));
  const problems = checks.filter((check) => check.state === 'problem').length;
  lines.push(
    problems === 0
      ? 'All is well.'
      : `${problems === 1 ? 'One thing needs' : `${problems} things need`} attention.`,
  );
  await world.out.write(`${lines.join('\n')}\n`);
  return problems === 0 ? EXIT.success : EXIT.error;
}

const NO_HOME: CheckResult = {
  name: 'config home',
  state: 'warning',
  detail: 'none: sessions are not kept. Set TURNWRIGHT_HOME or HOME.',
};

function lineFor({ name, state, detail }: CheckResult, style: Style): string {
  const mark: Readonly<Record<CheckState, string>> = {
    ok: style.green('✓'),
    warning: style.yellow('!'),
    problem: style.red('✗'),
  };
  return `${mark[state]} ${name.padEnd(14)}  ${visible(detail)}`;
}

/** Settings and their model, as for a run. Unreadable settings are one problem. */
async function checkConfigured(world: World): Promise<readonly CheckResult[]> {
  try {
    return (await Promise.all([checkSettings(world), checkSandbox(world), checkModel(world)])).flat();
  } catch (error) {
    if (!(error instanceof TurnwrightError)) throw error;
    return [{ name: 'settings', state: 'problem', detail: error.message }];
  }
}
