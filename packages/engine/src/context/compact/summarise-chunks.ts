/** A summary of more than fits into one request: in parts, which are then merged (F15, F17). */
import type { ViewMessage } from '../../protocol/model/messages.ts';
import { estimateTokens } from '../estimate/token-estimate.ts';
import { withoutMedia } from '../media/media.ts';
import { type Stamp, syntheticMessage } from '../notices.ts';
import type { Round } from '../rounds.ts';
import { shortened } from './shorten.ts';
import type { SummariseOutcome } from './summarise.ts';
import { mergeRequest, partRequest, partsText, type SummaryWords } from './summary-prompt.ts';

/** One call of the model that makes the summary. */
export type AskForSummary = (
  messages: readonly ViewMessage[],
  instruction: string,
) => Promise<SummariseOutcome>;

interface ChunkJob {
  /** Limit of the messages of one request, in estimated tokens. */
  readonly limitTokens: number;
  readonly words: SummaryWords;
  readonly ask: AskForSummary;
  readonly isTooLong: (outcome: SummariseOutcome) => boolean;
}

type ChunksOutcome = SummariseOutcome & { readonly leftOut: number };

/** Maximum number of parts: the oldest are left out. */
const MAX_CHUNKS = 16;
/** How often a part that is too long is divided. */
const MAX_DEPTH = 2;

export async function summariseInChunks(
  rounds: readonly Round[],
  job: ChunkJob,
  stamp: Stamp,
): Promise<ChunksOutcome> {
  const { chunks, leftOut } = groupRounds(rounds, job.limitTokens);
  const texts: string[] = [];
  for (const [i, chunk] of chunks.entries()) {
    const text = await summariseChunk(chunk, partRequest(job.words, i + 1, chunks.length), job, 0);
    if (typeof text !== 'string') return { ...text, leftOut };
    texts.push(text);
  }
  if (texts.length === 0)
    return { kind: 'failed', failure: { kind: 'prompt_too_long', message: 'No part of it fits.' }, leftOut };
  if (texts.length === 1) return { kind: 'summary', text: texts[0] as string, leftOut };

  const merged = [syntheticMessage(stamp, 'nudge', partsText(texts))];
  if (estimateTokens(merged) <= job.limitTokens) {
    const whole = await job.ask(merged, mergeRequest(job.words));
    if (whole.kind !== 'failed') return { ...whole, leftOut };
  }
  // Merging failed: the parts contain everything, at greater length.
  return { kind: 'summary', text: partsText(texts), leftOut };
}

async function summariseChunk(
  rounds: readonly Round[],
  instruction: string,
  job: ChunkJob,
  depth: number,
): Promise<string | Exclude<SummariseOutcome, { kind: 'summary' }>> {
  const outcome = await job.ask(
    rounds.flatMap((round) => round.messages),
    instruction,
  );
  if (outcome.kind === 'summary') return outcome.text;
  if (!job.isTooLong(outcome) || depth === MAX_DEPTH) return outcome;
  const limitTokens = job.limitTokens / 2 ** (depth + 1);
  const texts: string[] = [];
  for (const chunk of groupRounds(rounds, limitTokens).chunks) {
    const text = await summariseChunk(chunk, instruction, job, depth + 1);
    if (typeof text !== 'string') return text;
    texts.push(text);
  }
  return texts.join('\n\n');
}

/** Groups neighbouring rounds up to the limit; a round that is too long alone is shortened. */
function groupRounds(
  rounds: readonly Round[],
  limitTokens: number,
): { readonly chunks: readonly (readonly Round[])[]; readonly leftOut: number } {
  const chunks: Round[][] = [];
  let tokens = 0;
  let leftOut = 0;
  for (const round of rounds) {
    const fitting = fittingRound(round, limitTokens);
    if (fitting === undefined) {
      leftOut += round.messages.length;
      continue;
    }
    const last = chunks.at(-1);
    if (last === undefined || tokens + fitting.tokens > limitTokens) {
      chunks.push([fitting]);
      tokens = fitting.tokens;
    } else {
      last.push(fitting);
      tokens += fitting.tokens;
    }
  }
  for (const chunk of chunks.splice(0, Math.max(0, chunks.length - MAX_CHUNKS)))
    leftOut += chunk.reduce((sum, round) => sum + round.messages.length, 0);
  return { chunks, leftOut };
}

const LONGEST_TEXT = 8_000;
const SHORTEST_TEXT = 250;

function fittingRound(round: Round, limitTokens: number): Round | undefined {
  let messages = round.messages.map((message) => withoutMedia(message) ?? message);
  let tokens = estimateTokens(messages);
  for (let chars = LONGEST_TEXT; tokens > limitTokens; chars /= 2) {
    if (chars < SHORTEST_TEXT) return undefined;
    messages = messages.map((message) => shortened(message, chars, true));
    tokens = estimateTokens(messages);
  }
  return { messages, tokens };
}
