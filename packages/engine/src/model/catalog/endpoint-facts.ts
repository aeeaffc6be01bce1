/**
 * What an endpoint reports of models that are in no table: sizes, abilities and price. Asked with the first
 * request to such a model, by code that is loaded then.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import type { Connections } from '@turnwright/base/http/connections.ts';
import type { Life } from '../../protocol/life.ts';
import type { Clock } from '../../protocol/ports.ts';
import { isTabled, type ModelOverrides, type StatedFacts } from './model-info.ts';

export interface EndpointFacts {
  /** What is known so far; nothing is asked for. */
  of(model: string): StatedFacts | undefined;
  /**
   * Looks the model up unless that was done. Resolves when it is known, or after a second; undefined: there
   * is nothing to wait for. Never rejects.
   */
  ready(model: string, life: Pick<Life, 'signal'>): Promise<void> | undefined;
  /** Aborts running look-ups. */
  close(): void;
}

export interface EndpointFactsOptions {
  readonly connections: Connections;
  readonly baseUrl: URL;
  /** The path that `/models` is below, such as `/v1`. */
  readonly root: string;
  headers(): OutgoingHttpHeaders;
  readonly overrides: ModelOverrides | undefined;
  readonly clock: Clock;
  /** Called with one line about each look-up. */
  readonly log: ((line: string) => void) | undefined;
  /** Models that the server does not know are a matter of advice, too. */
  readonly namesUnknown: boolean;
  /** Called with a sentence when the server gives the model little of its window. */
  readonly advise: ((sentence: string) => void) | undefined;
}

export interface UntabledModels extends EndpointFacts {
  /** Tells that a table has the model, so that it is never looked up. */
  isTabled(model: string): boolean;
}

/** undefined: the endpoint describes no models, so nothing is asked. */
export function untabledModels(options: EndpointFactsOptions | undefined): UntabledModels {
  return new Untabled(options);
}

class Untabled implements UntabledModels {
  readonly #options: EndpointFactsOptions | undefined;
  #facts: EndpointFacts | undefined;
  #tabled: readonly string[] = [];
  #closed = false;

  constructor(options: EndpointFactsOptions | undefined) {
    this.#options = options;
  }

  isTabled(model: string): boolean {
    if (this.#options === undefined || this.#tabled.includes(model)) return true;
    if (!isTabled(model, this.#options.overrides)) return false;
    this.#tabled = [...this.#tabled, model];
    return true;
  }

  of(model: string): StatedFacts | undefined {
    return this.isTabled(model) ? undefined : this.#facts?.of(model);
  }

  ready(model: string, life: Pick<Life, 'signal'>): Promise<void> | undefined {
    if (this.isTabled(model)) return undefined;
    return this.#facts === undefined ? this.#load(model, life) : this.#facts.ready(model, life);
  }

  close(): void {
    this.#closed = true;
    this.#facts?.close();
  }

  async #load(model: string, life: Pick<Life, 'signal'>): Promise<void> {
    const { createEndpointFacts } = await import('./looked-up-models.ts');
    if (this.#closed || this.#options === undefined) return;
    this.#facts ??= createEndpointFacts(this.#options);
    await this.#facts.ready(model, life);
  }
}
