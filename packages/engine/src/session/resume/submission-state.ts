/** Tracks the records of the last submission: its progress, and what is needed to continue it (L4.1). */

import { requireList } from '@turnwright/base/json-values.ts';
import type { AssistantMessage, UserMessage } from '../../protocol/model/messages.ts';
import type { EffortLevel, StopReason, Usage } from '../../protocol/model/wire.ts';
import type { CarriedState, DecisionRecord } from '../../protocol/session/decision-record.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { Terminal } from '../../protocol/session/terminal.ts';
import type { TransitionReason } from '../../protocol/session/transition.ts';
import type { PermissionDenial } from '../../protocol/tools/permission.ts';
import type { EffectClass } from '../../protocol/tools/tool.ts';

export type RecordOf<T extends JournalBody['type']> = Extract<JournalBody, { type: T }>;

/** Transitions that count as a turn. */
const COUNTED: ReadonlySet<TransitionReason> = new Set<TransitionReason>(['next_turn', 'verify_failed']);

export interface OpenAsk {
  readonly askId: string;
  readonly toolUseId: string;
  readonly question: unknown;
  /** Answered, but its call has not run yet. */
  readonly answer?: unknown;
}

export class SubmissionState {
  readonly id: string;
  readonly model: string;
  readonly modelName: string | undefined;
  readonly effort: EffortLevel | undefined;
  /** The permission mode that it began in; undefined: another program ran it. */
  readonly permissionMode: string | undefined;
  /** Another program ran it. */
  readonly foreign: boolean;
  /** 0 before the first request. */
  iteration = 0;
  attempt = 0;
  turnCount = 1;
  stopReason: StopReason | null = null;
  /** uuids of its prompts, and keys of queued prompts that joined it. */
  readonly prompts: string[] = [];
  /** A prompt is recorded, so there is something to answer. */
  isPrompted = false;
  /** The interruption note is recorded: the run had been aborted. */
  #isInterrupted = false;
  /** Effect classes of calls that have started. */
  readonly intents = new Map<string, EffectClass>();
  /** Agents that its calls started or went on with, by the id of the call. */
  readonly agents = new Map<string, string>();
  /** Calls that an earlier resume answered as unknown. */
  readonly unknown = new Set<string>();
  readonly asks = new Map<string, OpenAsk>();
  /** Rules that a command or skill granted for its duration. */
  readonly lent: string[] = [];
  /** Denied calls of its agents. */
  readonly denied: PermissionDenial[] = [];
  readonly decisions: DecisionRecord[] = [];
  /**
   * Its messages so far, errors included, without prompts and retracted messages: its result is made from
   * them.
   */
  get said(): readonly (AssistantMessage | UserMessage)[] {
    return this.#said;
  }
  #said: (AssistantMessage | UserMessage)[] = [];
  /** Usage of its responses. */
  readonly usages: Usage[] = [];
  /** The last model, if a command or an overload had replaced the first. */
  switchedModel: string | undefined;
  /** Its completion conditions. */
  verify: RecordOf<'verify'> | undefined;
  /** State that its current iteration started with. */
  carried: CarriedState | undefined;
  /** How its current iteration was parked last. */
  parked: RecordOf<'parked'> | undefined;
  #decided: DecisionRecord | undefined;
  #isAnswered = false;

  constructor(
    record: Pick<RecordOf<'submission'>, 'submission' | 'model'> &
      Partial<Pick<RecordOf<'submission'>, 'effort' | 'modelName' | 'permissionMode'>>,
    how: { readonly foreign: boolean } = { foreign: false },
  ) {
    this.foreign = how.foreign;
    this.id = record.submission;
    this.model = record.model;
    this.modelName = record.modelName;
    this.effort = record.effort;
    this.permissionMode = record.permissionMode;
  }

  /** Any record of this submission but messages and retractions. */
  apply(record: JournalBody): void {
    switch (record.type) {
      case 'request':
        this.#request(record);
        break;
      case 'response':
        this.stopReason = record.stopReason;
        this.usages.push(record.usage);
        break;
      case 'intent':
        this.#intent(record);
        break;
      case 'unknown':
        this.unknown.add(record.toolUseId);
        break;
      case 'agent':
        if (record.event === 'started') this.agents.set(record.toolUseId, record.agentId);
        break;
      case 'inbox':
        this.prompts.push(...requireList(record.consumed));
        break;
      case 'ask': {
        const { askId, toolUseId, question } = record;
        this.asks.set(askId, { askId, toolUseId, question });
        break;
      }
      case 'answer': {
        const asked = this.asks.get(record.askId);
        if (asked !== undefined) this.asks.set(record.askId, { ...asked, answer: record.answer });
        break;
      }
      case 'parked':
        this.parked = record;
        break;
      case 'lent':
        this.lent.push(...requireList(record.rules));
        break;
      case 'verify':
        this.verify = record;
        break;
      case 'denied':
        this.denied.push(record.denial);
        break;
      case 'decision':
        this.#decision(record);
    }
  }

  #request(record: RecordOf<'request'>): void {
    if (record.iteration !== this.iteration) {
      // Without a decision record, the turn of an iteration with calls is counted by the next one.
      if (this.#decided === undefined && this.#isAnswered) this.turnCount++;
      this.#decided = undefined;
      this.#isAnswered = false;
      this.parked = undefined;
    }
    this.iteration = record.iteration;
    this.attempt = record.attempt;
    this.stopReason = null;
    this.switchedModel = record.model === this.model ? undefined : record.model;
  }

  #intent({ toolUseId, effectClass }: RecordOf<'intent'>): void {
    const isRepeatable = effectClass === 'pure' || effectClass === 'idempotent';
    this.intents.set(toolUseId, isRepeatable ? effectClass : 'unsafe');
  }

  say(message: AssistantMessage | UserMessage): void {
    if (message.type === 'user' && (message.kind === 'prompt' || message.kind === 'command')) return;
    this.#said.push(message);
  }

  retract(uuids: readonly string[]): void {
    const gone = new Set(uuids);
    this.#said = this.#said.filter(({ uuid }) => !gone.has(uuid));
  }

  /** A result of a call is recorded. */
  answered(): void {
    this.#isAnswered = true;
  }

  /** A message from outside of the loop is recorded: a prompt, or a note that the run was interrupted. */
  prompted({ kind }: UserMessage): void {
    this.isPrompted = true;
    if (kind === 'interruption') this.#isInterrupted = true;
  }

  #decision({ record }: RecordOf<'decision'>): void {
    this.decisions.push(record);
    this.#decided = record;
    const { decision } = record;
    if (decision?.kind === 'continue') this.carried = record.next;
    const next = decision?.kind === 'continue' && COUNTED.has(decision.transition) ? 1 : 0;
    if (typeof record.budgets?.turnCount === 'number') this.turnCount = record.budgets.turnCount + next;
  }

  /** The last iteration decided to continue, and the next one has no record yet. */
  get wentOn(): boolean {
    return this.#decided?.decision?.kind === 'continue';
  }

  /** The submission was to end, by a decision or an abort; only its result is missing. */
  terminal(hasCalls: boolean): Terminal | undefined {
    const decision = this.#decided?.decision;
    if (decision?.kind === 'stop') {
      const { terminal: reason, verification } = decision;
      return { reason, turnCount: this.turnCount, ...(verification && { verification }) };
    }
    if (!this.#isInterrupted) return undefined;
    return { reason: hasCalls ? 'aborted_tools' : 'aborted_streaming', turnCount: this.turnCount };
  }
}
