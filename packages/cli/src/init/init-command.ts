/** `turnwright init`: a settings file that explains its keys and sets none. */
import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { projectTrust } from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';
import { writeNew } from '../write-new.ts';
import { LOCAL_SETTINGS, PROJECT_SETTINGS } from './init-templates.ts';

const LOCAL = { name: 'settings.local.json', text: LOCAL_SETTINGS, mode: 0o600 };
const SHARED = { name: 'settings.json', text: PROJECT_SETTINGS, mode: 0o644 };

export async function runInitCommand(
  world: World,
  { local }: { readonly local: boolean },
): Promise<ExitCode> {
  const { cwd, env } = world;
  const { root } = await projectTrust({ cwd, env });
  // Not `.claude`: other programs read that, and not every one of them takes comments.
  const folder = join(root, '.turnwright');
  const { name, text, mode } = local ? LOCAL : SHARED;
  await refuseLink(folder);
  // Not recursive: on a read-only disk that names a missing folder.
  await mkdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  });
  const file = join(folder, name);
  if (!(await writeNew(file, text, mode)))
    throw new UsageError(
      `There is ${file} already, which is left as it is. docs/settings.md explains its keys.`,
    );
  const ignores = await writeNew(join(folder, '.gitignore'), 'settings.local.json\n', 0o644);
  const lines = [
    `Written: ${visible(file)}${ignores ? ', and .gitignore beside it for what is yours alone' : ''}.`,
    'Nothing is set in it yet: remove the slashes before what you need. turnwright doctor checks it.',
    ...(local ? [] : ['What it allows holds for each person once they have agreed to it: turnwright trust.']),
    'To have the project described for the model: turnwright "Describe this project in CLAUDE.md."',
  ];
  await world.out.write(`${lines.join('\n')}\n`);
  return EXIT.success;
}

/** A repository can contain links: nothing outside of it is written. */
async function refuseLink(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (found !== undefined && !found.isDirectory())
    throw new UsageError(`${folder} is no folder, so nothing is written there.`);
}
