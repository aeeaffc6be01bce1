import { forbidsPath, type PathRuleContext } from '../rules/path-rule.ts';
import { type PermissionRule, speaksOfReading } from '../rules/permission-rule.ts';
import { type DiskReader, lookFrom } from './resolved-path.ts';
import { Steps, TooManySteps } from './steps.ts';

/**
 * The files that a search must omit: the rules are checked for each file it would show, not only for the
 * folder it starts in. undefined if no deny rule concerns reading files: then a search needs no further
 * checks.
 */
export function deniedReads(
  denied: readonly PermissionRule[],
  place: Pick<PathRuleContext, 'cwd' | 'home' | 'ignoreCase' | 'root' | 'standing'> & {
    readonly files: DiskReader;
  },
): ((path: string) => Promise<boolean>) | undefined {
  const specifiers = denied.flatMap(({ value: { toolName, ruleContent } }) =>
    ruleContent !== undefined && speaksOfReading(toolName) ? [ruleContent] : [],
  );
  if (specifiers.length === 0) return undefined;
  // A search may look at any number of files: only what one of them costs is bounded.
  const look = lookFrom(place.files, place.cwd, new Steps(Infinity, Infinity));
  const isDenied = async (path: string) => {
    const resolved = await look.resolve(path);
    if (resolved.real === undefined) return true;
    const context: PathRuleContext = { ...place, ...look, steps: new Steps() };
    for (const specifier of specifiers) if (await forbidsPath(specifier, resolved, context)) return true;
    return false;
  };
  const known = new Map<string, Promise<boolean>>();
  return (path) => {
    // A search shows many lines of one file.
    const answer = known.get(path) ?? isDenied(path).catch(unlessKnown);
    known.set(path, answer);
    return answer;
  };
}

/** What costs too much to know counts as denied. */
function unlessKnown(error: unknown): boolean {
  if (error instanceof TooManySteps) return true;
  throw error;
}
