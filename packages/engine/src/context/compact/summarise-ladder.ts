/**
 * Makes one summary of these rounds by a sequence of fallback strategies (L2.6, F15, F17). The request is
 * measured before it is sent and made smaller step by step: without media, with old tool output truncated,
 * without the oldest rounds, and finally in parts.
 */
import type { Output } from '@turnwright/base/async/batch-output.ts';
import type { StepInput } from '../../protocol/model/context.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { LoopMessage, ViewMessage } from '../../protocol/model/messages.ts';
import { estimateScale, type FixedOverhead } from '../estimate/fixed-overhead.ts';
import { estimateText, estimateTokens } from '../estimate/token-estimate.ts';
import { withoutMedia } from '../media/media.ts';
import type { Stamp } from '../notices.ts';
import { isSummary, type Round } from '../rounds.ts';
import { shortened } from './shorten.ts';
import type { Summarise, SummariseOutcome } from './summarise.ts';
import { type AskForSummary, summariseInChunks } from './summarise-chunks.ts';
import { partRequest, type SummaryWords, summaryRequest } from './summary-prompt.ts';
import type { SummaryRooms } from './summary-room.ts';

export interface LadderPorts extends Stamp {
  readonly summarise: Summarise;
  readonly summaryRooms: SummaryRooms;
  readonly overhead: FixedOverhead;
}

/** `how` names the strategy; `leftOut` counts messages that no summary covers. */
export type LadderOutcome =
  | { readonly kind: 'summary'; readonly text: string; readonly leftOut: number; readonly how: string }
  | Exclude<SummariseOutcome, { kind: 'summary' }>;

/** How often a refused request is repeated without its oldest rounds. */
const MAX_DROPS = 3;
/** Minimum share that each repetition leaves out. */
const DROP_SHARE = 0.2;
/** Share that a refused request is reduced to when the refusal contains no figures. */
const UNKNOWN_EXCESS = 0.8;
const KNOWN_EXCESS = 0.95;
/** Maximum factor of plain text above its estimate. */
const PLAIN_SCALE = 3;
/** Characters that are kept of an old tool result. */
const OLD_RESULT_CHARS = 2_000;

interface SummaryJob {
  readonly words: SummaryWords;
  readonly input: StepInput;
  readonly ports: LadderPorts;
}

export async function summariseRounds(
  rounds: readonly Round[],
  { words, input, ports }: SummaryJob,
  output: Output<LoopMessage>,
): Promise<LadderOutcome> {
  let outcome: LadderOutcome = {
    kind: 'failed',
    failure: { kind: 'unknown', message: 'No model was asked.' },
  };
  let calls = 0;
  for (const room of await ports.summaryRooms(input)) {
    const scale = estimateScale(input, await ports.overhead(input.model));
    // Tool output is dense; the instruction is plain text.
    const wordsTokens = estimateText(partRequest(words, 1, 1)) * Math.min(scale, PLAIN_SCALE);
    const ask: AskForSummary = (messages, instruction) => {
      calls += 1;
      const free = room.tokens - scale * estimateTokens(messages) - wordsTokens;
      const wanted = {
        messages,
        model: room.model,
        instruction,
        maxTokens: Math.max(room.leastAnswer, Math.min(room.mostAnswer, Math.floor(free))),
        effectKey: `${input.effectKey}/compact/${calls}`,
        signal: input.life.signal,
      };
      return ports.summarise(wanted, output);
    };
    const limit = (room.tokens - room.leastAnswer - wordsTokens) / scale;
    outcome = await climb(rounds, { words, ask, limit }, ports);
    if (outcome.kind !== 'failed' || outcome.failure.kind === 'budget') return outcome;
  }
  return outcome;
}

interface Climb {
  readonly words: SummaryWords;
  readonly ask: AskForSummary;
  /** Limit of the messages of a request, in estimated tokens. */
  readonly limit: number;
}

async function climb(
  all: readonly Round[],
  { words, ask, ...start }: Climb,
  stamp: Stamp,
): Promise<LadderOutcome> {
  let { limit } = start;
  let rounds = all;
  let refused = false;
  let drops = 0;
  for (;;) {
    const form = fittingForm(rounds, limit);
    if (form === undefined) {
      // Known in advance to be too long: summarised in parts, nothing is left out.
      const fewer = refused && drops < MAX_DROPS ? withoutOldest(rounds, limit) : undefined;
      if (fewer === undefined) break;
      drops += 1;
      rounds = fewer;
      continue;
    }
    const outcome = await ask(form.messages, summaryRequest(words));
    if (outcome.kind === 'summary')
      return {
        ...outcome,
        leftOut: countMessages(all) - countMessages(rounds),
        how: drops === 0 ? form.name : 'without the oldest rounds',
      };
    if (outcome.kind === 'aborted' || !isTooLong(outcome.failure)) return outcome;
    refused = true;
    limit = Math.min(limit, smaller(estimateTokens(form.messages), outcome.failure));
  }
  const job = {
    limitTokens: limit,
    words,
    ask,
    isTooLong: (outcome: SummariseOutcome) => outcome.kind === 'failed' && isTooLong(outcome.failure),
  };
  const outcome = await summariseInChunks(all, job, stamp);
  return outcome.kind === 'summary' ? { ...outcome, how: 'in pieces' } : outcome;
}

interface Form {
  readonly name: string;
  readonly messages: readonly ViewMessage[];
}

/** The least changed form that fits; undefined if none does. */
function fittingForm(rounds: readonly Round[], limit: number): Form | undefined {
  const asTheyAre = rounds.flatMap((round) => round.messages);
  if (estimateTokens(asTheyAre) <= limit) return { name: 'as it was', messages: asTheyAre };
  const light = asTheyAre.map((message) => withoutMedia(message) ?? message);
  if (estimateTokens(light) <= limit) return { name: 'without media', messages: light };
  const cut = light.map((message) => shortened(message, OLD_RESULT_CHARS, false));
  return estimateTokens(cut) <= limit ? { name: 'with tool output cut', messages: cut } : undefined;
}

/** undefined when nothing can be left out. An earlier summary is kept: it covers more than any round. */
function withoutOldest(rounds: readonly Round[], limit: number): readonly Round[] | undefined {
  const first = rounds[0]?.messages.some(isSummary) ? 1 : 0;
  const cut = rounds.map((round) =>
    estimateTokens(
      round.messages.map((message) => shortened(withoutMedia(message) ?? message, OLD_RESULT_CHARS, false)),
    ),
  );
  const total = cut.reduce((sum, tokens) => sum + tokens, 0);
  const target = Math.max(total - limit, total * DROP_SHARE);
  let dropped = 0;
  let from = first;
  while (dropped < target && from < rounds.length - 1) {
    dropped += cut[from] ?? 0;
    from += 1;
  }
  return from === first ? undefined : [...rounds.slice(0, first), ...rounds.slice(from)];
}

/** Target size after a refusal, in the same measure as `sent`. */
function smaller(sent: number, { tokens }: ModelFailure): number {
  if (tokens?.input === undefined || tokens.limit === undefined) return sent * UNKNOWN_EXCESS;
  const room = tokens.limit - (tokens.maxTokens ?? 0);
  return sent * Math.min(UNKNOWN_EXCESS, Math.max(0.1, (room / tokens.input) * KNOWN_EXCESS));
}

function isTooLong({ kind }: ModelFailure): boolean {
  return kind === 'prompt_too_long' || kind === 'output_over_window' || kind === 'media_too_large';
}

const countMessages = (rounds: readonly Round[]): number =>
  rounds.reduce((sum, round) => sum + round.messages.length, 0);
