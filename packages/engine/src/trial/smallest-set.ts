/**
 * The fewest offers of the permission dialog that would have allowed what a person approved, and nothing that
 * one refused. Every demand is one that the gate itself made: a choice that it does not meet adds the next.
 */

import type { PolicyInForce } from '../protocol/session/policy-in-force.ts';
import type { SmallestOffer, SmallestSet } from '../protocol/session/policy-trial.ts';
import { toolFacts } from '../protocol/tools/builtin-tools.ts';
import type { PermissionUpdate } from '../protocol/tools/permission.ts';
import { formatRule } from '../protocol/tools/permission.ts';
import { chooseFewest, type FewestChosen } from './hitting-set.ts';
import type { RecordedCall } from './recorded-call.ts';
import type { TrialGate } from './trial-gate.ts';

/** A call under a policy, as often as it was made. */
export interface WeighedCall {
  readonly call: RecordedCall;
  readonly policy: PolicyInForce;
  readonly times: number;
}

interface Candidate {
  readonly offer: Omit<SmallestOffer, 'calls'>;
  readonly add: PermissionUpdate;
  readonly remove: PermissionUpdate;
}

/** A call, and the candidates that may change what becomes of it. */
interface Held extends WeighedCall {
  readonly relevant: readonly number[];
}

interface Usable extends Held {
  /** Of the relevant ones, those that allow no refused call by themselves. */
  readonly usable: readonly number[];
}

/** Rounds of the search; each adds a demand. */
const MOST_ROUNDS = 2_000;

export async function findSmallestSet(
  approved: readonly WeighedCall[],
  refused: readonly WeighedCall[],
  gate: TrialGate,
): Promise<SmallestSet> {
  const search = new Search(gate);
  for (const each of approved) await search.collect(each);
  return search.run(approved, refused);
}

class Search {
  readonly #gate: TrialGate;
  readonly #candidates: Candidate[] = [];
  readonly #known = new Map<string, number>();
  readonly #verdicts = new Map<Held, Map<string, Promise<boolean>>>();

  constructor(gate: TrialGate) {
    this.#gate = gate;
  }

  /** What the dialog offered for the call. */
  async collect({ call, policy }: WeighedCall): Promise<void> {
    const judged = await this.#gate.judge(call, policy);
    for (const candidate of (judged?.suggestions ?? []).flatMap(candidatesIn)) {
      const key = JSON.stringify(candidate.offer);
      if (this.#known.has(key)) continue;
      this.#known.set(key, this.#candidates.length);
      this.#candidates.push(candidate);
    }
  }

  async run(approved: readonly WeighedCall[], refused: readonly WeighedCall[]): Promise<SmallestSet> {
    const held = (each: WeighedCall): Held => ({ ...each, relevant: this.#relevantTo(each) });
    const no = refused.map(held);
    const bad = new Set<number>();
    for (const each of no)
      for (const candidate of each.relevant)
        if (!bad.has(candidate) && (await this.#allows(each, new Set([candidate])))) bad.add(candidate);
    const usable = approved.map((each) => {
      const relevant = this.#relevantTo(each);
      return { ...each, relevant, usable: relevant.filter((candidate) => !bad.has(candidate)) };
    });
    const { choice, dropped, yes, beyondRules, likeRefused: alike } = await this.#solve(usable, no);
    const likeRefused = alike + dropped;
    const total = approved.reduce((sum, { times }) => sum + times, 0);
    return {
      offers: await this.#describe(choice.chosen, yes),
      approved: total,
      allowed: total - beyondRules - likeRefused,
      beyondRules,
      likeRefused,
      refused: refused.reduce((sum, { times }) => sum + times, 0),
      isSmallest: choice.isSmallest && dropped === 0,
      atLeast: choice.atLeast,
    };
  }

  async #solve(approved: readonly Usable[], no: readonly Held[]) {
    let open = approved;
    let [dropped, beyondRules, likeRefused] = [0, 0, 0];
    const atLeastOne: { readonly of: Held; readonly clause: ReadonlySet<number> }[] = [];
    const notAll: ReadonlySet<number>[] = [];
    let choice: FewestChosen = { chosen: new Set(), isSmallest: true, atLeast: 0 };
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const next = chooseFewest({ atLeastOne: atLeastOne.map(({ clause }) => clause), notAll });
      if (next === undefined) {
        // It cannot be allowed beside the others without something that was refused.
        const gone = atLeastOne.at(-1)?.of;
        if (gone === undefined) break;
        open = open.filter((each) => each !== gone);
        dropped += gone.times;
        atLeastOne.splice(0, atLeastOne.length, ...atLeastOne.filter(({ of }) => of !== gone));
        continue;
      }
      choice = next;
      let demand: (typeof atLeastOne)[number] | undefined;
      const beyond = new Set<Usable>();
      for (const each of open) {
        if (await this.#allows(each, choice.chosen)) continue;
        if (await this.#allows(each, new Set(each.usable))) {
          demand = { of: each, clause: await this.#missing(each, choice.chosen) };
          break;
        }
        beyond.add(each);
        if (await this.#allows(each, new Set(each.relevant))) likeRefused += each.times;
        else beyondRules += each.times;
      }
      if (beyond.size > 0) open = open.filter((each) => !beyond.has(each));
      if (demand !== undefined) atLeastOne.push(demand);
      let isMet = demand === undefined;
      for (const each of no)
        if (await this.#allows(each, choice.chosen)) {
          notAll.push(await this.#cause(each, choice.chosen));
          isMet = false;
        }
      if (isMet) return { choice, dropped, yes: open, beyondRules, likeRefused };
    }
    return { choice: { ...choice, isSmallest: false }, dropped, yes: open, beyondRules, likeRefused };
  }

  /** Candidates of which one at least is needed: all others together do not allow the call. */
  async #missing(each: Usable, chosen: ReadonlySet<number>): Promise<ReadonlySet<number>> {
    const without = new Set(each.usable.filter((candidate) => chosen.has(candidate)));
    const needed = new Set<number>();
    for (const candidate of each.usable) {
      if (without.has(candidate)) continue;
      without.add(candidate);
      if (!(await this.#allows(each, without))) continue;
      without.delete(candidate);
      needed.add(candidate);
    }
    return needed;
  }

  /** Candidates that together allow a refused call, and none of them can be left out. */
  async #cause(each: Held, chosen: ReadonlySet<number>): Promise<ReadonlySet<number>> {
    const cause = new Set(each.relevant.filter((candidate) => chosen.has(candidate)));
    for (const candidate of [...cause]) {
      cause.delete(candidate);
      if (!(await this.#allows(each, cause))) cause.add(candidate);
    }
    return cause;
  }

  /** Whether the gate lets the call run without a question, with these offers taken. */
  #allows(each: Held, chosen: ReadonlySet<number>): Promise<boolean> {
    const taken = each.relevant.filter((candidate) => chosen.has(candidate));
    const known = this.#verdicts.get(each) ?? new Map<string, Promise<boolean>>();
    this.#verdicts.set(each, known);
    const key = taken.join(' ');
    const verdict = known.get(key) ?? this.#decide(each, taken);
    known.set(key, verdict);
    return verdict;
  }

  async #decide({ call, policy }: Held, taken: readonly number[]): Promise<boolean> {
    const permissions = this.#gate.permissionsFor(policy);
    const { mode } = permissions;
    const updates = taken.flatMap((at) => this.#candidates[at] ?? []);
    permissions.apply(updates.map(({ add }) => add));
    try {
      return (await this.#gate.judge(call, policy))?.verdict === 'allow';
    } finally {
      permissions.apply(updates.map(({ remove }) => remove));
      permissions.setMode(mode);
    }
  }

  /** By what they speak of: a rule for a program cannot allow a line that does not have its word. */
  #relevantTo({ call, policy }: WeighedCall): readonly number[] {
    const command = call.input['command'];
    const words = typeof command === 'string' ? command.replace(QUOTES, '') : undefined;
    return this.#candidates.flatMap(({ add }, at) => {
      if (isInForce(add, policy)) return [];
      if (add.type !== 'addRules') return [at];
      const [{ toolName, ruleContent = '' } = { toolName: '' }] = add.rules;
      if (toolFacts(toolName).family === 'read' || toolFacts(toolName).family === 'write') return [at];
      if (toolName !== call.tool) return [];
      const [program = ''] = ruleContent.replace(QUOTES, '').split(/[\s:*]/);
      return words?.includes(program) === false ? [] : [at];
    });
  }

  async #describe(chosen: ReadonlySet<number>, yes: readonly Held[]): Promise<readonly SmallestOffer[]> {
    const offers: SmallestOffer[] = [];
    for (const at of chosen) {
      const candidate = this.#candidates[at];
      if (candidate === undefined) continue;
      let calls = 0;
      const others = new Set([...chosen].filter((each) => each !== at));
      for (const each of yes) if (!(await this.#allows(each, others))) calls += each.times;
      offers.push({ ...candidate.offer, calls } as SmallestOffer);
    }
    return offers.toSorted((a, b) => b.calls - a.calls);
  }
}

const QUOTES = /['"\\]/g;

/** Nothing would change; a mode replaces the default one alone. */
function isInForce(update: PermissionUpdate, { allow, directories, mode }: PolicyInForce): boolean {
  switch (update.type) {
    case 'addRules':
      return update.rules.every((rule) =>
        allow.some(([source, ...rules]) => source === 'session' && rules.includes(formatRule(rule))),
      );
    case 'addDirectories':
      return update.directories.every((path) => directories.some(([known]) => known === path));
    default:
      return mode !== 'default';
  }
}

function candidatesIn(update: PermissionUpdate): readonly Candidate[] {
  switch (update.type) {
    case 'addRules':
      return update.rules.map((rule) => {
        const change = { behavior: update.behavior, rules: [rule], destination: 'session' } as const;
        return {
          offer: { kind: 'rule', rule: formatRule(rule) } as Candidate['offer'],
          add: { type: 'addRules', ...change },
          remove: { type: 'removeRules', ...change },
        };
      });
    case 'addDirectories':
      return update.directories.map((directory) => {
        const change = { directories: [directory], destination: 'session' } as const;
        return {
          offer: { kind: 'directory', directory } as Candidate['offer'],
          add: { type: 'addDirectories', ...change },
          remove: { type: 'removeDirectories', ...change },
        };
      });
    case 'setMode':
      return [
        {
          offer: { kind: 'mode', mode: update.mode } as Candidate['offer'],
          add: update,
          remove: { type: 'setMode', mode: 'default', destination: 'session' },
        },
      ];
    default:
      return [];
  }
}
