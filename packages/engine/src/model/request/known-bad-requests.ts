/**
 * Requests that were refused as invalid: one that the endpoint refused twice in the same way is not sent a
 * third time (F14).
 */
import { createHash } from 'node:crypto';
import type { ModelFailure } from '../../protocol/model/failure.ts';

type Chunks = readonly (Uint8Array | string)[];

export interface Refusals {
  /** `view`: the view that the request was made of. */
  note(view: object, body: Chunks, failure: ModelFailure): void;
  /** The known refusal of this request, if it was refused twice. */
  foreseen(view: object, body: Chunks): ModelFailure | undefined;
}

const REFUSALS_ENOUGH = 2;
const BAD_REQUEST = 400;

interface Refused {
  readonly body: string;
  readonly failure: ModelFailure;
  readonly times: number;
}

/** The last refusal of each view is kept. Free of cost for requests that are not refused. */
export function createRefusals(): Refusals {
  return new LastRefusals();
}

class LastRefusals implements Refusals {
  #byView: WeakMap<object, Refused> | undefined;

  note(view: object, chunks: Chunks, failure: ModelFailure): void {
    if (failure.status !== BAD_REQUEST) return;
    this.#byView ??= new WeakMap();
    const body = digest(chunks);
    const before = this.#byView.get(view);
    const again = before?.body === body && fingerprint(before.failure) === fingerprint(failure);
    this.#byView.set(view, { body, failure, times: again ? before.times + 1 : 1 });
  }

  foreseen(view: object, chunks: Chunks): ModelFailure | undefined {
    const known = this.#byView?.get(view);
    if (known === undefined || known.times < REFUSALS_ENOUGH || known.body !== digest(chunks))
      return undefined;
    const { block, message } = known.failure;
    const where = block === undefined ? '' : ` It is about message ${block.message} of the request.`;
    return {
      ...known.failure,
      shouldRetry: false,
      message: `${message}${where} The same request was refused twice, so it was not sent again.`,
    };
  }
}

function fingerprint({ kind, errorType, message }: ModelFailure): string {
  return `${kind} ${errorType} ${message}`;
}

function digest(chunks: Chunks): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('base64');
}
