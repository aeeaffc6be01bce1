/** How far a replay has come in the record of its run. Time and ids are those of the record. */

import type { Scope } from '@turnwright/base/async/scope.ts';
import type { Clock, Ids } from '../protocol/ports.ts';
import type { RecordedIteration, RecordedRun } from './recorded.ts';

export class Cursor {
  readonly run: RecordedRun;
  readonly scope: Scope;
  #at = 0;
  /** Attempts that were played in this iteration. */
  attempts = 0;
  calls = 0;
  hooks = 0;
  /** Estimates of this iteration. */
  measured = 0;
  /** Messages and retractions that the loop has written in this iteration. */
  wrote = 0;
  /** The answer that counts has been handed on. */
  answered = false;
  #aborted = false;
  /** uuids of the blocks that are about to be finished. */
  readonly uuids: string[] = [];
  #ids = 0;
  #made = 0;
  /** What the record does not hold, in words. */
  readonly missing = new Set<string>();

  constructor(run: RecordedRun, scope: Scope) {
    this.run = run;
    this.scope = scope;
    this.#setClock();
  }

  /** undefined: the record has ended. */
  get now(): RecordedIteration | undefined {
    return this.run.iterations[this.#at];
  }

  get before(): RecordedIteration | undefined {
    return this.run.iterations[this.#at - 1];
  }

  /** Every attempt of the iteration was played. */
  get isPlayed(): boolean {
    const attempts = this.now?.attempts ?? [];
    const begins = attempts.at(-1)?.response !== undefined || (attempts.at(-1)?.blocks.length ?? 0) > 0;
    return this.attempts >= attempts.length && (this.answered || !begins);
  }

  /** No attempt is left, and no abort explains that there is none. */
  get isAskedTooOften(): boolean {
    return this.attempts >= (this.now?.attempts.length ?? 0) && this.abortReason === undefined;
  }

  next(): void {
    this.#at++;
    this.attempts = 0;
    this.calls = 0;
    this.hooks = 0;
    this.measured = 0;
    this.wrote = 0;
    this.answered = false;
    this.#made = 0;
    this.#setClock();
  }

  #setClock(): void {
    const startedAt = this.now?.record?.startedAt;
    if (startedAt !== undefined) this.nowMs = Date.parse(startedAt);
  }

  /** The reason that the submission was aborted for in this iteration. */
  get abortReason(): string | undefined {
    const record = this.now?.record;
    const asked = record?.rules.findLast(({ name }) => name === 'aborted');
    const read = asked?.read?.['abortReason'];
    // A refusal had ended the turn: what was aborted behind it decided nothing.
    if (asked?.verdict === 'stop' && read === null) return undefined;
    const told = this.now?.told.abort?.reason;
    if (told !== undefined) return told;
    return typeof read === 'string' ? read : undefined;
  }

  /** The submission was aborted while a rule had its say. */
  get isAbortedInRules(): boolean {
    const asked = this.now?.record?.rules.filter(({ name }) => name === 'aborted') ?? [];
    return asked.length > 1 && asked.at(-1)?.verdict === 'stop';
  }

  /** The submission is aborted, if it was. */
  abort(): void {
    const reason = this.abortReason;
    if (this.#aborted || reason === undefined) return;
    this.#aborted = true;
    this.scope.abort(reason);
  }

  /** Those of the record, in its order: blocks, then what the loop wrote. */
  readonly ids: Ids = {
    uuid: () => this.uuids.shift() || this.now?.made[this.#made++] || `replay-${++this.#ids}`,
  };

  readonly clock: Clock = {
    nowMs: () => this.nowMs,
    monotonicMs: () => this.now?.record?.startMs ?? 0,
    sleep: async () => {},
    timer: () => () => {},
  };

  nowMs = 0;
}
