/** Tracks the records of the last submission: its progress, and what is needed to continue it (L4.1). */

import type { AssistantMessage, UserMessage } from '../../protocol/model/messages.ts';
import type { StopReason, Usage } from '../../protocol/model/wire.ts';
import type { CarriedState, DecisionRecord } from '../../protocol/session/decision-record.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { Terminal } from '../../protocol/session/terminal.ts';
import type { PermissionDenial } from '../../protocol/tools/permission.ts';
import type { EffectClass } from '../../protocol/tools/tool.ts';

export type RecordOf<T extends JournalBody['type']> = Extract<JournalBody, { type: T }>;

export interface CallFacts {
  readonly effectClass: EffectClass;
  /** The input that ran, if it differs from the model's. */
  readonly updatedInput?: unknown;
}

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
  readonly permissionMode: string;
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
  prompted = false;
  /** The interruption note is recorded: the run had been aborted. */
  interrupted = false;
  readonly intents = new Map<string, CallFacts>();
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
  /** State that its current iteration started with. */
  carried: CarriedState | undefined;
  #decided: DecisionRecord | undefined;
  #answered = false;

  constructor(
    record: Pick<RecordOf<'submission'>, 'submission' | 'model' | 'permissionMode'>,
    how: { readonly foreign: boolean } = { foreign: false },
  ) {
    this.foreign = how.foreign;
    this.id = record.submission;
    this.model = record.model;
    this.permissionMode = record.permissionMode;
  }

  request(record: RecordOf<'request'>): void {
    if (record.iteration !== this.iteration) {
      // Without a decision record, the turn of an iteration with calls is counted by the next one.
      if (this.#decided === undefined && this.#answered) this.turnCount++;
      this.#decided = undefined;
      this.#answered = false;
    }
    this.iteration = record.iteration;
    this.attempt = record.attempt;
    this.stopReason = null;
    this.switchedModel = record.model === this.model ? undefined : record.model;
  }

  response(record: RecordOf<'response'>): void {
    this.stopReason = record.stopReason;
    this.usages.push(record.usage);
  }

  intent(record: RecordOf<'intent'>): void {
    const { effectClass } = record;
    const known: CallFacts = {
      effectClass: effectClass === 'pure' || effectClass === 'idempotent' ? effectClass : 'unsafe',
    };
    this.intents.set(
      record.toolUseId,
      record.updatedInput === undefined ? known : { ...known, updatedInput: record.updatedInput },
    );
  }

  say(message: AssistantMessage | UserMessage): void {
    if (message.type === 'user' && (message.kind === 'prompt' || message.kind === 'command')) return;
    this.#said.push(message);
  }

  retract(uuids: readonly string[]): void {
    const gone = new Set(uuids);
    this.#said = this.#said.filter(({ uuid }) => !gone.has(uuid));
  }

  result(): void {
    this.#answered = true;
  }

  ask({ askId, toolUseId, question }: RecordOf<'ask'>): void {
    this.asks.set(askId, { askId, toolUseId, question });
  }

  answer({ askId, answer }: RecordOf<'answer'>): void {
    const asked = this.asks.get(askId);
    if (asked !== undefined) this.asks.set(askId, { ...asked, answer });
  }

  decision({ record }: RecordOf<'decision'>): void {
    this.decisions.push(record);
    this.#decided = record;
    const { decision } = record;
    if (decision?.kind === 'continue') this.carried = record.next;
    const next = decision?.kind === 'continue' && decision.transition === 'next_turn' ? 1 : 0;
    if (typeof record.budgets?.turnCount === 'number') this.turnCount = record.budgets.turnCount + next;
  }

  /** The last iteration decided to continue, and the next one has no record yet. */
  get wentOn(): boolean {
    return this.#decided?.decision?.kind === 'continue';
  }

  /** The submission was to end, by a decision or an abort; only its result is missing. */
  terminal(hasCalls: boolean): Terminal | undefined {
    const decision = this.#decided?.decision;
    if (decision?.kind === 'stop') return { reason: decision.terminal, turnCount: this.turnCount };
    if (!this.interrupted) return undefined;
    return { reason: hasCalls ? 'aborted_tools' : 'aborted_streaming', turnCount: this.turnCount };
  }
}
