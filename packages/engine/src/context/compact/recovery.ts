/** Recoveries for a request that did not fit; the rules of L7 decide about their order and number. */
import type {
  ContextRecovery,
  ContextWork,
  RecoveryOutcome,
  StepInput,
} from '../../protocol/model/context.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { Collapses } from '../collapse/staged-collapses.ts';
import type { MediaLimits } from '../media/media-limits.ts';
import { reduceMedia } from '../media/reduce-media.ts';
import type { CompactionPorts } from './compaction.ts';
import { mechanicalTrim } from './mechanical-trim.ts';
import { reactiveCompact } from './reactive-compact.ts';

type Work = ContextWork<RecoveryOutcome>;

const off: Work = () => ({ kind: 'none', why: 'switched off' });
const nothingStaged: Work = () => ({ kind: 'none', why: 'no collapse is staged' });

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

  drainCollapses(input: StepInput): Work {
    const { collapses } = this.#ports;
    if (collapses === undefined) return off;
    const commit = collapses().commit(input);
    if (commit === undefined) return nothingStaged;
    return () => ({ kind: 'edits', source: 'collapse', compacted: false, ...commit });
  }

  reactiveCompact(input: StepInput): Work {
    return this.#ports.reactiveCompact ? reactiveCompact(input, this.#ports.compaction()) : off;
  }

  mechanicalTrim(input: StepInput): Work {
    if (!this.#ports.reactiveCompact) return off;
    return (output) => mechanicalTrim(input, this.#ports.compaction(), 'refused', output);
  }

  reduceMedia(input: StepInput, failure: ModelFailure): Work {
    return () => reduceMedia(input, failure, this.#ports.mediaLimits(input.model));
  }
}
