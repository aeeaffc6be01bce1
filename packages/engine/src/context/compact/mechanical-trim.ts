/** The last fallback strategy: drops the oldest whole rounds. Needs no model, so it cannot fail (F15). */
import type { Output } from '@turnwright/base/async/batch-output.ts';
import type { CompactionSource, RecoveryOutcome, StepInput } from '../../protocol/model/context.ts';
import type { LoopMessage, ViewMessage } from '../../protocol/model/messages.ts';
import type { ViewEdit } from '../../protocol/model/view.ts';
import type { Spill } from '../clearing/result-preview.ts';
import { estimateScale, type FixedOverhead, wholeRequestTokens } from '../estimate/fixed-overhead.ts';
import { estimateTokens } from '../estimate/token-estimate.ts';
import { boundary, informational, type Stamp, syntheticMessage } from '../notices.ts';
import { isSummary, type Round } from '../rounds.ts';
import { type Cut, cutLargest } from './cut-largest.ts';
import { splitBeforeTail } from './keep-tail.ts';
import { restoreAfterCompaction } from './post-compact.ts';
import { cutPromptsText, trimmedText } from './summary-prompt.ts';

export interface TrimPorts extends Stamp {
  readonly sources: readonly CompactionSource[];
  readonly overhead: FixedOverhead;
  readonly spill: Spill;
  /** Named in the note that replaces the dropped messages. */
  readonly historyTool?: string;
}

/**
 * Minimum share of the droppable tokens that is dropped: the trim happens once, and the estimate was wrong
 * already.
 */
const DROP_SHARE = 0.5;
/** Target share of the usable window. */
const TARGET_SHARE = 0.5;
/** Before a request was refused, the newest results are truncated only when they exceed this share. */
const AHEAD_SHARE = 0.85;
/** Share for restored context: the todos, not the files. */
const RESTORE_SHARE = 0.05;

/**
 * `ahead`: no request was refused yet. Kept messages that are still too long are truncated, and stored in
 * files (F16).
 */
export async function mechanicalTrim(
  input: StepInput,
  ports: TrimPorts,
  when: 'ahead' | 'refused',
  output: Output<LoopMessage>,
): Promise<RecoveryOutcome> {
  const view = input.view.slice();
  const overhead = await ports.overhead(input.model);
  const scale = estimateScale(input, overhead);
  /** A share of the usable window, in estimated tokens and without the fixed part. */
  const room = (share: number) => Math.max(0, (input.limits.effective * share - overhead) / scale);

  const refused = when === 'refused';
  const split = splitBeforeTail(view, input.limits, { lastRoundOnly: refused, scale: Math.max(1, scale) });
  const droppable = split?.before.filter((round) => !round.messages.some(isSummary)) ?? [];
  const pinned = new Set(split?.kept);
  const dropped = oldest(droppable, estimateTokens(view) - room(TARGET_SHARE))
    .flatMap((round) => round.messages)
    .filter((message) => !pinned.has(message));
  const gone = new Set(dropped);
  const rest = view.filter((message) => !gone.has(message));
  let cut = await cutLargest(
    rest,
    { resultsDownTo: room(when === 'ahead' ? AHEAD_SHARE : TARGET_SHARE), wordsDownTo: room(1) },
    ports.spill,
  );
  // The estimate says that everything fits, but the request was refused: its largest texts are halved.
  if (refused && dropped.length === 0 && cut.edits.length === 0) {
    const half = estimateTokens(rest) * DROP_SHARE;
    cut = await cutLargest(rest, { resultsDownTo: half, wordsDownTo: half }, ports.spill);
  }
  if (dropped.length === 0 && cut.edits.length === 0)
    return { kind: 'none', why: 'no round stands before the kept tail' };
  if (cut.prompts.length > 0)
    await output.emit([informational(ports, 'warning', cutPromptsText(cut.prompts))]);
  if (dropped.length === 0) return cutOnly(cut);

  const restored = await restoreAfterCompaction(ports.sources, {
    summarised: dropped,
    kept: rest,
    budgetTokens: Math.floor(input.limits.effective * RESTORE_SHARE),
    signal: input.life.signal,
  });
  const marker = syntheticMessage(ports, 'nudge', trimmedText(dropped.length, ports.historyTool));
  const items: readonly ViewMessage[] = [marker, ...restored];
  const tokensFreed = estimateTokens(dropped) - estimateTokens(items) + cut.tokensFreed;
  if (tokensFreed <= 0 && !refused) return { kind: 'none', why: 'dropping what may go would free nothing' };
  const preTokens = wholeRequestTokens(input, overhead);
  await output.emit([
    boundary(ports, {
      trigger: 'auto',
      pre_tokens: preTokens,
      post_tokens: Math.max(0, preTokens - Math.round(tokensFreed * (input.tokenFactor ?? 1))),
      preserved_messages: { anchor_uuid: marker.uuid, uuids: rest.map((message) => message.uuid) },
    }),
  ]);
  await output.emit(items);
  const splice: ViewEdit = { kind: 'splice', uuids: dropped.map((message) => message.uuid), items };
  return { kind: 'edits', source: 'boundary', edits: [splice, ...cut.edits], tokensFreed, compacted: true };
}

function cutOnly({ edits, tokensFreed }: Cut): RecoveryOutcome {
  return { kind: 'edits', source: 'replacement', edits, tokensFreed, compacted: false };
}

function oldest(rounds: readonly Round[], tokens: number): readonly Round[] {
  const all = rounds.reduce((sum, round) => sum + round.tokens, 0);
  const target = Math.max(tokens, all * DROP_SHARE);
  let dropped = 0;
  let end = 0;
  while (end < rounds.length && dropped < target) {
    dropped += rounds[end]?.tokens ?? 0;
    end += 1;
  }
  return rounds.slice(0, end);
}
