/** Step 4: results of old calls that can be repeated are replaced by a stub. */
import type { ContextStep, ContextWork, StepInput, StepOutcome } from '../../protocol/model/context.ts';
import type { View, ViewEdit } from '../../protocol/model/view.ts';
import type { ApiClearing } from '../clearing/api-clearing.ts';
import { clearResults, type ResultIndex } from '../clearing/result-index.ts';
import { earlyThreshold } from '../estimate/thresholds.ts';
import { isCold, isWorthAPrefix } from '../estimate/worth-a-prefix.ts';
import { notice, type Stamp } from '../notices.ts';

interface MicrocompactOptions extends Stamp {
  readonly indexOf: (view: View) => ResultIndex;
  readonly clearing: ApiClearing;
  /** Whether the API clears results for this model on request. */
  readonly cached: (model: string) => boolean;
  /** Number of newest results of re-runnable calls that are kept. */
  readonly keepResults: number;
  /** Less than this is not worth a new prefix while the old one is cached. */
  readonly minTokens: number;
  /** Lifetime of an unused cached prompt. */
  readonly cacheTtlMs: number;
  /** A later step can free space if this one does not. */
  readonly autocompact: boolean;
}

/**
 * *Cached* where the provider supports it: the API clears, the view is unchanged. *Local*, in the view, where
 * it does not, where the cache has expired anyway, and at autocompact's threshold, because the API reports
 * only afterwards what it cleared.
 */
export function microcompact(options: MicrocompactOptions): ContextStep {
  const { clearing, minTokens } = options;
  return {
    name: 'microcompact',
    run(input) {
      if (input.querySource === 'compact') return skip('this is a compaction itself');
      const index = options.indexOf(input.view);
      const cleared = clearing.count(index);
      const old = Math.max(cleared, index.oldCount(options.keepResults));
      const savings = index.savings(cleared, old);
      const factor = input.tokenFactor ?? 1;
      const freed = Math.round(savings * factor);
      const tokens = input.estimateTokens;
      const early = earlyThreshold(input.limits);
      const cached = options.cached(input.model);

      // What fits is kept, however old its cached prompt is.
      if (tokens >= early && freed >= minTokens) {
        if (isCold(input.view, options.clock, options.cacheTtlMs))
          return clearInView(input, index, old, savings, `${tokens} tokens, and the cache is cold`);
        const first = index.results.slice(cleared).find(({ rerunnable }) => rerunnable)?.messageUuid ?? '';
        const alternative = options.autocompact && !input.compaction.switchedOff;
        if (alternative && !isWorthAPrefix(input, first, freed))
          return goOn(`old results hold ${freed} tokens, fewer than would be written again`);
        if (!cached || tokens >= input.limits.autocompactAt)
          return clearInView(input, index, old, savings, `${tokens} tokens`);
        clearing.ask(index, old);
        return asking(index, `the API is asked to clear about ${freed} tokens more`);
      }
      if (tokens < early) return goOn(`${tokens} tokens, below ${early}`);
      return goOn(`old results hold ${freed} tokens, fewer than ${minTokens}`);

      /** What was cleared stays cleared. */
      function goOn(why: string) {
        if (cleared === 0) return skip(why);
        if (!cached)
          return clearInView(input, index, cleared, 0, `no clearing at the API for ${input.model}`);
        return asking(index, `the API goes on clearing the oldest ${cleared} results`);
      }
    },
  };

  function asking(index: ResultIndex, why: string): StepOutcome {
    return { kind: 'request', contextManagement: clearing.request(index), why };
  }

  function clearInView(
    { view, tokenFactor = 1 }: StepInput,
    index: ResultIndex,
    upTo: number,
    tokensFreed: number,
    why: string,
  ): ContextWork<StepOutcome> {
    const results = index.results.slice(0, upTo).filter((result) => result.rerunnable);
    const ids = new Set(results.map((result) => result.toolUseId));
    return async (output) => {
      await output.emit([
        notice(options, {
          subtype: 'microcompact_boundary',
          tokens_freed: Math.round(tokensFreed * tokenFactor),
          tool_use_ids: [...ids],
        }),
      ]);
      clearing.reset();
      return {
        kind: 'edits',
        source: 'replacement',
        edits: replacements(view, new Set(results.map((result) => result.messageUuid)), ids),
        why: `${ids.size} old results are cleared in the view: ${why}`,
        tokensFreed,
      };
    };
  }
}

function replacements(view: View, uuids: ReadonlySet<string>, ids: ReadonlySet<string>): ViewEdit[] {
  return view
    .slice()
    .flatMap((message): ViewEdit[] =>
      message.type === 'user' && uuids.has(message.uuid)
        ? [{ kind: 'replace', uuid: message.uuid, item: clearResults(message, (id) => ids.has(id)) }]
        : [],
    );
}

function skip(why: string): StepOutcome {
  return { kind: 'skip', why };
}
