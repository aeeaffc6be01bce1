/** The same compaction, after a request was refused as too long (L7 rule 3). */
import type { RecoveryOutcome, StepInput } from '../protocol/context.ts';
import type { LoopMessage } from '../protocol/messages.ts';
import { type CompactionPorts, compact } from './compaction.ts';

export async function* reactiveCompact(
  input: StepInput,
  ports: CompactionPorts,
): AsyncGenerator<LoopMessage, RecoveryOutcome> {
  const result = yield* compact(input, ports, { trigger: 'auto' });
  if (result.kind !== 'compacted') return { kind: 'none', why: result.why };
  return {
    kind: 'edits',
    source: 'boundary',
    edits: result.edits,
    tokensFreed: result.tokensFreed,
    compacted: true,
  };
}
