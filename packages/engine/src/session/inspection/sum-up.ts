/** The totals of a session: costs are the ledger's, tokens and times those of its iterations. */
import type {
  InspectedIteration,
  InspectedTokens,
  InspectedTotals,
} from '../../protocol/session/inspection.ts';
import type { SessionCost } from '../../protocol/session/spending.ts';

export function sumUp(iterations: readonly InspectedIteration[], cost: SessionCost): InspectedTotals {
  const tokens = ledgerTokens(cost);
  const main = iterations.filter(({ agent }) => agent === '');
  let [modelMs, toolMs, waitingMs, busyMs, activeMs] = [0, 0, 0, 0, 0];
  for (const iteration of main) {
    const model = iteration.attempts.map(({ start, end }): Span => [start, end]);
    const tools = iteration.calls.flatMap(({ start, end }): Span[] =>
      start === undefined ? [] : [[start, end]],
    );
    modelMs += lengthOfAll(model);
    toolMs += lengthOfAll(tools);
    busyMs += lengthOfUnion([...model, ...tools]);
    activeMs += iteration.end - iteration.start;
    for (const { waited = 0 } of iteration.attempts) waitingMs += waited;
    for (const { askedMs = 0 } of iteration.calls) waitingMs += askedMs;
  }
  const read = tokens.fresh + tokens.cacheRead + tokens.cacheWrite;
  return {
    iterations: iterations.length,
    turns: main.length,
    calls: iterations.reduce((sum, { calls }) => sum + calls.length, 0),
    tokens,
    costUsd: cost.totalCostUsd,
    wastedUsd: cost.waste.retriesUsd + cost.waste.discardedUsd + cost.waste.interruptedUsd,
    cacheBreakUsd: cost.waste.cacheBrokenUsd,
    cacheHit: read === 0 ? 0 : tokens.cacheRead / read,
    activeMs,
    modelMs,
    toolMs,
    waitingMs,
    hiddenMs: Math.max(0, modelMs + toolMs - busyMs),
  };
}

type Span = readonly [start: number, end: number];

const lengthOfAll = (spans: readonly Span[]): number =>
  spans.reduce((sum, [start, end]) => sum + Math.max(0, end - start), 0);

function lengthOfUnion(spans: readonly Span[]): number {
  let sum = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    if (end <= reached) continue;
    sum += end - Math.max(start, reached);
    reached = end;
  }
  return sum;
}

function ledgerTokens({ rows }: SessionCost): InspectedTokens {
  const sum = { fresh: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0, reasoning: 0 };
  for (const row of rows) {
    sum.fresh += row.inputTokens;
    sum.cacheRead += row.cacheReadInputTokens;
    sum.cacheWrite += row.cacheCreationInputTokens;
    sum.cacheWrite1h += row.cacheCreationEphemeral1hInputTokens;
    sum.output += row.outputTokens;
    sum.reasoning += row.thinkingTokens;
  }
  return sum;
}
