/** Which program a name is, where the shell also looks into the folders that are worked on. */
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import type { CommandCase } from './command-case.ts';

/** Of the shell itself, wherever it looks. */
const BUILT_IN =
  /^(?:cd|pwd|echo|printf|test|\[|true|false|:|exit|break|continue|set|command|type|umask|jobs|history)$/;

/**
 * Whether a program of this name lies where the content of a working directory decides what it is:
 * `node_modules/.bin` in front of the others, or a folder that is not absolute.
 */
export async function isOfTheFolder(
  name: string,
  {
    searchPath,
    roots,
    context,
  }: Pick<CommandCase, 'searchPath' | 'roots'> & {
    readonly context: Pick<CommandCase['context'], 'cwd' | 'resolve' | 'stat'>;
  },
): Promise<boolean> {
  if (searchPath === undefined || name === '' || BUILT_IN.test(name)) return false;
  for (const folder of searchPath.split(delimiter)) {
    const isFar =
      isAbsolute(folder) && !folder.includes('..') && !roots.some((root) => folder.startsWith(root));
    if (isFar) continue;
    const place = resolve(context.cwd, folder);
    if (isAbsolute(folder) && !roots.some((root) => isInside(place, root))) continue;
    const { real = place } = await context.resolve(join(place, name));
    if ((await context.stat(real)) !== undefined) return true;
  }
  return false;
}
