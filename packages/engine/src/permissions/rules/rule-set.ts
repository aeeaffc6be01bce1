import type {
  PermissionBehavior,
  PermissionRuleSource,
  PermissionRuleValue,
  PermissionUpdate,
} from '../../protocol/tools/permission.ts';
import { formatRule } from '../../protocol/tools/permission.ts';
import { type PermissionRule, parseRule } from './permission-rule.ts';

/** Rules as people write them, by where they were written. */
export type RuleTexts = { readonly [B in PermissionBehavior]?: readonly string[] | undefined };

const BEHAVIORS: readonly PermissionBehavior[] = ['deny', 'ask', 'allow'];

/** The rules in force. Updates change what is held here; files are the settings room's. */
export interface RuleSet {
  /** Those in force, in the order they were given. */
  of(behavior: PermissionBehavior): readonly PermissionRule[];
  /** Those that are not in force as well. */
  all(): readonly PermissionRule[];
  isInForce(rule: PermissionRule): boolean;
  replaceSource(source: PermissionRuleSource, texts: RuleTexts): void;
  update(change: Extract<PermissionUpdate, { readonly rules: unknown }>): void;
  /**
   * Allows these until the returned function is called; the same rule from elsewhere, or lent twice, holds
   * on.
   */
  lend(rules: readonly string[]): () => void;
}

/**
 * With `managedOnly`, only managed allow rules apply; deny and ask rules apply from all sources. Throws
 * `invalid_option` when a rule cannot be read.
 */
export function createRuleSet(
  initial: Iterable<readonly [string, RuleTexts | undefined]>,
  managedOnly = false,
): RuleSet {
  return new Rules(initial, managedOnly);
}

class Rules implements RuleSet {
  readonly #rules: Record<PermissionBehavior, PermissionRule[]> = { deny: [], ask: [], allow: [] };
  readonly #managedOnly: boolean;

  constructor(initial: Iterable<readonly [string, RuleTexts | undefined]>, managedOnly: boolean) {
    this.#managedOnly = managedOnly;
    for (const [source, texts] of initial) if (isSource(source)) this.#add(source, texts);
  }

  of(behavior: PermissionBehavior): readonly PermissionRule[] {
    const rules = this.#rules[behavior];
    return this.#managedOnly ? rules.filter((rule) => this.isInForce(rule)) : rules;
  }

  isInForce({ behavior, source }: PermissionRule): boolean {
    return !this.#managedOnly || behavior !== 'allow' || source === 'policySettings';
  }

  all(): readonly PermissionRule[] {
    return BEHAVIORS.flatMap((behavior) => this.#rules[behavior]);
  }

  replaceSource(source: PermissionRuleSource, texts: RuleTexts): void {
    for (const behavior of BEHAVIORS) for (const text of texts[behavior] ?? []) parseRule(text, behavior);
    for (const behavior of BEHAVIORS)
      this.#rules[behavior] = this.#rules[behavior].filter((rule) => rule.source !== source);
    this.#add(source, texts);
  }

  update({ type, rules: changed, behavior, destination: source }: Parameters<RuleSet['update']>[0]): void {
    const rules = this.#rules;
    const values = changed.map((value) => parseRule(formatRule(value), behavior));
    const others = rules[behavior].filter((rule) => rule.source !== source);
    const own = rules[behavior].filter((rule) => rule.source === source);
    const added = (kept: readonly PermissionRule[]) =>
      values
        .filter((value) => !kept.some((rule) => isAmong(source, [value])(rule)))
        .map((value): PermissionRule => ({ behavior, source, value }));
    switch (type) {
      case 'addRules':
        rules[behavior] = [...rules[behavior], ...added(own)];
        return;
      case 'replaceRules':
        rules[behavior] = [...others, ...added([])];
        return;
      case 'removeRules':
        rules[behavior] = rules[behavior].filter((rule) => !isAmong(source, values)(rule));
        return;
    }
  }

  lend(texts: readonly string[]): () => void {
    const rules = this.#rules;
    const lent = texts.map(
      (text): PermissionRule => ({ behavior: 'allow', source: 'command', value: parseRule(text, 'allow') }),
    );
    rules.allow = [...rules.allow, ...lent];
    return () => {
      rules.allow = rules.allow.filter((rule) => !lent.includes(rule));
    };
  }

  #add(source: PermissionRuleSource, texts: RuleTexts | undefined): void {
    for (const behavior of BEHAVIORS) {
      for (const text of texts?.[behavior] ?? [])
        this.#rules[behavior].push({ behavior, source, value: parseRule(text, behavior) });
    }
  }
}

function isAmong(source: PermissionRuleSource, values: readonly PermissionRuleValue[]) {
  return (rule: PermissionRule) =>
    rule.source === source && values.some((value) => formatRule(value) === formatRule(rule.value));
}

const SOURCES: readonly PermissionRuleSource[] = [
  'policySettings',
  'flagSettings',
  'userSettings',
  'projectSettings',
  'localSettings',
  'cliArg',
  'command',
  'session',
];

function isSource(source: string): source is PermissionRuleSource {
  return SOURCES.some((known) => known === source);
}
