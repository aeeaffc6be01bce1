/**
 * The commands that mode acceptEdits allows without a question: those that create, copy, move and remove
 * files inside the working directories. Protected paths have been checked before.
 */

import { isInside } from '@turnwright/base/files/inside.ts';
import { PROTECTED_ANYWHERE } from '@turnwright/base/files/protected-names.ts';
import { everySegment, literalWords, type Segment } from '../../shell/reading/segment.ts';
import { ASKED_ANYWHERE } from '../decide/asked-names.ts';
import type { ResolvedPath } from '../decide/resolved-path.ts';
import { foldedName } from '../rules/folded-name.ts';
import type { PathRuleContext } from '../rules/path-rule.ts';
import type { CommandCase } from './command-case.ts';
import { copiedPaths, redirectPaths, writtenPaths } from './command-paths.ts';

/** With options that neither follow links nor make other files than those named. */
const EDITORS: Readonly<Record<string, RegExp>> = {
  touch: /^-[acm]+$/,
  mkdir: /^-[pv]+$|^--(?:parents|verbose)$/,
  cp: /^-[adfinpPrRuv]+$|^--(?:archive|force|no-clobber|recursive|update|verbose)$/,
  mv: /^-[finuv]+$|^--(?:force|no-clobber|update|verbose)$/,
  rm: /^-[dfirRv]+$|^--(?:dir|force|recursive|verbose)$/,
  rmdir: /^-v$|^--verbose$/,
};

/**
 * Folders that say what runs later, or hold what does: whole, not only the files in them that are protected.
 */
const GRANTING: ReadonlySet<string> = new Set(['.git', '.config', ...PROTECTED_ANYWHERE, ...ASKED_ANYWHERE]);

export async function isAcceptedEdit(segment: Segment, each: CommandCase): Promise<boolean> {
  if (!each.acceptsEdits || !isPlainEdit(segment)) return false;
  const written = await writtenPaths(segment, each.context);
  const copied = await copiedPaths(segment, each.context.resolve);
  if (written.unknown || copied.unknown) return false;
  if ((await each.outside('write', written.paths)).length > 0) return false;
  if ((await each.outside('read', copied.paths)).length > 0) return false;
  // Links inside a moved folder did not exist when the paths of the other commands were resolved.
  if ((await holdsFolder(copied.paths, each)) && (await isOneOfSeveral(each))) return false;
  const touched = [...written.paths, ...copied.paths];
  if (touched.some(isGranting) || (await holdsRoot(written.paths, each))) return false;
  return !each.hasPathRules || !(await holdsFolder(touched, each));
}

/**
 * The files that a line could write in mode acceptEdits, in any folder. Exact, for display to people: the
 * list that is checked (`touchedPaths`) may contain more.
 */
export async function editedPaths(
  segments: readonly Segment[],
  context: PathRuleContext,
): Promise<readonly ResolvedPath[]> {
  const edited = await Promise.all(
    everySegment(segments).map((segment) =>
      isPlainEdit(segment)
        ? writtenPaths(segment, context)
        : redirectPaths(segment, 'write', context.resolve),
    ),
  );
  return edited.flatMap(({ paths }) => paths);
}

/** A program of the table with options of its own: every other word is a path. */
function isPlainEdit(segment: Segment): boolean {
  const [program = '', ...args] = literalWords(segment) ?? [];
  const options = Object.hasOwn(EDITORS, program) ? EDITORS[program] : undefined;
  if (options === undefined || args.includes('--')) return false;
  const named = args.filter((arg) => !arg.startsWith('-'));
  if (named.length === 0 || args.some((arg) => arg.startsWith('-') && !options.test(arg))) return false;
  // `evil/.` means everything in the folder.
  return !named.some((arg) => arg === '' || /(?:^|\/)\.{1,2}\/*$/.test(arg));
}

function isGranting({ spelled, real }: ResolvedPath): boolean {
  return [spelled, real ?? ''].some((path) =>
    path.split(/[\\/]/).some((part) => GRANTING.has(foldedName(part))),
  );
}

/** A working directory itself, or a folder that one lies in. */
async function holdsRoot(paths: readonly ResolvedPath[], { roots, context }: CommandCase): Promise<boolean> {
  const real = await Promise.all(roots.map(context.resolve));
  return real.some((root) =>
    paths.some(
      ({ real: path }) => path !== undefined && root.real !== undefined && isInside(root.real, path),
    ),
  );
}

async function isOneOfSeveral({ subject }: CommandCase): Promise<boolean> {
  return everySegment((await subject.line()).segments).length > 1;
}

/** A rule may speak of what lies in a folder, and what is done to the folder is done to that. */
async function holdsFolder(paths: readonly ResolvedPath[], { context }: CommandCase): Promise<boolean> {
  const folders = await Promise.all(
    paths.map(({ real }) => (real === undefined ? false : context.isFolder(real))),
  );
  return folders.includes(true);
}
