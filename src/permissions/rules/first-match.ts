import type { PermissionBehavior } from '../../protocol/tools/permission.ts';
import type { Case } from '../decide/evaluation.ts';
import type { Match } from './match.ts';
import { matchRule } from './match-rule.ts';
import type { PermissionRule } from './rule.ts';

interface Found {
  readonly rule: PermissionRule;
  readonly match: Exclude<Match, 'no'>;
}

/** The first rule that matches for sure, or else the first that may. */
export function firstMatch(
  behavior: PermissionBehavior,
  { state, subject, context }: Case,
): Found | undefined | Promise<Found | undefined> {
  const rules = state.rules.of(behavior);
  const from = (start: number, possible: Found | undefined): ReturnType<typeof firstMatch> => {
    let found = possible;
    for (let at = start; at < rules.length; at++) {
      const rule = rules[at] as PermissionRule;
      const match = matchRule(rule, subject, context);
      if (match instanceof Promise)
        return match.then((known) =>
          known === 'yes' ? { rule, match: known } : from(at + 1, found ?? foundIf(rule, known)),
        );
      if (match === 'yes') return { rule, match };
      found ??= foundIf(rule, match);
    }
    return found;
  };
  return from(0, undefined);
}

function foundIf(rule: PermissionRule, match: Match): Found | undefined {
  return match === 'no' ? undefined : { rule, match };
}
