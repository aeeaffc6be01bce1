import { parseRule } from '../permissions/rules/permission-rule.ts';
import type { PolicyInForce, RecordedRules } from '../protocol/session/policy-in-force.ts';
import type { PolicyChange } from '../protocol/session/policy-trial.ts';
import type { PermissionBehavior } from '../protocol/tools/permission.ts';
import { formatRule } from '../protocol/tools/permission.ts';

/** Where what a change adds counts as being from. */
const ADDED_BY = 'flagSettings';

/** Rules as they are shown. Throws `invalid_option` for one that cannot be read. */
export function checkedChange(change: PolicyChange): PolicyChange {
  const read = (rules: readonly string[] = [], behavior: PermissionBehavior) =>
    rules.map((rule) => formatRule(parseRule(rule, behavior)));
  return {
    ...change,
    allow: read(change.allow, 'allow'),
    ask: read(change.ask, 'ask'),
    deny: read(change.deny, 'deny'),
    without: read(change.without, 'allow'),
  };
}

/** The policy that is tried. `change` is checked. */
export function changePolicy(policy: PolicyInForce, change: PolicyChange): PolicyInForce {
  const { instead = false, mode, directories = [], sandbox, without = [] } = change;
  const rulesFor = (behavior: PermissionBehavior): RecordedRules => {
    const kept = policy[behavior].flatMap(([source, ...rules]): RecordedRules => {
      if (instead && source !== 'policySettings') return [];
      const left = rules.filter((rule) => !without.includes(rule));
      return left.length === 0 ? [] : [[source, ...left]];
    });
    const added = change[behavior] ?? [];
    return added.length === 0 ? kept : [...kept, [ADDED_BY, ...added]];
  };
  const { managedRulesOnly } = policy.locks;
  return {
    ...policy,
    mode: mode ?? (instead ? 'default' : policy.mode),
    locks: instead ? { ...(managedRulesOnly === true && { managedRulesOnly }) } : policy.locks,
    directories: [
      ...policy.directories.filter(([, source]) => !instead || source === 'policySettings'),
      ...directories.map((path) => [path, ADDED_BY] as const),
    ],
    allow: rulesFor('allow'),
    ask: rulesFor('ask'),
    deny: rulesFor('deny'),
    sandbox:
      sandbox === undefined
        ? policy.sandbox
        : sandbox === 'off'
          ? null
          : {
              mayLeave: policy.sandbox?.mayLeave ?? true,
              excludedCommands: policy.sandbox?.excludedCommands ?? [],
              autoAllow: sandbox === 'auto-allow',
            },
  };
}
