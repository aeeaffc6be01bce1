/** The judge of mode `auto` over a session: its bounds, limits, records, and the rules that it suggests. */
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { hostsIn } from '../../permissions/judge/known-hosts.ts';
import { namesTool, parseRule } from '../../permissions/rules/permission-rule.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { UserBlock } from '../../protocol/model/wire.ts';
import type { JudgeRecord } from '../../protocol/session/journal.ts';
import { MAIN_AGENT } from '../../protocol/session/spending.ts';
import { AUTO_MODE_LIMITS, type AutoMode, type JudgeVerdict } from '../../protocol/tools/auto-mode.ts';
import type { AskedQuestion } from '../../protocol/tools/gate-ports.ts';
import { formatRule } from '../../protocol/tools/permission.ts';
import type { Session } from '../session/session.ts';
import { askCallJudge, readJudgement } from './call-judge.ts';
import type { CallJudge } from './judging.ts';

type Judging = Pick<
  Session,
  'budget' | 'conversation' | 'model' | 'notices' | 'permissions' | 'submissions' | 'world'
>;

export class SessionJudge implements CallJudge {
  readonly #given: AutoMode;
  readonly #limits: Readonly<Record<keyof typeof AUTO_MODE_LIMITS, number>>;
  readonly #session: Judging;
  /** Of an earlier process, by call. */
  readonly #earlier = new Map<string, JudgeRecord>();
  /** What the person wrote, also before a summary took its place. */
  readonly #words = new Map<string, string>();
  readonly #allowances = new Map<string, number>();
  #calls = 0;
  #usd = 0;
  #allowed = 0;
  #handedOn = 0;
  #submission: string | undefined;
  /** One at a time, so that limits hold. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(given: AutoMode, earlier: readonly JudgeRecord[], session: Judging) {
    this.#given = given;
    const set = Object.entries(given).filter(([, value]) => value !== undefined);
    this.#limits = { ...AUTO_MODE_LIMITS, ...Object.fromEntries(set) };
    this.#session = session;
    for (const record of earlier) {
      this.#earlier.set(record.toolUseId, record);
      this.#count(record);
      this.#usd += typeof record.costUsd === 'number' ? record.costUsd : 0;
    }
  }

  /** undefined also when the turn was interrupted. Never rejects. */
  judge(asked: AskedQuestion, signal: AbortSignal): Promise<JudgeVerdict | undefined> {
    const judged = this.#last.then(() => this.#judge(asked, signal));
    this.#last = judged.catch(() => undefined);
    return judged.catch((error: unknown) =>
      handOn('away', `the judge could not be asked: ${errorText(error)}`),
    );
  }

  /** A person has decided: what the judge does in a row is counted anew. */
  answered(): void {
    this.#allowed = 0;
    this.#handedOn = 0;
  }

  async #judge(asked: AskedQuestion, signal: AbortSignal): Promise<JudgeVerdict | undefined> {
    if (signal.aborted) return undefined;
    const { permissions } = this.#session;
    const { version } = permissions.policyFor(asked);
    const words = this.#ownWords();
    const hosts = [...(this.#given.hosts ?? []), ...words.flatMap(hostsIn)];
    const bound = await permissions.judgeBound(asked, hosts);
    if (bound === undefined) return undefined;
    if (bound.kind !== 'open') return handOn('bound', bound.why);
    const known = this.#earlier.get(asked.toolUseId);
    if (known !== undefined && known.call === nameCall(asked)) return verdictIn(known);
    const limit = this.#limitReached();
    if (limit !== undefined) return handOn('limit', limit);
    const verdict = await this.#ask(asked, words, signal);
    if (signal.aborted) return undefined;
    await this.#record(asked, verdict);
    if (verdict.verdict !== 'allow') return verdict;
    // What rules say by now goes before what the judge said of them as they were.
    if (permissions.policyFor(asked).version !== version) {
      const now = await permissions.judgeBound(asked, hosts);
      if (now?.kind !== 'open') return handOn('bound', now?.why ?? 'the mode is another one by now');
    }
    await this.#suggest(asked);
    return verdict;
  }

  #limitReached(): string | undefined {
    const { submissions } = this.#session;
    if (submissions.running !== this.#submission) this.#handedOn = 0;
    this.#submission = submissions.running;
    const { maxAllowed, maxCalls, maxHandedOn, maxUsd } = this.#limits;
    if (this.#given.judge === undefined) return 'no judge is named (autoMode.judge)';
    const { model } = this.#session;
    if (model.infoOf(model.resolve(this.#given.judge)).price === undefined)
      return `${this.#given.judge} has no known price, so that what it costs has no limit`;
    if (this.#calls >= maxCalls) return `it has judged ${maxCalls} calls in this session (maxCalls)`;
    if (this.#usd >= maxUsd) return `it has cost $${maxUsd} in this session (maxUsd)`;
    if (this.#allowed >= maxAllowed)
      return `it has allowed ${maxAllowed} calls in a row, and a person looks at the next one (maxAllowed)`;
    if (this.#handedOn >= maxHandedOn)
      return `it has handed on ${maxHandedOn} calls in a row, and is not asked again before the next prompt (maxHandedOn)`;
    return undefined;
  }

  async #ask(asked: AskedQuestion, words: readonly string[], signal: AbortSignal): Promise<JudgeVerdict> {
    const { budget, model, permissions, world } = this.#session;
    const { timeoutMs } = this.#limits;
    const name = model.resolve(this.#given.judge as string);
    const stop = new AbortController();
    const onAbort = () => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const startMs = world.clock.monotonicMs();
    let costUsd = 0;
    const agent = asked.asker?.at(-1)?.agentType ?? MAIN_AGENT;
    const ledger = {
      totalCostUsd: () => budget.ledger.totalCostUsd(),
      settle: (spent: Parameters<typeof budget.account.settle>[0]) => {
        const usd = agent === MAIN_AGENT ? budget.account.settle(spent) : budget.ledger.settle(spent, agent);
        costUsd += usd;
        this.#usd += usd;
        return usd;
      },
    };
    const toolNames = [asked.tool.name, ...(asked.tool.aliases ?? [])];
    const rules = permissions
      .rules()
      .filter(({ inForce, rule }) => inForce && namesTool(parseRule(rule).toolName, toolNames))
      .map(({ behavior, rule }) => ({ behavior, rule }));
    let disarm = () => {};
    const late = new Promise<'late'>((resolve) => {
      disarm = world.clock.timer(timeoutMs, () => resolve('late'));
    });
    const answering = askCallJudge(
      {
        asked,
        words,
        rules,
        autoMode: this.#given,
        model: name,
        effectKey: `${this.#submissionNow()}/permission_judge/${world.ids.uuid()}`,
        signal: stop.signal,
        ledger,
      },
      this.#session,
    ).then(
      (text) => ({ text }),
      () => ({ text: undefined }),
    );
    const first = await Promise.race([answering, late]);
    disarm();
    signal.removeEventListener('abort', onAbort);
    stop.abort('judged');
    const about = { model: name, ms: world.clock.monotonicMs() - startMs };
    if (first === 'late') {
      // What it still costs is on the ledger when the call has ended.
      return { ...handOn('slow', `it gave no answer within ${timeoutMs / 1000} s`), ...about, costUsd };
    }
    const { text } = first;
    if (text === undefined)
      return { ...handOn('away', 'it gave no answer, or there is no money for one'), ...about, costUsd };
    const judgement = readJudgement(text);
    return judgement === undefined
      ? { ...handOn('unclear', 'its answer cannot be read'), ...about, costUsd }
      : { ...judgement, why: 'judged', ...about, costUsd };
  }

  /** Before the call may run: another process is not to ask again. */
  async #record(asked: AskedQuestion, verdict: JudgeVerdict): Promise<void> {
    const submission = this.#submissionNow();
    const { toolUseId, agentId } = asked;
    const record: JudgeRecord = {
      toolUseId,
      call: nameCall(asked),
      ...(agentId !== undefined && { agentId }),
      ...verdict,
    };
    this.#count(record);
    await this.#session.conversation.recorder.append([
      { type: 'judge', id: `${submission}/judge/${this.#session.world.ids.uuid()}`, submission, ...record },
    ]);
  }

  #count(verdict: JudgeVerdict): void {
    this.#calls += 1;
    if (verdict.verdict === 'allow') {
      this.#allowed += 1;
      this.#handedOn = 0;
    } else this.#handedOn += 1;
  }

  #submissionNow(): string {
    const { conversation, submissions } = this.#session;
    return submissions.running ?? conversation.sessionId;
  }

  #ownWords(): readonly string[] {
    for (const message of this.#session.conversation.messages) {
      const said = wordsIn(message);
      if (said !== '') this.#words.set(message.uuid, said);
    }
    return [...this.#words.values()];
  }

  /** A rule that would have saved the same question often enough; no rule is added by this. */
  async #suggest(asked: AskedQuestion): Promise<void> {
    const { notices, permissions } = this.#session;
    const updates = asked.suggestions ?? [];
    const rules = updates.flatMap((update) =>
      update.type === 'addRules' ? update.rules.map(formatRule) : [],
    );
    for (const rule of rules) {
      const times = (this.#allowances.get(rule) ?? 0) + 1;
      this.#allowances.set(rule, times);
      if (times !== this.#limits.suggestAfter) continue;
      const checked = await permissions.checkRule(rule, asked);
      // One that reaches far is not for a message to suggest.
      if (checked.ok && checked.caution === undefined)
        notices.say(
          `The judge has allowed calls that the rule ${rule} would allow ${times} times. With it, no model is asked: add it to permissions.allow, or see all of them with turnwright policy try.`,
          'notice',
        );
    }
  }
}

const handOn = (why: JudgeVerdict['why'], reason: string): JudgeVerdict => ({
  verdict: 'hand_on',
  why,
  reason,
});

const verdictIn = ({ verdict, why, reason, model, ms, costUsd }: JudgeRecord): JudgeVerdict => ({
  verdict: verdict === 'allow' ? 'allow' : 'hand_on',
  why,
  reason,
  model,
  ms,
  costUsd,
});

const nameCall = ({ tool, input, cwd }: AskedQuestion): string =>
  sha256(JSON.stringify([tool.name, input, cwd])).slice(0, 16);

/** What a person typed: not what commands, skills, hooks or the engine put into a prompt. */
function wordsIn(message: ViewMessage): string {
  if (message.type === 'attachment') {
    const { type, prompt, origin } = message.attachment as Readonly<Record<string, unknown>>;
    return type === 'queued_command' && isOfPerson(origin) ? typedIn(prompt as Content) : '';
  }
  if (message.type !== 'user' || message.isSynthetic === true || !isOfPerson(message.origin)) return '';
  const { content } = message.message;
  if (message.kind === 'prompt') return typedIn(content);
  const [head] = message.kind === 'command' && Array.isArray(content) ? content : [];
  const args =
    head?.type === 'text' ? /<command-args>([\s\S]*)<\/command-args>/.exec(head.text)?.[1] : undefined;
  return args ?? '';
}

type Content = string | readonly UserBlock[];

const isOfPerson = (origin: unknown): boolean =>
  origin === undefined || (origin as { readonly kind?: unknown }).kind === 'human';

function typedIn(content: Content): string {
  const texts =
    typeof content === 'string'
      ? [content]
      : content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts.filter((text) => !text.startsWith('<')).join('\n');
}
