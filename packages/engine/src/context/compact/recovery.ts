/** Recoveries for a request that did not fit; the rules of L7 decide about their order and number. */
import type { ContextRecovery, RecoveryOutcome, StepInput } from '../../protocol/model/context.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { Collapses } from '../collapse/staged-collapses.ts';
import type { MediaLimits } from '../media/media-limits.ts';
import { reduceMedia } from '../media/reduce-media.ts';
import type { CompactionPorts } from './compaction.ts';
import { mechanicalTrim } from './mechanical-trim.ts';
import { reactiveCompact } from './reactive-compact.ts';

const OFF: RecoveryOutcome = Object.freeze({ kind: 'none', why: 'switched off' });
const NOTHING_STAGED: RecoveryOutcome = Object.freeze({ kind: 'none', why: 'no collapse is staged' });

interface RecoveryPorts {
  readonly compaction: () => CompactionPorts;
  readonly collapses: (() => Collapses) | undefined;
  readonly reactiveCompact: boolean;
  readonly mediaLimits: (model: string) => MediaLimits;
}

/** Without `reactiveCompact` an overflow is not repaired: no silent compaction (F27). */
export class Recovery implements ContextRecovery {
  readonly #ports: RecoveryPorts;

  constructor(ports: RecoveryPorts) {
    this.#ports = ports;
  }

  async *drainCollapses(input: StepInput): ReturnType<ContextRecovery['drainCollapses']> {
    const { collapses } = this.#ports;
    if (collapses === undefined) return OFF;
    const commit = collapses().commit(input);
    return commit === undefined
      ? NOTHING_STAGED
      : { kind: 'edits', source: 'collapse', compacted: false, ...commit };
  }

  async *reactiveCompact(input: StepInput): ReturnType<ContextRecovery['reactiveCompact']> {
    return this.#ports.reactiveCompact ? yield* reactiveCompact(input, this.#ports.compaction()) : OFF;
  }

  async *mechanicalTrim(input: StepInput): ReturnType<ContextRecovery['mechanicalTrim']> {
    return this.#ports.reactiveCompact ? yield* mechanicalTrim(input, this.#ports.compaction()) : OFF;
  }

  async *reduceMedia(input: StepInput, failure: ModelFailure): ReturnType<ContextRecovery['reduceMedia']> {
    return reduceMedia(input, failure, this.#ports.mediaLimits(input.model));
  }
}
