/** One turn of a query: the batches of a submission, and announcements between them. */
import type { Batch } from '../../engine/submission/submit-message.ts';
import type { SDKResultMessage } from '../../protocol/stream/result-message.ts';
import { Segment } from '../../util/async/segmented.ts';
import { isParkedIn, resultIn } from './run-ends.ts';

export class Turn extends Segment<Batch> {
  readonly #batches: AsyncIterator<Batch, void>;
  readonly #passed: (batch: Batch, result: SDKResultMessage | undefined) => Batch;
  #result: SDKResultMessage | undefined;
  #isParked = false;
  #hasEnded = false;

  /** `passed` is called with each batch, and returns what is emitted for it. */
  constructor(
    batches: AsyncIterator<Batch, void>,
    passed: (batch: Batch, result: SDKResultMessage | undefined) => Batch,
  ) {
    super();
    this.#batches = batches;
    this.#passed = passed;
  }

  /** The last one. */
  get result(): SDKResultMessage | undefined {
    return this.#result;
  }

  get isParked(): boolean {
    return this.#isParked;
  }

  next(): Promise<Batch | undefined> {
    return this.#isParked ? Promise.resolve(undefined) : this.#batches.next().then(this.#take, this.#fail);
  }

  /** Ends the submission, unless it has ended. */
  async leave(): Promise<void> {
    if (!this.#hasEnded) await this.#batches.return?.();
  }

  readonly #take = (step: IteratorResult<Batch, void>): Batch | undefined => {
    if (step.done === true) {
      this.#hasEnded = true;
      return undefined;
    }
    const result = resultIn(step.value);
    this.#result = result ?? this.#result;
    this.#isParked = isParkedIn(step.value);
    return this.#passed(step.value, result);
  };

  readonly #fail = (error: unknown): never => {
    this.#hasEnded = true;
    throw error;
  };
}
