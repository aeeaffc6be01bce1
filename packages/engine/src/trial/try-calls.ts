/** Holds recorded calls against a changed policy, and says what it makes of them. */
import type { PolicyInForce } from '../protocol/session/policy-in-force.ts';
import type {
  ChangedCall,
  PolicyChange,
  PolicyTrial,
  SmallestSet,
  TriedVerdict,
  VerdictCounts,
} from '../protocol/session/policy-trial.ts';
import { changePolicy } from './changed-policy.ts';
import type { RecordedCall } from './recorded-call.ts';
import { RuleTally } from './rule-tally.ts';
import { findSmallestSet, type WeighedCall } from './smallest-set.ts';
import { type Judged, recordedVerdict, TrialGate, type TrialPorts } from './trial-gate.ts';

interface TrialOptions extends TrialPorts {
  /** Checked. */
  readonly change: PolicyChange;
  /** The policy of calls whose own was not recorded. */
  basisFor(call: RecordedCall): Promise<PolicyInForce>;
  /** Looks for the fewest offers that would have allowed what was approved. */
  readonly smallest: boolean;
}

export async function tryCalls(
  calls: readonly RecordedCall[],
  options: TrialOptions,
): Promise<Omit<PolicyTrial, 'sessions'>> {
  const trial = new Trial(options);
  for (const call of calls) await trial.take(call);
  return trial.report();
}

/** Different calls, approved or refused, that the fewest rules are looked for. */
const MOST_WEIGHED = 2_000;

type Counts = { -readonly [V in keyof VerdictCounts]: number };

class Trial {
  readonly #options: TrialOptions;
  readonly #gate: TrialGate;
  readonly #policies = new Map<string, PolicyInForce>();
  readonly #shared = new WeakMap<PolicyInForce, PolicyInForce>();
  readonly #names = new WeakMap<PolicyInForce, number>();
  readonly #changedPolicies = new Map<PolicyInForce, PolicyInForce>();
  readonly #judged = new Map<string, Promise<Judged | undefined>>();
  readonly #tally: RuleTally;
  readonly #changed: ChangedCall[] = [];
  readonly #approved = new Map<string, WeighedCall & { times: number }>();
  readonly #refused = new Map<string, WeighedCall & { times: number }>();
  readonly #before: Counts = { allow: 0, ask: 0, deny: 0 };
  readonly #after: Counts = { allow: 0, ask: 0, deny: 0 };
  #calls = 0;
  #withoutPolicy = 0;
  #unknownTools = 0;
  #atFiles = 0;
  #drifted = 0;
  #unknownAnswers = 0;
  #unweighed = 0;

  constructor(options: TrialOptions) {
    this.#options = options;
    this.#gate = new TrialGate(options);
    this.#tally = new RuleTally(options.change);
  }

  async take(call: RecordedCall): Promise<void> {
    const { permission } = call;
    // A hook ended it before the rules.
    const isHeld =
      permission?.source === 'hook' && permission.verdict === 'deny' && permission.askedMs === undefined;
    const policy = this.#share(call.policy ?? (await this.#options.basisFor(call)));
    const changed =
      this.#changedPolicies.get(policy) ?? this.#share(changePolicy(policy, this.#options.change));
    if (!this.#changedPolicies.has(policy)) {
      this.#changedPolicies.set(policy, changed);
      this.#tally.know(changed);
    }
    const after: Judged | undefined = isHeld ? heldByHook() : await this.#judge(call, changed);
    const before = after && (await this.#verdictBefore(call, policy, after, isHeld));
    if (after === undefined || before === undefined) {
      this.#unknownTools++;
      return;
    }
    this.#calls++;
    if (call.policy === undefined && !isHeld) this.#withoutPolicy++;
    if (after.lookedAtFiles) this.#atFiles++;
    this.#before[before.verdict]++;
    this.#after[after.verdict]++;
    const subject = describeSubject(call);
    this.#tally.take(before, after, subject);
    if (before.verdict !== after.verdict) this.#changed.push(toChanged(call, subject, before, after));
    if (before.verdict === 'ask' && call.answer === 'approved') this.#weigh(this.#approved, call, policy);
    // A rule would save the judge its answer.
    if (call.permission?.source === 'classifier')
      this.#weigh(this.#approved, call, this.#share({ ...policy, mode: 'default' }));
    if (call.answer === 'refused') this.#weigh(this.#refused, call, policy);
    if (call.answer === 'unknown' && call.permission === undefined) this.#unknownAnswers++;
  }

  async report(): Promise<Omit<PolicyTrial, 'sessions'>> {
    const changedTo = (verdict: keyof VerdictCounts) =>
      this.#changed.filter(({ after }) => after.verdict === verdict).length;
    const smallest: SmallestSet | undefined = this.#options.smallest
      ? await findSmallestSet([...this.#approved.values()], [...this.#refused.values()], this.#gate)
      : undefined;
    return {
      calls: this.#calls,
      unchanged: this.#calls - this.#changed.length,
      newlyAllowed: changedTo('allow'),
      newlyAsked: changedTo('ask'),
      newlyDenied: changedTo('deny'),
      before: this.#before,
      after: this.#after,
      changed: this.#changed,
      ...this.#tally.report(),
      ...(smallest !== undefined && { smallest }),
      notes: this.#notes(),
    };
  }

  /**
   * What was recorded. Where the change makes something else of the call, what the recorded policy makes of
   * it now: files, and this program, may have changed since.
   */
  async #verdictBefore(
    call: RecordedCall,
    policy: PolicyInForce,
    after: TriedVerdict,
    isHeld: boolean,
  ): Promise<TriedVerdict | undefined> {
    if (isHeld) return after;
    if (call.policy === undefined || call.permission === undefined) return this.#judge(call, policy);
    const recorded = recordedVerdict(call.permission);
    if (recorded.verdict === after.verdict) return recorded;
    const now = await this.#judge(call, policy);
    if (now !== undefined && now.verdict !== recorded.verdict) this.#drifted++;
    return now;
  }

  #judge(call: RecordedCall, policy: PolicyInForce): Promise<Judged | undefined> {
    const key = this.#keyOf(call, policy);
    const known = this.#judged.get(key) ?? this.#gate.judge(call, policy);
    this.#judged.set(key, known);
    return known;
  }

  #keyOf(
    { tool, input, cwd, root, agentId, permission, answer, answeredInput }: RecordedCall,
    policy: PolicyInForce,
  ) {
    const { hook, ruled, source, tool: facts } = permission ?? {};
    const about = [
      tool,
      input,
      cwd,
      root,
      agentId,
      hook,
      ruled?.verdict,
      source,
      facts,
      answer,
      answeredInput,
    ];
    return `${this.#names.get(policy)} ${JSON.stringify(about)}`;
  }

  #weigh(
    among: Map<string, WeighedCall & { times: number }>,
    call: RecordedCall,
    policy: PolicyInForce,
  ): void {
    const key = this.#keyOf(call, policy);
    const known = among.get(key);
    if (known === undefined && among.size >= MOST_WEIGHED) this.#unweighed++;
    else if (known === undefined) among.set(key, { call, policy, times: 1 });
    else known.times++;
  }

  /** Equal policies of several sessions are one: what it finds on the disk is found once. */
  #share(policy: PolicyInForce): PolicyInForce {
    const known = this.#shared.get(policy);
    if (known !== undefined) return known;
    const key = JSON.stringify(policy);
    const shared = this.#policies.get(key) ?? policy;
    if (shared === policy) this.#names.set(policy, this.#policies.size);
    this.#policies.set(key, shared);
    this.#shared.set(policy, shared);
    return shared;
  }

  #notes(): readonly string[] {
    const calls = this.#calls;
    const say = (count: number, sentence: string) =>
      count === 0 ? [] : [`${count} of ${calls} calls ${sentence}`];
    return [
      ...say(this.#atFiles, 'were judged by files as they are now.'),
      ...say(
        this.#drifted,
        'would be judged otherwise now even without the change: files or Turnwright differ.',
      ),
      ...say(
        this.#withoutPolicy,
        'were recorded without their policy, by an earlier version or another program: the settings of now take its place.',
      ),
      ...say(this.#unknownAnswers, 'are of a transcript that does not say whether they were asked about.'),
      ...say(
        this.#unweighed,
        'were approved or refused and not considered for the fewest rules: there are too many.',
      ),
      ...(this.#unknownTools === 0
        ? []
        : [`Left out, because their tool or input is not known here: ${this.#unknownTools} of the calls.`]),
    ];
  }
}

const heldByHook = (): Judged => ({
  verdict: 'deny',
  source: 'hook',
  allowedBy: [],
  suggestions: [],
  lookedAtFiles: false,
  last: 'deny',
});

function toChanged(
  { sessionId, agentId, toolUseId, tool, answer }: RecordedCall,
  subject: string,
  before: TriedVerdict,
  after: TriedVerdict,
): ChangedCall {
  return {
    sessionId,
    ...(agentId !== undefined && { agentId }),
    toolUseId,
    tool,
    subject,
    before: plain(before),
    after: plain(after),
    answer,
  };
}

const plain = ({ verdict, source, rule, ruleSource }: TriedVerdict): TriedVerdict => ({
  verdict,
  source,
  ...(rule !== undefined && { rule }),
  ...(ruleSource !== undefined && { ruleSource }),
});

/** Fields that say what a call is about, the first of them that it has. */
const SUBJECTS = ['command', 'file_path', 'notebook_path', 'path', 'url', 'pattern', 'skill', 'query'];

function describeSubject({ input }: RecordedCall): string {
  for (const field of SUBJECTS) {
    const value = input[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  return JSON.stringify(input);
}
