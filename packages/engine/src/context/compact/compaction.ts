/** A compaction: one summary replaces everything before the kept tail (L2.6). */
import type { Output } from '@turnwright/base/async/batch-output.ts';
import type { CompactionSource, StepInput } from '../../protocol/model/context.ts';
import type { LoopMessage, UserMessage, ViewMessage } from '../../protocol/model/messages.ts';
import type { ViewEdit } from '../../protocol/model/view.ts';
import type { HookPort, HookVerdict } from '../../protocol/tools/hook.ts';
import { estimateScale, wholeRequestTokens } from '../estimate/fixed-overhead.ts';
import { estimateTokens } from '../estimate/token-estimate.ts';
import { boundary, notice, syntheticMessage } from '../notices.ts';
import { type Split, splitBeforeTail } from './keep-tail.ts';
import type { TrimPorts } from './mechanical-trim.ts';
import { restoreAfterCompaction, restoreBudget, sessionStartSource } from './post-compact.ts';
import { type LadderOutcome, type LadderPorts, summariseRounds } from './summarise-ladder.ts';
import { type SummaryWords, summaryText } from './summary-prompt.ts';

export interface CompactionPorts extends LadderPorts, TrimPorts {
  readonly hooks: HookPort;
  readonly sources: readonly CompactionSource[];
  /** Changes of the host to the instruction. */
  readonly words: SummaryWords;
  /** Named in the summary, so that details can be looked up. */
  readonly transcriptPath?: string;
}

export interface CompactionRequest {
  readonly trigger: 'auto' | 'manual';
  /** A request was refused as too long, so the estimate is wrong: only the last round is kept. */
  readonly refused?: boolean;
  /** Below this many tokens before the tail, a summary is not worth its price. Default 0. */
  readonly worthwhileTokens?: number;
  readonly instructions?: string;
}

type CompactionResult =
  | {
      readonly kind: 'compacted';
      readonly edits: readonly ViewEdit[];
      readonly tokensFreed: number;
      readonly why: string;
    }
  /** Nothing was attempted: not a failure (F26). */
  | { readonly kind: 'nothing'; readonly why: string }
  /** The view is unchanged (F18). */
  | { readonly kind: 'failed'; readonly why: string };

/**
 * Emits progress and, once it has succeeded, boundary, summary and restored context. Until then the view is
 * unchanged: an abort or failure at any time leaves no partial state.
 */
export async function compact(
  input: StepInput,
  ports: CompactionPorts,
  request: CompactionRequest,
  output: Output<LoopMessage>,
): Promise<CompactionResult> {
  const overhead = await ports.overhead(input.model);
  const scale = Math.max(input.tokenFactor ?? 1, estimateScale(input, overhead));
  const split = splitBeforeTail(input.view.slice(), input.limits, {
    lastRoundOnly: isInsistent(request),
    scale: Math.max(1, scale),
  });
  const kept = new Set(split?.kept);
  const goes = split?.before.some((round) => round.messages.some((message) => !kept.has(message))) === true;
  if (split === undefined || split.before.length === 0 || (request.trigger === 'auto' && !goes)) {
    return { kind: 'nothing', why: 'everything belongs to the kept tail' };
  }
  if (split.beforeTokens < (request.worthwhileTokens ?? 0)) {
    return {
      kind: 'nothing',
      why: `only ${Math.round(split.beforeTokens)} tokens stand before the kept tail`,
    };
  }
  const { trigger, instructions } = request;
  const hooked = await ports.hooks.run(
    { event: 'PreCompact', trigger, custom_instructions: instructions ?? null },
    { signal: input.life.signal },
  );
  const refused = findRefusal(hooked);
  if (refused !== undefined) return { kind: 'nothing', why: `a PreCompact hook prevented it: ${refused}` };

  await output.emit([notice(ports, { subtype: 'status', status: 'compacting' })]);
  const startMs = ports.clock.monotonicMs();
  const own = [...(ports.words.instructions ?? []), instructions ?? '', ...hooked.additionalContext];
  const words = { ...ports.words, instructions: own.filter((text) => text.trim() !== '') };
  const outcome = await summariseRounds(split.before, { words, input, ports }, output);
  const made =
    outcome.kind === 'summary' ? await replacement(split, outcome, { input, scale }, ports) : undefined;
  const failure = findFailure(outcome, made, request, input.life.signal);
  if (failure !== undefined || made === undefined || outcome.kind !== 'summary') {
    const why = failure ?? 'no summary was made';
    const failed = { status: null, compact_result: 'failed', compact_error: why } as const;
    await output.emit([notice(ports, { subtype: 'status', ...failed })]);
    return { kind: 'failed', why };
  }

  const preTokens = wholeRequestTokens(input, overhead);
  const keep = split.kept.map((message) => message.uuid);
  await output.emit([notice(ports, { subtype: 'status', status: null, compact_result: 'success' })]);
  await output.emit([
    boundary(ports, {
      trigger,
      pre_tokens: preTokens,
      post_tokens: Math.max(0, preTokens - Math.round(made.tokensFreed)),
      duration_ms: Math.round(ports.clock.monotonicMs() - startMs),
      preserved_messages: { anchor_uuid: made.summary.uuid, uuids: keep },
    }),
  ]);
  await output.emit(made.head);
  await ports.hooks.run(
    { event: 'PostCompact', trigger, compact_summary: outcome.text },
    { signal: input.life.signal },
  );
  return {
    kind: 'compacted',
    edits: [{ kind: 'reset', head: made.head, keep, tail: [] }],
    tokensFreed: Math.round(made.tokensFreed / (input.tokenFactor ?? 1)),
    why: `${made.summarised} messages were summarised (${outcome.how}), ${keep.length} kept`,
  };
}

interface Replacement {
  readonly summary: UserMessage;
  readonly head: readonly ViewMessage[];
  readonly summarised: number;
  /** Real tokens. */
  readonly tokensFreed: number;
}

/** The messages that replace the summarised rounds. */
async function replacement(
  split: Split,
  outcome: Extract<LadderOutcome, { kind: 'summary' }>,
  { input, scale }: { readonly input: StepInput; readonly scale: number },
  ports: CompactionPorts,
): Promise<Replacement> {
  const { tokenFactor = 1 } = input;
  const { transcriptPath, historyTool } = ports;
  const text = summaryText(outcome.text, {
    leftOut: outcome.leftOut,
    ...(transcriptPath !== undefined && { transcriptPath }),
    ...(historyTool !== undefined && { historyTool }),
  });
  const summary = syntheticMessage(ports, 'summary', text);
  const kept = new Set(split.kept);
  const summarised = split.before.flatMap((round) => round.messages).filter((message) => !kept.has(message));
  const freed = estimateTokens(summarised) * scale - estimateTokens([summary]) * tokenFactor;
  const restored = await restoreAfterCompaction(
    [...ports.sources, sessionStartSource(ports.hooks, input.model, ports)],
    {
      summarised,
      kept: split.kept,
      budgetTokens: restoreBudget(input.limits, freed),
      signal: input.life.signal,
    },
  );
  const tokensFreed = freed - estimateTokens(restored) * tokenFactor;
  return { summary, head: [summary, ...restored], summarised: summarised.length, tokensFreed };
}

function findFailure(
  outcome: LadderOutcome,
  made: Replacement | undefined,
  request: CompactionRequest,
  signal: AbortSignal,
): string | undefined {
  if (signal.aborted || outcome.kind === 'aborted') return 'it was aborted';
  if (outcome.kind === 'failed') return outcome.failure.message;
  // A compaction that frees nothing must not be repeated.
  if (!isInsistent(request) && made !== undefined && made.tokensFreed <= 0)
    return 'the summary is no shorter than what it would replace';
  return undefined;
}

/** Requested explicitly, or the only way to continue: then also a small conversation is compacted. */
function isInsistent({ trigger, refused }: CompactionRequest): boolean {
  return trigger === 'manual' || refused === true;
}

function findRefusal(verdict: HookVerdict): string | undefined {
  return verdict.preventContinuation?.stopReason ?? verdict.blockingErrors[0];
}
