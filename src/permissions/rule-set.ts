import type {
  PermissionBehavior,
  PermissionDestination,
  PermissionRuleValue,
  PermissionUpdate,
} from '../protocol/permission.ts';
import { formatRule, type PermissionRule, parseRule } from './rule.ts';

/** Rules as people write them, by where they were written. */
export type RuleTexts = { readonly [B in PermissionBehavior]?: readonly string[] | undefined };

const BEHAVIORS: readonly PermissionBehavior[] = ['deny', 'ask', 'allow'];

/** The rules in force. Updates change what is held here, never a file: writing settings is the host's. */
export interface RuleSet {
  /** In the order they were given. */
  of(behavior: PermissionBehavior): readonly PermissionRule[];
  all(): readonly PermissionRule[];
  update(change: Extract<PermissionUpdate, { readonly rules: unknown }>): void;
}

/** Throws `invalid_option` when a rule cannot be read. */
export function createRuleSet(initial: Iterable<readonly [string, RuleTexts | undefined]>): RuleSet {
  const rules: Record<PermissionBehavior, PermissionRule[]> = { deny: [], ask: [], allow: [] };
  for (const [source, texts] of initial) {
    if (!isDestination(source)) continue;
    for (const behavior of BEHAVIORS) {
      for (const text of texts?.[behavior] ?? [])
        rules[behavior].push({ behavior, source, value: parseRule(text) });
    }
  }

  const isOf =
    (source: PermissionDestination, values: readonly PermissionRuleValue[]) => (rule: PermissionRule) =>
      rule.source === source && values.some((value) => formatRule(value) === formatRule(rule.value));

  return {
    of: (behavior) => rules[behavior],
    all: () => BEHAVIORS.flatMap((behavior) => rules[behavior]),
    update({ type, rules: changed, behavior, destination: source }) {
      const values = changed.map((value) => parseRule(formatRule(value)));
      const others = rules[behavior].filter((rule) => rule.source !== source);
      const own = rules[behavior].filter((rule) => rule.source === source);
      const added = (kept: readonly PermissionRule[]) =>
        values
          .filter((value) => !kept.some((rule) => isOf(source, [value])(rule)))
          .map((value): PermissionRule => ({ behavior, source, value }));
      switch (type) {
        case 'addRules':
          rules[behavior] = [...rules[behavior], ...added(own)];
          return;
        case 'replaceRules':
          rules[behavior] = [...others, ...added([])];
          return;
        case 'removeRules':
          rules[behavior] = rules[behavior].filter((rule) => !isOf(source, values)(rule));
          return;
      }
    },
  };
}

const DESTINATIONS = ['userSettings', 'projectSettings', 'localSettings', 'session', 'cliArg'] as const;

function isDestination(source: string): source is PermissionDestination {
  return DESTINATIONS.some((destination) => destination === source);
}
