/** With `strictBudget`, no model call is made whose worst case the budget could not pay (L9). */
import { estimateTokens } from '../../context/estimate/token-estimate.ts';
import type { CallLayer } from '../../model/call-layers.ts';
import type { ModelRequest } from '../../protocol/model/model.ts';
import type { UsageLedger } from './usage-ledger.ts';

/** `onRefused` is called with each request that was not made, and why. */
export function withinBudget(
  ledger: Pick<UsageLedger, 'reserve' | 'release'>,
  onRefused: (request: ModelRequest, reason: string) => void,
): CallLayer {
  return {
    before(request) {
      const { model, effectKey, maxTokens } = request;
      const allowed = ledger.reserve({ model, effectKey, inputTokens: inputTokens(request), maxTokens });
      if (allowed.ok) return undefined;
      onRefused(request, allowed.reason);
      return { kind: 'budget', message: allowed.reason };
    },
    after({ effectKey }) {
      ledger.release(effectKey);
      return undefined;
    },
  };
}

/** Code and JSON take up to one token for three characters. */
const CHARS_PER_TOKEN = 3;

function inputTokens({ system, userContext = [], tools, view }: ModelRequest): number {
  const head = JSON.stringify([system, userContext, tools]).length;
  return Math.ceil(head / CHARS_PER_TOKEN) + estimateTokens([...view]);
}
