/** One tool the provider refuses must not cost the session every request (F153). */
import type { AttemptRecord, CallModel, ModelRequest } from '../../protocol/model/model.ts';
import { continued } from '../../util/async/continued.ts';

/** Of one request: more bad tools than this say something else is wrong. */
const MAX_QUARANTINED = 5;

interface Quarantine {
  /** Takes the tool out of further requests, and says why. false: it was out already. */
  take(name: string, why: string): boolean;
}

/** Asks again without the tool that the provider named, once for each. */
export function withQuarantine(call: CallModel, quarantine: Quarantine): CallModel {
  return (request, options) => {
    const attempts: AttemptRecord[] = [];
    let asked: ModelRequest = request;
    let taken = 0;
    return continued(call(request, options), (outcome) => {
      if (outcome.kind === 'complete' && taken === 0) return { kind: 'ends', result: outcome };
      attempts.push(...outcome.attempts);
      const ends = { kind: 'ends', result: { ...outcome, attempts } } as const;
      const place = outcome.kind === 'failed' ? outcome.failure.tool : undefined;
      const refused = place === undefined ? undefined : asked.tools[place];
      if (outcome.kind !== 'failed' || refused === undefined || taken === MAX_QUARANTINED) return ends;
      if (!quarantine.take(refused.name, outcome.failure.message)) return ends;
      taken += 1;
      asked = { ...asked, tools: asked.tools.filter((tool) => tool !== refused) };
      return { kind: 'goes_on', with: call(asked, { ...options, retry: outcome.retry }) };
    });
  };
}
