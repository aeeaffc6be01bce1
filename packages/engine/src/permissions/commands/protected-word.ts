/** Protected paths among the words of programs that may write what they are given. */
import { resolve } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import { PROTECTED_ANYWHERE } from '@turnwright/base/files/protected-names.ts';
import { namedTargets } from '../../shell/programs/named-targets.ts';
import type { Segment } from '../../shell/reading/segment.ts';
import { ANY, knownText, meet, type TextPattern } from '../../shell/reading/text-pattern.ts';
import { holdsProtectedName, isOddSpelling, isProtected, type Protection } from '../decide/protected-path.ts';
import type { ResolvedPath } from '../decide/resolved-path.ts';
import type { PathRuleContext } from '../rules/path-rule.ts';

type Context = PathRuleContext & { readonly protection: Protection };

/** A protected path that the command names, or may name once the shell has read it. */
export async function protectedAmong(segment: Segment, context: Context): Promise<ResolvedPath | undefined> {
  const { folders = ['/'] } = segment;
  for (const may of namedTargets(segment)) {
    const text = knownText(may);
    if (text === undefined) {
      if (namesProtected(may, context)) return { spelled: shown(may), real: undefined };
      continue;
    }
    if (text === '' || text === '-') continue;
    for (const folder of text.startsWith('/') ? [''] : folders) {
      const path = await resolveWord(folder === '' ? text : `${folder}/${text}`, context);
      if (path !== undefined && (await isProtected(path, context))) return path;
    }
  }
  return undefined;
}

/**
 * The path that a word may be, where it is worth a look at what is protected elsewhere: by its names, or
 * because it is or leads out of the folder. Most words of most commands are neither.
 */
async function resolveWord(word: string, context: Context): Promise<ResolvedPath | undefined> {
  const { steps, cwd, resolve: look, stat } = context;
  await steps.pause();
  steps.take(20);
  const spelled = resolve(cwd, word);
  // A word alone is a path if there is such a file.
  if (!/[./\\~]/.test(word)) {
    const kind = (await stat(spelled))?.kind;
    if (kind !== 'file' && kind !== 'symlink') return undefined;
  }
  const path = await look(word);
  if (isOddSpelling(word) && path.real === undefined) return undefined;
  const isNamed = holdsProtectedName(spelled) || (path.real !== undefined && holdsProtectedName(path.real));
  return isNamed || path.real !== path.spelled || !isInside(spelled, cwd) ? path : undefined;
}

/** Names of which a path may hold one; what lies in them is protected, or much of it. */
const NAMES: TextPattern = [{ oneOf: ['.git', ...PROTECTED_ANYWHERE] }];

/**
 * Of a pattern of names, whether one of them may be protected. Of a word with a gap that may be anything only
 * what is written out counts: else every variable would be one.
 */
function namesProtected(may: TextPattern, { steps: { take: count } }: Context): boolean {
  const isOpen = may.includes(ANY);
  const known = isOpen ? may.map((piece) => (piece === ANY ? '/' : piece)) : may;
  const ways: readonly TextPattern[] = [
    NAMES,
    [...NAMES, '/', ANY],
    [ANY, '/', ...NAMES],
    [ANY, '/', ...NAMES, '/', ANY],
  ];
  return ways.some((way) => meet(known, way, { count, ignoreCase: true }));
}

const shown = (may: TextPattern): string =>
  may.map((piece) => (typeof piece === 'string' ? piece : '…')).join('');
