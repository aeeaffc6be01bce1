import { PASS, type Rule } from '../decision.ts';

/** A rule about an answer that asks for nothing: passes when the response holds a complete tool call. */
export function withoutCalls(rule: Rule): Rule {
  return {
    name: rule.name,
    async *run(facts, state, iteration) {
      if (facts.calls.length > 0) return PASS;
      return yield* rule.run(facts, state, iteration);
    },
  };
}
