/** A compaction because a request was refused as too long (L7 rule 3), or on request. */
import type { RecoveryOutcome, StepInput } from '../../protocol/model/context.ts';
import type { LoopBatch } from '../../protocol/model/messages.ts';
import { type CompactionPorts, type CompactionRequest, compact } from './compaction.ts';

export async function* reactiveCompact(
  input: StepInput,
  ports: CompactionPorts,
): AsyncGenerator<LoopBatch, RecoveryOutcome> {
  // Three failures in a row apply here too: the trim that needs no model is next (L2.6).
  if (input.compaction.switchedOff) return { kind: 'none', why: 'summaries are switched off' };
  return yield* compactNow(input, ports, { trigger: 'auto', refused: true });
}

export async function* compactNow(
  input: StepInput,
  ports: CompactionPorts,
  request: CompactionRequest,
): AsyncGenerator<LoopBatch, RecoveryOutcome> {
  const result = yield* compact(input, ports, request);
  if (result.kind !== 'compacted') return { kind: 'none', why: result.why };
  return {
    kind: 'edits',
    source: 'boundary',
    edits: result.edits,
    tokensFreed: result.tokensFreed,
    compacted: true,
  };
}
