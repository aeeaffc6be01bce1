/** A compaction, whoever asked for it: one summary in the place of everything before the kept tail (L2.6). */
import type { CompactionSource, StepInput } from '../protocol/context.ts';
import type { ModelFailure } from '../protocol/failure.ts';
import type { HookPort, HookVerdict } from '../protocol/hook.ts';
import type { LoopMessage, ViewMessage } from '../protocol/messages.ts';
import type { ViewEdit } from '../protocol/view.ts';
import { splitBeforeTail } from './keep-tail.ts';
import { withoutMedia } from './media.ts';
import { boundary, informational, notice, type Stamp, syntheticMessage } from './notices.ts';
import { restoreAfterCompaction } from './post-compact.ts';
import { isSummary, type Round } from './rounds.ts';
import type { Summarise, SummariseOutcome } from './summarise.ts';
import { summaryText } from './summary-prompt.ts';
import { estimateTokens } from './token-estimate.ts';

export interface CompactionPorts extends Stamp {
  readonly summarise: Summarise;
  readonly hooks: HookPort;
  readonly sources: readonly CompactionSource[];
  /** Named in the summary, so that details can be looked up. */
  readonly transcriptPath?: string;
}

export interface CompactionRequest {
  readonly trigger: 'auto' | 'manual';
  /** Below this many tokens before the tail, a summary would free nothing worth its price. Default 0. */
  readonly worthwhileTokens?: number;
  readonly customInstructions?: string;
}

export type CompactionResult =
  | {
      readonly kind: 'compacted';
      readonly edits: readonly ViewEdit[];
      readonly tokensFreed: number;
      readonly why: string;
    }
  /** Nothing was tried: not a failure (F26). */
  | { readonly kind: 'nothing'; readonly why: string }
  /** The view is as it was (F18). */
  | { readonly kind: 'failed'; readonly why: string };

/** How often a request that is itself too long is made again without its oldest rounds. */
const MAX_SHORTENINGS = 3;
/** What each of them leaves out at least. */
const SHORTEN_SHARE = 0.2;

/** Yields its progress and, once it has succeeded, boundary, summary and whatever the sources restore. */
export async function* compact(
  input: StepInput,
  ports: CompactionPorts,
  request: CompactionRequest,
): AsyncGenerator<LoopMessage, CompactionResult> {
  const view = input.view.slice();
  const split = splitBeforeTail(view, input.limits);
  if (split === undefined || split.before.length === 0) {
    return { kind: 'nothing', why: 'everything belongs to the kept tail' };
  }
  if (split.beforeTokens < (request.worthwhileTokens ?? 0)) {
    return { kind: 'nothing', why: `only ${split.beforeTokens} tokens stand before the kept tail` };
  }
  const hooked = await ports.hooks.run(
    {
      event: 'PreCompact',
      trigger: request.trigger,
      custom_instructions: request.customInstructions ?? null,
    },
    { signal: input.signal },
  );
  for (const text of hooked.systemMessages) yield informational(ports, 'info', text);
  const refused = refusalOf(hooked);
  if (refused !== undefined) return { kind: 'nothing', why: `a PreCompact hook prevented it: ${refused}` };

  yield notice(ports, { subtype: 'status', status: 'compacting' });
  const startMs = ports.clock.monotonicMs();
  const custom = [request.customInstructions, ...hooked.additionalContext].filter(
    (text) => text !== undefined,
  );
  const { outcome, leftOut } = yield* summariseFitting(split.before, custom, input, ports);
  if (outcome.kind !== 'summary') {
    const why = outcome.kind === 'aborted' ? 'it was aborted' : outcome.failure.message;
    yield notice(ports, { subtype: 'status', status: null, compact_result: 'failed', compact_error: why });
    return { kind: 'failed', why };
  }

  const text = summaryText(outcome.text, {
    leftOut,
    ...(ports.transcriptPath !== undefined && { transcriptPath: ports.transcriptPath }),
  });
  const summary = syntheticMessage(ports, 'summary', text);
  const summarised = split.before
    .flatMap((round) => round.messages)
    .filter((message) => !split.kept.includes(message));
  const restored = await restoreAfterCompaction(ports.sources, { summarised, limits: input.limits });
  const head: readonly ViewMessage[] = [summary, ...restored];

  const keep = split.kept.map((message) => message.uuid);
  const preTokens = input.estimateTokens - input.snipTokensFreed;
  const postTokens =
    Math.max(0, preTokens - estimateTokens(view)) + estimateTokens(head) + estimateTokens(split.kept);
  yield notice(ports, { subtype: 'status', status: null, compact_result: 'success' });
  yield boundary(ports, {
    trigger: request.trigger,
    pre_tokens: preTokens,
    post_tokens: postTokens,
    duration_ms: Math.round(ports.clock.monotonicMs() - startMs),
    preserved_messages: { anchor_uuid: summary.uuid, uuids: keep },
  });
  yield* head;
  const done = await ports.hooks.run(
    { event: 'PostCompact', trigger: request.trigger, compact_summary: outcome.text },
    { signal: input.signal },
  );
  for (const message of done.systemMessages) yield informational(ports, 'info', message);
  return {
    kind: 'compacted',
    edits: [{ kind: 'reset', head, keep, tail: [] }],
    tokensFreed: preTokens - postTokens,
    why: `${summarised.length} messages were summarised, ${keep.length} kept`,
  };
}

function refusalOf(verdict: HookVerdict): string | undefined {
  return verdict.preventContinuation?.stopReason ?? verdict.blockingErrors[0];
}

/** Summarises the rounds; while the request is itself too long, without media and with fewer of the oldest. */
async function* summariseFitting(
  all: readonly Round[],
  customInstructions: readonly string[],
  input: StepInput,
  ports: CompactionPorts,
): AsyncGenerator<LoopMessage, { readonly outcome: SummariseOutcome; readonly leftOut: number }> {
  let rounds = all;
  for (let shortened = 0; ; shortened++) {
    const asTheyAre = rounds.flatMap((round) => round.messages);
    const leftOut = all.reduce((sum, round) => sum + round.messages.length, 0) - asTheyAre.length;
    const outcome = yield* ports.summarise({
      messages: shortened === 0 ? asTheyAre : asTheyAre.map((message) => withoutMedia(message) ?? message),
      model: input.model,
      customInstructions,
      effectKey: `${input.effectKey}/compact/${shortened + 1}`,
      signal: input.signal,
    });
    if (outcome.kind !== 'failed' || !isTooLong(outcome.failure) || shortened === MAX_SHORTENINGS) {
      return { outcome, leftOut };
    }
    const fewer = withoutOldest(rounds, excessOf(outcome.failure));
    if (fewer === undefined) return { outcome, leftOut };
    rounds = fewer;
  }
}

function isTooLong({ kind }: ModelFailure): boolean {
  return kind === 'prompt_too_long' || kind === 'output_over_window' || kind === 'media_too_large';
}

function excessOf({ tokens }: ModelFailure): number {
  return tokens?.input !== undefined && tokens.limit !== undefined
    ? Math.max(0, tokens.input - tokens.limit)
    : 0;
}

/** Undefined when nothing is left to leave out. An earlier summary stays: it stands for more than any round. */
function withoutOldest(rounds: readonly Round[], excess: number): readonly Round[] | undefined {
  const first = rounds[0]?.messages.some(isSummary) ? 1 : 0;
  const total = rounds.reduce((sum, round) => sum + round.tokens, 0);
  const target = Math.max(excess, total * SHORTEN_SHARE);
  let dropped = 0;
  let from = first;
  while (dropped < target && from < rounds.length - 1) {
    dropped += rounds[from]?.tokens ?? 0;
    from += 1;
  }
  return from === first ? undefined : [...rounds.slice(0, first), ...rounds.slice(from)];
}
