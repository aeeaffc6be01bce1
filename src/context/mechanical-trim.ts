/** The last rung: the oldest whole rounds are dropped. Needs no model, so it cannot fail (F15). */
import type { RecoveryOutcome, StepInput } from '../protocol/context.ts';
import type { LoopMessage } from '../protocol/messages.ts';
import { splitBeforeTail } from './keep-tail.ts';
import { boundary, type Stamp, syntheticMessage } from './notices.ts';
import { isSummary, type Round } from './rounds.ts';
import { trimmedText } from './summary-prompt.ts';
import { estimateTokens } from './token-estimate.ts';

/** It is taken once, and the estimate was wrong already: at least half of what may go, goes. */
const DROP_SHARE = 0.5;
/** What the view may fill afterwards. */
const TARGET_SHARE = 0.5;

export async function* mechanicalTrim(
  input: StepInput,
  stamp: Stamp,
): AsyncGenerator<LoopMessage, RecoveryOutcome> {
  const view = input.view.slice();
  const split = splitBeforeTail(view, input.limits);
  const droppable = split?.before.filter((round) => !round.messages.some(isSummary)) ?? [];
  const tokens = estimateTokens(view);
  const pinned = new Set(split?.kept);
  const dropped = oldest(droppable, tokens - input.limits.effective * TARGET_SHARE)
    .flatMap((round) => round.messages)
    .filter((message) => !pinned.has(message));
  if (dropped.length === 0) return { kind: 'none', why: 'no round stands before the kept tail' };

  const marker = syntheticMessage(stamp, 'nudge', trimmedText(dropped.length));
  const tokensFreed = estimateTokens(dropped) - estimateTokens([marker]);
  const gone = new Set(dropped);
  const uuids = view.filter((message) => !gone.has(message)).map((message) => message.uuid);
  yield boundary(stamp, {
    trigger: 'auto',
    pre_tokens: input.estimateTokens,
    post_tokens: input.estimateTokens - tokensFreed,
    preserved_messages: { anchor_uuid: marker.uuid, uuids },
  });
  yield marker;
  return {
    kind: 'edits',
    source: 'boundary',
    edits: [{ kind: 'splice', uuids: dropped.map((message) => message.uuid), items: [marker] }],
    tokensFreed,
    compacted: true,
  };
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
