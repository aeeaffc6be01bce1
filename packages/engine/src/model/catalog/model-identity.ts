/**
 * Which model names an endpoint answers with. A gateway may serve `team-default` by a model of another name,
 * and thinking signed by that model still belongs to it. Learned from responses, for the life of a client.
 */
import { canonicalModel } from './model-info.ts';

export interface ServedModels {
  learn(requested: string, answered: string): void;
  /** Thinking signed by `signer` may be sent to `requested`. */
  isSame(requested: string, signer: string): boolean;
  /** A key of everything that `isSame` depends on for this model. */
  key(requested: string): string;
}

export function createServedModels(): ServedModels {
  return new Answers();
}

class Answers implements ServedModels {
  #names: Map<string, Set<string>> | undefined;

  learn(requested: string, answered: string): void {
    const name = canonicalModel(requested);
    const other = canonicalModel(answered);
    if (other === name || other === '') return;
    this.#names ??= new Map();
    const known = this.#names.get(name);
    if (known === undefined) this.#names.set(name, new Set([other]));
    else known.add(other);
  }

  isSame(requested: string, signer: string): boolean {
    const name = canonicalModel(requested);
    const other = canonicalModel(signer);
    return name === other || this.#names?.get(name)?.has(other) === true;
  }

  key(requested: string): string {
    const name = canonicalModel(requested);
    return [name, ...(this.#names?.get(name) ?? [])].join(' ');
  }
}
