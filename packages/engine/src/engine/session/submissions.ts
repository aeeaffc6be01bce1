/** The submissions of a session: the running one, and counts over all of them. */

import type { SDKResultMessage } from '../../protocol/stream/result-message.ts';
import type { PermissionDenial } from '../../protocol/tools/permission.ts';

export class Submissions {
  /** How the session began, when it is not resumed. */
  readonly origin: 'startup' | 'clear';
  #running: string | undefined;
  #promptId: string | undefined;
  #denials: PermissionDenial[] = [];
  #recorded = 0;
  #results: number;
  #lastResult: SDKResultMessage | undefined;
  #refusals = 0;
  #isStarted = false;
  #isParked = false;
  #hasTakenOrphan = false;
  #endIdle: (() => void) | undefined;

  /** `earlierResults`: of the session that was cleared before this one; undefined: there was none. */
  constructor(earlierResults: number | undefined) {
    this.origin = earlierResults === undefined ? 'startup' : 'clear';
    this.#results = earlierResults ?? 0;
  }

  /** Id of the running one. */
  get running(): string | undefined {
    return this.#running;
  }

  /** uuid of the prompt that is being answered, or was answered last. */
  get promptId(): string | undefined {
    return this.#promptId;
  }

  set promptId(uuid: string) {
    this.#promptId = uuid;
  }

  /** Calls of the running submission that were denied. */
  get denials(): readonly PermissionDenial[] {
    return this.#denials;
  }

  /** None is recorded yet. */
  get isFirst(): boolean {
    return this.#recorded === 0;
  }

  /** SessionStart hooks have run. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** Results that were emitted. */
  get results(): number {
    return this.#results;
  }

  get lastResult(): SDKResultMessage | undefined {
    return this.#lastResult;
  }

  /** Number of responses that were refusals. */
  get refusals(): number {
    return this.#refusals;
  }

  /** The last one ended without a result: another engine carries it on. */
  get isParked(): boolean {
    return this.#isParked;
  }

  start(id: string): void {
    this.#endIdle?.();
    this.#running = id;
    this.#denials = [];
  }

  /** The running one continues an interrupted one, under its id. */
  carryOn(id: string): void {
    this.#running = id;
  }

  end(): void {
    this.#running = undefined;
  }

  /** The running one is recorded. */
  recorded(): void {
    this.#recorded += 1;
  }

  /** SessionStart hooks have run, in this process or an earlier one. */
  started(): void {
    this.#isStarted = true;
  }

  denied(...denials: readonly PermissionDenial[]): void {
    this.#denials.push(...denials);
  }

  refused(): void {
    this.#refusals += 1;
  }

  parked(): void {
    this.#isParked = true;
  }

  ended(result: SDKResultMessage): void {
    this.#results += 1;
    this.#lastResult = result;
  }

  /** true once: the caller then acts on the answer to a permission question of an earlier process. */
  takeOrphan(): boolean {
    const isFirst = !this.#hasTakenOrphan;
    this.#hasTakenOrphan = true;
    return isFirst;
  }

  /** Called when the next one starts. */
  onNextStart(cancel: () => void): void {
    this.#endIdle = cancel;
  }
}
