/** Trust of a folder for a working copy of it, whose settings must be the same. */
import { projectTrust } from '@turnwright/engine';
import type { World } from '../world.ts';

/**
 * Whether the copy asks for exactly what is trusted in the folder that it is a copy of. Else what its
 * settings would allow or run has no effect, which is said.
 */
export async function isTrustedAlike(
  folder: string,
  copy: string,
  { env }: Pick<World, 'env'>,
  say: (line: string) => void,
): Promise<boolean> {
  const [there, here] = await Promise.all([
    projectTrust({ cwd: folder, env }),
    projectTrust({ cwd: copy, env }),
  ]);
  if (here.state === 'nothing' || here.state === 'trusted') return false;
  const asked = ({ root, items, content }: typeof here) =>
    JSON.stringify([items, content]).replaceAll(root, () => there.root);
  if (there.state === 'trusted' && asked(there) === asked(here)) return true;
  say(
    there.state === 'trusted'
      ? 'What its settings would allow or run is passed over: they are not those that are trusted in the folder.'
      : 'What its settings would allow or run is passed over: the folder is not trusted (turnwright trust).',
  );
  return false;
}
