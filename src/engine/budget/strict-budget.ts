/** With `strictBudget`, no model call is made whose worst case the budget could not pay (L9). */
import { estimateTokens } from '../../context/estimate/token-estimate.ts';
import type { CallModel, ModelRequest } from '../../protocol/model/model.ts';
import type { UsageLedger } from './usage-ledger.ts';

/** `onRefused` is told of each call that was not made, and why. */
export function withinBudget(
  call: CallModel,
  ledger: Pick<UsageLedger, 'reserve' | 'release'>,
  onRefused: (request: ModelRequest, reason: string) => void,
): CallModel {
  return async function* budgeted(request, options) {
    const { model, effectKey, maxTokens } = request;
    const allowed = ledger.reserve({ model, effectKey, inputTokens: inputTokens(request), maxTokens });
    if (!allowed.ok) {
      onRefused(request, allowed.reason);
      const failure = { kind: 'budget' as const, message: allowed.reason };
      return { kind: 'failed', failure, retry: options.retry, attempts: [] };
    }
    try {
      return yield* call(request, options);
    } finally {
      ledger.release(effectKey);
    }
  };
}

/** Code and JSON take up to one token for three characters. */
const CHARS_PER_TOKEN = 3;

function inputTokens({ system, userContext = [], tools, view }: ModelRequest): number {
  const head = JSON.stringify([system, userContext, tools]).length;
  return Math.ceil(head / CHARS_PER_TOKEN) + estimateTokens([...view]);
}
