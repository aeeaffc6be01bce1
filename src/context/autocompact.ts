/** Step 6: above the threshold, one summary takes the place of everything before the kept tail. */
import type { CompactionState, ContextStep, StepInput, StepOutcome } from '../protocol/context.ts';
import type { LoopMessage } from '../protocol/messages.ts';
import { type CompactionPorts, compact } from './compaction.ts';
import { largestContributor } from './largest-contributor.ts';
import { informational } from './notices.ts';
import { estimateTokens } from './token-estimate.ts';

const MAX_STRIKES = 3;
/** A context that is full again this many turns after a compaction counts as refilled. */
const REFILL_TURNS = 3;
const MAX_REFILLS = 3;
/** A summary of less than this share of the threshold would not help (F21, F26). */
const WORTHWHILE_SHARE = 0.05;

export function autocompact(ports: CompactionPorts): ContextStep {
  return {
    name: 'autocompact',
    async *run(input): AsyncGenerator<LoopMessage, StepOutcome> {
      const { compaction, limits, querySource } = input;
      const tokens = input.estimateTokens - input.snipTokensFreed;
      if (querySource === 'compact') return skip('this is a compaction itself');
      if (input.compactedInThisPass) return skip('this pass has compacted already');
      if (compaction.switchedOff) return skip('switched off after three failures in a row');
      if (tokens < limits.autocompactAt) return skip(`${tokens} tokens, below ${limits.autocompactAt}`);
      if (floorTokens(input) >= limits.autocompactAt)
        return skip('the system prompt and the tools alone are too large');

      const rapidRefills = isRapidRefill(compaction) ? compaction.rapidRefills + 1 : 0;
      if (rapidRefills >= MAX_REFILLS) return refillStop(input, tokens);

      const result = yield* compact(input, ports, {
        trigger: 'auto',
        worthwhileTokens: limits.autocompactAt * WORTHWHILE_SHARE,
      });
      switch (result.kind) {
        case 'nothing':
          return skip(result.why);
        case 'failed': {
          const consecutiveFailures = compaction.consecutiveFailures + 1;
          const switchedOff = consecutiveFailures >= MAX_STRIKES;
          if (switchedOff) yield informational(ports, 'warning', strikeOutText(result.why));
          return {
            kind: 'note',
            why: result.why,
            compaction: { ...compaction, consecutiveFailures, switchedOff },
          };
        }
        case 'compacted':
          return {
            kind: 'edits',
            source: 'boundary',
            edits: result.edits,
            why: result.why,
            tokensFreed: result.tokensFreed,
            compaction: {
              turnsSinceCompact: 0,
              rapidRefills,
              consecutiveFailures: 0,
              switchedOff: false,
              warned: false,
            },
          };
      }
    },
  };
}

/** What no message accounts for: the system prompt and the tools. */
export function floorTokens(input: StepInput): number {
  return input.estimateTokens - estimateTokens(input.view);
}

function isRapidRefill({ turnsSinceCompact }: CompactionState): boolean {
  return turnsSinceCompact !== undefined && turnsSinceCompact <= REFILL_TURNS;
}

function refillStop(input: StepInput, tokens: number): StepOutcome {
  const largest = largestContributor(input.view.slice(), tokens);
  return {
    kind: 'stop',
    reason: 'rapid_refill_breaker',
    message:
      `The context was full again within ${REFILL_TURNS} turns of a compaction, ${MAX_REFILLS} times in a row, so compacting it ` +
      `once more would not help. The largest part of it is ${largest}. Make that smaller, or go on in a new session.`,
  };
}

function strikeOutText(why: string): string {
  return (
    `The conversation could not be summarised, ${MAX_STRIKES} times in a row (last: ${why}). Automatic compaction is ` +
    'switched off until your next prompt.'
  );
}

function skip(why: string): StepOutcome {
  return { kind: 'skip', why };
}
