/** A compaction because a request was refused as too long (L7 rule 3), or on request. */
import type { ContextWork, RecoveryOutcome, StepInput } from '../../protocol/model/context.ts';
import { type CompactionPorts, type CompactionRequest, compact } from './compaction.ts';

export function reactiveCompact(input: StepInput, ports: CompactionPorts): ContextWork<RecoveryOutcome> {
  // Three failures in a row apply here too: the trim that needs no model is next (L2.6).
  if (input.compaction.switchedOff) return () => ({ kind: 'none', why: 'summaries are switched off' });
  return compactNow(input, ports, { trigger: 'auto', refused: true });
}

export function compactNow(
  input: StepInput,
  ports: CompactionPorts,
  request: CompactionRequest,
): ContextWork<RecoveryOutcome> {
  return async (output) => {
    const result = await compact(input, ports, request, output);
    if (result.kind !== 'compacted') return { kind: 'none', why: result.why };
    const { edits, tokensFreed } = result;
    return { kind: 'edits', source: 'boundary', edits, tokensFreed, compacted: true };
  };
}
