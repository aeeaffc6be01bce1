/** Which files a verdict is about: those that were looked at when it was made, and that the tool opens. */

import { isInside } from '@turnwright/base/files/inside.ts';
import type { GateVerdict } from '../../protocol/tools/permission.ts';
import * as say from '../ask/verdict-sentences.ts';
import type { Case } from './evaluation.ts';
import type { ResolvedPath } from './resolved-path.ts';
import type { Subject } from './subject.ts';

export type AllowOrAsk = Extract<GateVerdict, { kind: 'allow' | 'ask' }>;

/**
 * With the files that the verdict is about. A question names the file that is opened, where a link hides it.
 */
export function withPlaces(verdict: AllowOrAsk, each: Case): AllowOrAsk | Promise<AllowOrAsk> {
  if (!namesFiles(each.subject)) return verdict;
  return each.subject.paths().then(async (judged): Promise<AllowOrAsk> => {
    if (verdict.kind === 'allow' || verdict.blockedPath !== undefined) return { ...verdict, judged };
    const elsewhere = await firstElsewhere(judged, each);
    return elsewhere === undefined
      ? { ...verdict, judged }
      : {
          ...verdict,
          judged,
          message: say.leadingTo(verdict.message, elsewhere),
          blockedPath: elsewhere,
        };
  });
}

function namesFiles({ target }: Subject): boolean {
  return target.kind === 'read' || target.kind === 'write';
}

/**
 * Of a path with a link beneath the working directory, where it leads; how that directory itself is reached
 * says nothing.
 */
async function firstElsewhere(
  judged: readonly ResolvedPath[],
  { roots, context }: Case,
): Promise<string | undefined> {
  for (const { spelled, real } of judged) {
    if (real === undefined || real === spelled) continue;
    const root = roots.find((folder) => isInside(spelled, folder));
    if (root === undefined) return real;
    const { real: realRoot = root } = await context.resolve(root);
    if (realRoot + spelled.slice(root.length) !== real) return real;
  }
  return undefined;
}
