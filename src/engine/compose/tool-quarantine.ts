/** One tool the provider refuses must not cost the session every request (F153). */
import type { CallModel, ModelRequest } from '../../protocol/model.ts';

/** Of one request: more bad tools than this say something else is wrong. */
const MAX_QUARANTINED = 5;

export interface Quarantine {
  /** Takes the tool out of further requests, and says why. false: it was out already. */
  take(name: string, why: string): boolean;
}

/** Asks again without the tool that the provider named, once for each. */
export function withQuarantine(call: CallModel, quarantine: Quarantine): CallModel {
  return async function* quarantining(request, options) {
    let asked: ModelRequest = request;
    let { retry } = options;
    const attempts = [];
    for (let taken = 0; ; taken++) {
      const outcome = yield* call(asked, { ...options, retry });
      attempts.push(...outcome.attempts);
      const place = outcome.kind === 'failed' ? outcome.failure.tool : undefined;
      const refused = place === undefined ? undefined : asked.tools[place];
      if (outcome.kind !== 'failed' || refused === undefined || taken === MAX_QUARANTINED)
        return { ...outcome, attempts };
      if (!quarantine.take(refused.name, outcome.failure.message)) return { ...outcome, attempts };
      asked = { ...asked, tools: asked.tools.filter((tool) => tool !== refused) };
      retry = outcome.retry;
    }
  };
}
