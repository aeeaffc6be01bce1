/** What may still help when a request did not fit; the rules of L7 decide the order and how often. */
import type { ContextRecovery, RecoveryOutcome } from '../protocol/context.ts';
import type { MediaLimits } from './admission/media-limits.ts';
import type { Collapses } from './collapses.ts';
import type { CompactionPorts } from './compaction.ts';
import { mechanicalTrim } from './mechanical-trim.ts';
import { reactiveCompact } from './reactive-compact.ts';
import { reduceMedia } from './reduce-media.ts';

const OFF: RecoveryOutcome = Object.freeze({ kind: 'none', why: 'switched off' });
const NOTHING_STAGED: RecoveryOutcome = Object.freeze({ kind: 'none', why: 'no collapse is staged' });

/** Without `reactiveCompact` an overflow is not repaired: no silent compaction (F27). */
export function createRecovery(
  ports: CompactionPorts & {
    readonly collapses: Collapses | undefined;
    readonly reactiveCompact: boolean;
    readonly mediaLimits: (model: string) => MediaLimits;
  },
): ContextRecovery {
  return {
    async *drainCollapses(input) {
      if (ports.collapses === undefined) return OFF;
      const commit = ports.collapses.commit(input, Number.POSITIVE_INFINITY);
      return commit === undefined
        ? NOTHING_STAGED
        : { kind: 'edits', source: 'collapse', compacted: false, ...commit };
    },
    async *reactiveCompact(input) {
      return ports.reactiveCompact ? yield* reactiveCompact(input, ports) : OFF;
    },
    async *mechanicalTrim(input) {
      return ports.reactiveCompact ? yield* mechanicalTrim(input, ports) : OFF;
    },
    async *reduceMedia(input, failure) {
      return reduceMedia(input, failure, ports.mediaLimits(input.model));
    },
  };
}
