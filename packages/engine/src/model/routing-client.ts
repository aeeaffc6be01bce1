/** One client for the models of several providers: a name says whose model is asked (`local:qwen3:8b`). */

import { errorText } from '@turnwright/base/text/error-text.ts';
import type {
  CallOptions,
  ModelInfo,
  ModelOutcome,
  ModelOutput,
  ModelRequest,
} from '../protocol/model/model.ts';
import type { ModelClient } from '../protocol/model/model-client.ts';
import { type QualifiedModel, qualifiedModel } from './provider-name.ts';

interface RoutedProviders {
  readonly ownName: string;
  /** Whose models are asked by a name without a provider. */
  readonly own: ModelClient;
  isProvider(name: string): boolean;
  /** Why a model of a provider must not be asked, in one sentence; undefined: it may. */
  refusal(provider: string, model: string): string | undefined;
  /** Opens the client of another provider; called once for each. Throws if it cannot be reached at all. */
  open(provider: string): ModelClient;
}

export function createRoutingClient(providers: RoutedProviders): ModelClient {
  return new RoutingClient(providers);
}

class RoutingClient implements ModelClient {
  readonly #providers: RoutedProviders;
  readonly #opened = new Map<string, ModelClient>();

  constructor(providers: RoutedProviders) {
    this.#providers = providers;
  }

  readonly call = (request: ModelRequest, options: CallOptions) => {
    const { provider, model } = this.#named(request.model);
    const { own, ownName, refusal } = this.#providers;
    const refused = refusal(provider ?? ownName, model);
    if (refused !== undefined) return refusing(refused, options);
    if (provider === undefined) return own.call(request, options);
    return this.#callOther(provider, { ...request, model }, options);
  };

  async *#callOther(
    provider: string,
    request: ModelRequest,
    options: CallOptions,
  ): AsyncGenerator<ModelOutput, ModelOutcome> {
    let client: ModelClient;
    try {
      client = this.#clientOf(provider);
    } catch (error) {
      return failed(errorText(error), options);
    }
    const outcome = yield* client.call(request, options);
    // The session knows the model by its qualified name.
    const model = `${provider}:${request.model}`;
    return { ...outcome, attempts: outcome.attempts.map((attempt) => ({ ...attempt, model })) };
  }

  readonly infoOf = (name: string): ModelInfo => {
    // Asked for several times a turn. A name without a colon has no provider.
    if (!name.includes(':')) return this.#providers.own.infoOf(name);
    const { provider, model } = this.#named(name);
    if (provider === undefined || this.#providers.refusal(provider, model) !== undefined)
      return this.#providers.own.infoOf(name);
    return { ...this.#clientOf(provider).infoOf(model), id: name };
  };

  readonly ready: ModelClient['ready'] = (name, life) => {
    const { provider, model } = this.#named(name);
    const { own, ownName, refusal } = this.#providers;
    if (refusal(provider ?? ownName, model) !== undefined) return undefined;
    return provider === undefined ? own.ready(name, life) : this.#clientOf(provider).ready(model, life);
  };

  readonly fastMode = () => this.#providers.own.fastMode();

  async close(): Promise<void> {
    await Promise.all([this.#providers.own, ...this.#opened.values()].map((client) => client.close()));
  }

  #named(name: string): QualifiedModel {
    return qualifiedModel(name, this.#providers.isProvider);
  }

  #clientOf(provider: string): ModelClient {
    if (provider === this.#providers.ownName) return this.#providers.own;
    const client = this.#opened.get(provider) ?? this.#providers.open(provider);
    this.#opened.set(provider, client);
    return client;
  }
}

async function* refusing(message: string, options: CallOptions): AsyncGenerator<never, ModelOutcome> {
  return failed(message, options);
}

function failed(message: string, { retry }: CallOptions): ModelOutcome {
  return { kind: 'failed', failure: { kind: 'invalid_request', message }, retry, attempts: [] };
}
