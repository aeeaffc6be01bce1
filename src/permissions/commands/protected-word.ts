/** Protected paths among the words of programs that may write what they are given. */
import { namedTargets } from '../../shell/programs/named-targets.ts';
import type { Segment } from '../../shell/reading/segment.ts';
import { ANY, knownText, meet, type TextPattern } from '../../shell/reading/text-pattern.ts';
import { PROTECTED_ANYWHERE } from '../../util/files/protected-names.ts';
import { isOddSpelling, isProtected, type Protection } from '../decide/protected-path.ts';
import type { ResolvedPath } from '../decide/real-path.ts';
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
    if (text === '' || text === '-' || !(await mayBeFile(text, context))) continue;
    for (const folder of text.startsWith('/') ? [''] : folders) {
      await context.steps.pause();
      context.steps.take(20);
      const path = await context.resolve(folder === '' ? text : `${folder}/${text}`);
      if (isOddSpelling(text) && path.real === undefined) continue;
      if (await isProtected(path, context)) return path;
    }
  }
  return undefined;
}

/** A word alone may be many things: it is a path if there is such a file, or it looks like one. */
async function mayBeFile(text: string, { resolve, stat }: Context): Promise<boolean> {
  if (/[./\\~]/.test(text)) return true;
  const { real } = await resolve(text);
  const kind = real === undefined ? undefined : (await stat(real))?.kind;
  return kind === 'file' || kind === 'symlink';
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
