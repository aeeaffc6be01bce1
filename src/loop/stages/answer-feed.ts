/** One answer of the model, read to its end: finished blocks, and tool results as they come in beside it. */
import type { Said } from '../../protocol/messages.ts';
import type { CallOptions, ModelOutcome, ModelOutput, ModelRequest } from '../../protocol/model.ts';
import { andThen } from '../../util/and-then.ts';
import { thisTick } from '../../util/this-tick.ts';
import type { Iteration } from '../iteration.ts';
import { reportTools } from './report-tools.ts';
import { ResponseReader } from './response-reader.ts';
import { takeNotice } from './take-notice.ts';

type Step = IteratorResult<ModelOutput, ModelOutcome>;

/** No generator: each would cost three promises for everything it says. */
export class AnswerFeed {
  readonly #request: ModelRequest;
  readonly #iteration: Iteration;
  readonly #reader: ResponseReader;
  readonly #outputs: AsyncGenerator<ModelOutput, ModelOutcome>;
  readonly #release: () => void;
  /** The model was asked for it, and nobody has it yet. */
  #pending: Promise<Step> | undefined;
  #outcome: ModelOutcome | undefined;

  constructor(request: ModelRequest, options: Omit<CallOptions, 'signal'>, iteration: Iteration) {
    this.#request = request;
    this.#iteration = iteration;
    this.#reader = new ResponseReader(request, iteration);
    const { scope } = iteration;
    this.#outputs = iteration.deps.callModel(request, {
      ...options,
      life: scope,
      get signal() {
        return scope.signal;
      },
    });
    this.#release = scope.onClose(async () => {
      await this.#outputs.return(undefined as never).catch(() => {});
    });
  }

  /** Set once `next` has nothing more. */
  get outcome(): ModelOutcome | undefined {
    return this.#outcome;
  }

  /** What is to be said next; what it gave before counts as taken. undefined: the answer has ended. */
  async next(): Promise<Said | undefined> {
    const iteration = this.#iteration;
    this.#reader.delivered();
    while (this.#outcome === undefined) {
      this.#pending ??= this.#outputs.next();
      if (iteration.openCalls > 0) {
        this.#askAhead();
        const said = await reportTools(iteration);
        if (said.length > 0) return said;
        if (iteration.openCalls > 0 && (await this.#first(this.#pending)) === 'tools') continue;
      }
      const step = await this.#pending;
      this.#pending = undefined;
      const saying = step.done === true ? this.#end(step.value) : this.#take(step.value);
      const said = saying instanceof Promise ? await saying : saying;
      if (said !== undefined) return said;
    }
    return undefined;
  }

  /** It is awaited later: a consumer that ends early must not leave it unhandled. */
  #askAhead(): void {
    this.#pending ??= this.#outputs.next();
    this.#pending.catch(() => {});
  }

  /** Nobody reads on. What was received is paid for, and the scope ends the call. */
  abandon(): void {
    if (this.#outcome === undefined) this.#reader.abandon();
  }

  #first(pending: Promise<Step>): Promise<'model' | 'tools'> {
    return Promise.race([
      pending.then(() => 'model' as const),
      this.#iteration.executor.ready().then(() => 'tools' as const),
    ]);
  }

  #take(output: ModelOutput): Said | undefined | Promise<Said | undefined> {
    if (output.kind !== 'events') return this.#notice(output);
    this.#iteration.response.requestId ??= output.requestId;
    return andThen(this.#reader.take(output), (said) => (said.length > 0 ? said : undefined));
  }

  async #notice(output: Exclude<ModelOutput, { kind: 'events' }>): Promise<Said> {
    const notice = await takeNotice(output, this.#request, this.#iteration);
    // It is on record: what it announces begins before the consumer hears of it, if the engine will not end the run.
    if (this.#iteration.deps.guard.verdict() === undefined) {
      this.#askAhead();
      await thisTick();
    }
    return notice;
  }

  async #end(outcome: ModelOutcome): Promise<Said | undefined> {
    this.#release();
    // A whole answer said how it ended itself.
    const said = outcome.kind === 'complete' ? [] : await this.#reader.end(outcome);
    this.#outcome = outcome;
    return said.length > 0 ? said : undefined;
  }
}
