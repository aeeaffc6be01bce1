/** Step 6: above the threshold, one summary replaces everything before the kept tail. */

import type { Output } from '@turnwright/base/async/batch-output.ts';
import { grouped } from '@turnwright/base/text/figures-and-times.ts';
import type {
  CompactionState,
  ContextLimits,
  ContextStep,
  StepInput,
  StepOutcome,
} from '../../protocol/model/context.ts';
import type { LoopMessage } from '../../protocol/model/messages.ts';
import { type CompactionPorts, compact } from '../compact/compaction.ts';
import { largestContributor } from '../compact/largest-contributor.ts';
import { mechanicalTrim } from '../compact/mechanical-trim.ts';
import { estimateFloor, estimateScale, measuredFloor, naturalThreshold } from '../estimate/fixed-overhead.ts';
import { informational } from '../notices.ts';

const MAX_STRIKES = 3;
/** A context that is full again within this many turns after a compaction counts as refilled. */
const REFILL_TURNS = 3;
const MAX_REFILLS = 3;
/** A summary of less than this share of the threshold would not help (F21, F26). */
const WORTHWHILE_SHARE = 0.05;

/**
 * A failed summary leaves the view unchanged and is counted (F18). Only when the view is full, the last
 * fallback strategy, which needs no model, frees space; also while summaries are switched off. So the session
 * continues, and each loss is announced.
 */
export function autocompact(ports: () => CompactionPorts): ContextStep {
  return {
    name: 'autocompact',
    run(input) {
      const { limits, estimateTokens: tokens } = input;
      if (input.querySource === 'compact') return skip('this is a compaction itself');
      if (input.compactedInThisPass) return skip('this pass has compacted already');
      if (tokens < limits.autocompactAt && isFarBelow(input.overheadTokens, limits)) return below(input);
      return (output) => makeRoom(input, ports(), output);
    },
  };
}

const below = ({ estimateTokens, limits }: StepInput): StepOutcome =>
  skip(`${estimateTokens} tokens, below ${limits.autocompactAt}`);

async function makeRoom(
  input: StepInput,
  ports: CompactionPorts,
  output: Output<LoopMessage>,
): Promise<StepOutcome> {
  const { compaction, limits, estimateTokens: tokens } = input;
  const floor = await tooLargeFloor(input, ports);
  if (floor !== undefined) return floor;
  if (tokens < limits.autocompactAt) return below(input);

  const rapidRefills = isRapidRefill(compaction) ? compaction.rapidRefills + 1 : 0;
  if (rapidRefills >= MAX_REFILLS) return refillStop(input, await ports.overhead(input.model));
  const compacted = { ...compaction, turnsSinceCompact: 0, rapidRefills, warned: false };
  const isFull = tokens >= limits.effective;
  if (compaction.switchedOff) {
    const why = 'switched off after three failures in a row';
    return isFull ? trimAhead(input, ports, { why, compacted, else: compaction }, output) : skip(why);
  }

  const worthwhileTokens = limits.autocompactAt * WORTHWHILE_SHARE;
  const result = await compact(input, ports, { trigger: 'auto', worthwhileTokens }, output);
  switch (result.kind) {
    case 'nothing':
      return isFull
        ? trimAhead(input, ports, { why: result.why, compacted, else: compaction }, output)
        : skip(result.why);
    case 'failed': {
      const consecutiveFailures = compaction.consecutiveFailures + 1;
      const switchedOff = consecutiveFailures >= MAX_STRIKES;
      if (switchedOff) await output.emit([informational(ports, 'warning', strikeOutText(result.why))]);
      const strike = { consecutiveFailures, switchedOff };
      const struck = { ...compaction, ...strike };
      const { why } = result;
      if (!isFull || input.life.signal.aborted) return { kind: 'note', why, compaction: struck };
      const trimmed = { ...compacted, ...strike };
      return trimAhead(input, ports, { why, compacted: trimmed, else: struck }, output);
    }
    case 'compacted':
      return {
        kind: 'edits',
        source: 'boundary',
        edits: result.edits,
        why: result.why,
        tokensFreed: result.tokensFreed,
        compaction: { ...compacted, consecutiveFailures: 0, switchedOff: false },
      };
  }
}

/**
 * F21: the part before the messages fills the window, so no compaction can help. Before anything was
 * measured, only a floor that leaves no space at all ends the run; otherwise the request itself decides.
 */
async function tooLargeFloor(input: StepInput, ports: CompactionPorts): Promise<StepOutcome | undefined> {
  const { limits, model } = input;
  const overhead = await ports.overhead(model);
  if (isFarBelow(overhead, limits)) return undefined;
  const floor = estimateFloor(input, overhead);
  if (floor.tokens >= (floor.measured ? naturalThreshold(limits) : limits.effective)) {
    return { kind: 'stop', reason: 'blocking_limit', message: floorText(floor.tokens, input) };
  }
  const tokens = input.estimateTokens;
  if (floor.tokens < limits.autocompactAt || tokens < limits.autocompactAt) return undefined;
  return skip('the system prompt and the tools alone are above the threshold');
}

/** The floor is never above the reported figure: usually nothing has to be measured (L10.10). */
function isFarBelow(overhead: number | undefined, limits: ContextLimits): boolean {
  return overhead !== undefined && overhead < Math.min(limits.autocompactAt, naturalThreshold(limits));
}

interface Ahead {
  readonly why: string;
  /** The state after something was dropped, and when nothing could be. */
  readonly compacted: CompactionState;
  readonly else: CompactionState;
}

async function trimAhead(
  input: StepInput,
  ports: CompactionPorts,
  { why, ...state }: Ahead,
  output: Output<LoopMessage>,
): Promise<StepOutcome> {
  const trimmed = await mechanicalTrim(input, ports, 'ahead', output);
  if (trimmed.kind === 'none') {
    const both = `${why}; ${trimmed.why}`;
    return state.else === input.compaction ? skip(both) : { kind: 'note', why: both, compaction: state.else };
  }
  await output.emit([informational(ports, 'warning', trimmedNotice(why, trimmed.compacted))]);
  return {
    kind: 'edits',
    source: trimmed.source,
    edits: trimmed.edits,
    why: `without a model: ${why}`,
    tokensFreed: trimmed.tokensFreed,
    compaction: state.compacted,
  };
}

function isRapidRefill({ turnsSinceCompact }: CompactionState): boolean {
  return turnsSinceCompact !== undefined && turnsSinceCompact <= REFILL_TURNS;
}

function refillStop(input: StepInput, overhead: number): StepOutcome {
  const largest = largestContributor(input.view.slice(), {
    fixedTokens: Math.max(overhead, measuredFloor(input)),
    scale: estimateScale(input, overhead),
  });
  return {
    kind: 'stop',
    reason: 'rapid_refill_breaker',
    message:
      `The context was full again within ${REFILL_TURNS} turns of a compaction, ${MAX_REFILLS} times in a row, so compacting it ` +
      `once more would not help. The largest part of it is ${largest}. Make that smaller, or go on in a new session.`,
  };
}

function floorText(floor: number, { limits, model }: StepInput): string {
  return (
    `The system prompt and the tool definitions alone are about ${grouped(floor)} tokens, and the window of ${model} leaves ` +
    `${grouped(limits.effective)} of ${grouped(limits.window)} for a request. No compaction can make room: offer fewer tools, ` +
    'shorten the system prompt or the project files, or take a model with a larger window.'
  );
}

function strikeOutText(why: string): string {
  return (
    `The conversation could not be summarised, ${MAX_STRIKES} times in a row (last: ${why}). Automatic summaries are ` +
    'switched off until your next prompt; if the context fills up before that, its oldest part is dropped.'
  );
}

function trimmedNotice(why: string, dropped: boolean): string {
  const what = dropped ? 'Its oldest part was dropped without a summary' : 'Its largest texts were cut';
  return `The context was full and could not be summarised (${why}). ${what}; the record of the session keeps all of it.`;
}

function skip(why: string): StepOutcome {
  return { kind: 'skip', why };
}
