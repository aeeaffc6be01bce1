/**
 * What endpoints have said of models that are in no table. Each model is asked for once per process and
 * endpoint; a failed look-up leaves its facts unknown.
 */
import type { Life } from '../../protocol/life.ts';
import type { Clock } from '../../protocol/ports.ts';
import { toLife } from '../life-of.ts';
import type { EndpointFacts, EndpointFactsOptions } from './endpoint-facts.ts';
import { type LookedUp, lookUpFacts } from './look-up-facts.ts';
import { type StatedFacts, wireModel } from './model-info.ts';

/** Time that the first request to an unknown model waits for its facts. */
const READY_MS = 1_000;
/** Time limit of a look-up in the background. */
const LOOKUP_MS = 10_000;
/** A server that has not loaded the model yet is asked again, but not for ever. */
const MOST_LOOKS = 5;

interface Lookup {
  /** undefined: finished. */
  running: Promise<void> | undefined;
  facts: StatedFacts | undefined;
  looksLeft: number;
}

const shared = new Map<string, Lookup>();

export function createEndpointFacts(options: EndpointFactsOptions): EndpointFacts {
  return new Facts(options);
}

class Facts implements EndpointFacts {
  readonly #options: EndpointFactsOptions;
  /** Controllers of the running look-ups. */
  #running: readonly AbortController[] = [];
  #closed = false;

  constructor(options: EndpointFactsOptions) {
    this.#options = options;
  }

  of(model: string): StatedFacts | undefined {
    return shared.get(this.#keyOf(model))?.facts;
  }

  ready(model: string, life: Pick<Life, 'signal'>): Promise<void> | undefined {
    const key = this.#keyOf(model);
    const known = shared.get(key);
    if (known?.running === undefined && known?.looksLeft !== 0 && !this.#closed) this.#start(key, model);
    const running = shared.get(key)?.running;
    return running && soon(running, this.#options.clock, life.signal);
  }

  close(): void {
    this.#closed = true;
    for (const controller of this.#running) controller.abort();
  }

  #keyOf(model: string): string {
    const { baseUrl, root } = this.#options;
    return `${baseUrl.origin}${root} ${wireModel(model)}`;
  }

  #start(key: string, model: string): void {
    const lookup = shared.get(key) ?? { running: undefined, facts: undefined, looksLeft: MOST_LOOKS };
    shared.set(key, lookup);
    lookup.looksLeft--;
    lookup.running = this.#look(wireModel(model)).then((found) => {
      lookup.running = undefined;
      if (found?.facts !== undefined) lookup.facts = found.facts;
      if (found?.isFinal !== false) lookup.looksLeft = 0;
      // A closed client has learned nothing about its endpoint.
      if (this.#closed && lookup.facts === undefined) shared.delete(key);
    });
  }

  async #look(model: string): Promise<LookedUp | undefined> {
    const { baseUrl, clock, connections, headers, root, log, advise, namesUnknown } = this.#options;
    const controller = new AbortController();
    const { signal } = controller;
    const cancel = clock.timer(LOOKUP_MS, () => controller.abort());
    this.#running = [...this.#running, controller];
    try {
      const found = await lookUpFacts(model, {
        connections,
        baseUrl,
        root,
        headers: headers(),
        life: toLife(signal),
      });
      log?.(found.said);
      const advice = found.advice ?? (namesUnknown ? found.unknown : undefined);
      if (advice !== undefined) advise?.(advice);
      return found;
    } catch {
      return undefined;
    } finally {
      cancel();
      this.#running = this.#running.filter((other) => other !== controller);
    }
  }
}

/** Resolves with the look-up, after `READY_MS`, or on abort. */
function soon(lookup: Promise<void>, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.timer(READY_MS, done);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
    else void lookup.then(done);
  });
}
