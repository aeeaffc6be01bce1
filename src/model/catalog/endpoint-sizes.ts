/**
 * Window and output limit of models that are in no table, as their endpoint reports them (`GET /v1/models`).
 * Looked up once per process, endpoint and model; a failed look-up leaves the sizes unknown.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import type { Life } from '../../protocol/life.ts';
import type { Clock } from '../../protocol/ports.ts';
import { withoutTrailingSlashes } from '../../util/text/trailing-slashes.ts';
import type { Connections } from '../http/connections.ts';
import { isTabled, type ModelOverrides, type StatedSizes, wireModel } from './model-info.ts';

export interface EndpointSizes {
  /** The sizes known so far. The first call for a model that is in no table starts the look-up. */
  of(model: string): StatedSizes | undefined;
  /** Tells that a table has the model, so that it is never looked up. */
  isTabled(model: string): boolean;
  /**
   * Resolves when the model is looked up, or after `READY_MS`; undefined: there is nothing to wait for. Never
   * rejects.
   */
  ready(model: string, life: Pick<Life, 'signal'>): Promise<void> | undefined;
  /** Aborts running look-ups. */
  close(): void;
}

/** Another wire's endpoint has no such list: nothing is asked, and nothing goes to another endpoint. */
export const NO_SIZES: EndpointSizes = {
  of: () => undefined,
  isTabled: () => true,
  ready: () => undefined,
  close: () => {},
};

interface EndpointSizesOptions {
  readonly connections: Connections;
  readonly baseUrl: URL;
  headers(): OutgoingHttpHeaders;
  readonly overrides: ModelOverrides | undefined;
  readonly clock: Clock;
}

/** Time that the first request to an unknown model waits for its sizes. */
const READY_MS = 1_000;
/** Time limit of a look-up in the background. */
const LOOKUP_MS = 10_000;

interface Lookup {
  /** undefined: finished. */
  running: Promise<void> | undefined;
  sizes: StatedSizes | undefined;
}

const shared = new Map<string, Lookup>();

export function createEndpointSizes(options: EndpointSizesOptions): EndpointSizes {
  return new Sizes(options);
}

class Sizes implements EndpointSizes {
  readonly #options: EndpointSizesOptions;
  readonly #base: string;
  /** Controllers of the running look-ups. */
  #running: readonly AbortController[] = [];
  #tabled: readonly string[] = [];
  #closed = false;

  constructor(options: EndpointSizesOptions) {
    this.#options = options;
    this.#base = `${withoutTrailingSlashes(options.baseUrl.pathname)}/v1/models`;
  }

  of(model: string): StatedSizes | undefined {
    return this.#lookupOf(model)?.sizes;
  }

  isTabled(model: string): boolean {
    return this.#tabled.includes(model);
  }

  ready(model: string, life: Pick<Life, 'signal'>): Promise<void> | undefined {
    const lookup = this.#lookupOf(model)?.running;
    return lookup && soon(lookup, this.#options.clock, life.signal);
  }

  close(): void {
    this.#closed = true;
    for (const controller of this.#running) controller.abort();
  }

  #lookupOf(model: string): Lookup | undefined {
    if (this.isTabled(model)) return undefined;
    const { baseUrl, overrides } = this.#options;
    if (isTabled(model, overrides)) {
      this.#tabled = [...this.#tabled, model];
      return undefined;
    }
    const key = `${baseUrl.origin}${this.#base} ${wireModel(model)}`;
    const known = shared.get(key);
    if (known !== undefined || this.#closed) return known;
    const lookup: Lookup = { running: undefined, sizes: undefined };
    lookup.running = this.#look(wireModel(model)).then((sizes) => {
      lookup.sizes = sizes;
      lookup.running = undefined;
      // A closed client has learned nothing about its endpoint.
      if (this.#closed) shared.delete(key);
    });
    shared.set(key, lookup);
    return lookup;
  }

  async #look(model: string): Promise<StatedSizes | undefined> {
    const { search } = this.#options.baseUrl;
    const controller = new AbortController();
    const { signal } = controller;
    const cancel = this.#options.clock.timer(LOOKUP_MS, () => controller.abort());
    this.#running = [...this.#running, controller];
    try {
      const { lookUpSizes } = await import('./look-up-sizes.ts');
      const { connections, headers } = this.#options;
      return await lookUpSizes(model, {
        connections,
        path: this.#base,
        search,
        headers: headers(),
        signal,
      });
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
