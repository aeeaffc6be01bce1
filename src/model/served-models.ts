/**
 * Which names an endpoint answers with: a gateway may serve `team-default` as a model with another name, whose
 * thinking is its own all the same. Learned from answers, for the life of a client.
 */
import { canonicalModel } from './model-info.ts';

export interface ServedModels {
  learn(requested: string, answered: string): void;
  /** Thinking signed by `signer` may be sent to `requested`. */
  isSame(requested: string, signer: string): boolean;
  /** Names everything `isSame` depends on for this model. */
  key(requested: string): string;
}

export function createServedModels(): ServedModels {
  const answers = new Map<string, Set<string>>();
  return {
    learn(requested, answered) {
      const name = canonicalModel(requested);
      const other = canonicalModel(answered);
      if (other === name || other === '') return;
      const known = answers.get(name);
      if (known === undefined) answers.set(name, new Set([other]));
      else known.add(other);
    },
    isSame(requested, signer) {
      const name = canonicalModel(requested);
      const other = canonicalModel(signer);
      return name === other || answers.get(name)?.has(other) === true;
    },
    key(requested) {
      const name = canonicalModel(requested);
      return [name, ...(answers.get(name) ?? [])].join(' ');
    },
  };
}
