import type { PolicyInForce } from '../protocol/session/policy-in-force.ts';
import type { PolicyChange, PolicyTrial, TriedRule, TriedVerdict } from '../protocol/session/policy-trial.ts';
import type { PermissionBehavior } from '../protocol/tools/permission.ts';
import type { Judged } from './trial-gate.ts';

interface Tallied {
  readonly rule: string;
  readonly behavior: PermissionBehavior;
  readonly source: string;
  decided: number;
  saved: number;
  made: number;
  denied: number;
  readonly examples: string[];
  /** Of calls that do not change. */
  readonly others: string[];
}

const MOST_EXAMPLES = 3;
const BEHAVIORS = ['deny', 'ask', 'allow'] as const;

/** What each rule of the changed policies does. */
export class RuleTally {
  readonly #change: PolicyChange;
  readonly #rules = new Map<string, Tallied>();

  constructor(change: PolicyChange) {
    this.#change = change;
  }

  /** Rules that a command lends for a time are none that a person could change. */
  know(policy: PolicyInForce): void {
    for (const behavior of BEHAVIORS)
      for (const [source, ...rules] of policy[behavior])
        if (source !== 'command') for (const rule of rules) this.#of(rule, behavior, source);
  }

  take(before: TriedVerdict, after: Judged, subject: string): void {
    const changes = before.verdict !== after.verdict;
    for (const tallied of this.#decidedBy(after)) {
      tallied.decided++;
      const isFirst = changes || tallied.examples.length + tallied.others.length < MOST_EXAMPLES;
      const list = changes ? tallied.examples : tallied.others;
      if (isFirst && list.length < MOST_EXAMPLES && !list.includes(subject)) list.push(subject);
      if (!changes) continue;
      if (before.verdict === 'ask' && after.verdict === 'allow') tallied.saved++;
      if (after.verdict === 'ask') tallied.made++;
      if (after.verdict === 'deny') tallied.denied++;
    }
  }

  report(): Pick<PolicyTrial, 'decidedNothing' | 'rules'> {
    const all = [...this.#rules.values()];
    const effect = ({ saved, made, denied }: Tallied) => saved + made + denied;
    return {
      rules: all
        .filter(({ decided }) => decided > 0)
        .toSorted((a, b) => effect(b) - effect(a) || b.decided - a.decided)
        .map(
          ({ examples, others, ...tallied }): TriedRule => ({
            ...tallied,
            examples: [...examples, ...others].slice(0, MOST_EXAMPLES),
          }),
        ),
      decidedNothing: all
        .filter(({ decided }) => decided === 0)
        .map(({ rule, behavior, source }) => ({ rule, behavior, source })),
    };
  }

  /** A deny rule that may match makes a question. */
  *#decidedBy({ verdict, source, rule, allowedBy }: Judged): Generator<Tallied> {
    if (source !== 'rule') return;
    const rules = verdict === 'allow' ? allowedBy : rule === undefined ? [] : [rule];
    for (const each of new Set(rules)) {
      const behaviors = verdict === 'ask' ? (['ask', 'deny'] as const) : ([verdict] as const);
      const found = behaviors.flatMap((behavior) => this.#rules.get(`${behavior} ${each}`) ?? []);
      if (found[0] !== undefined) yield found[0];
    }
  }

  #of(rule: string, behavior: PermissionBehavior, source: string): void {
    const key = `${behavior} ${rule}`;
    if (this.#rules.has(key)) return;
    const isOfTrial = this.#change[behavior]?.includes(rule) === true;
    this.#rules.set(key, {
      rule,
      behavior,
      source: isOfTrial ? 'trial' : source,
      decided: 0,
      saved: 0,
      made: 0,
      denied: 0,
      examples: [],
      others: [],
    });
  }
}
