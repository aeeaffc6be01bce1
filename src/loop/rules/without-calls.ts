import type { Rule } from '../rule.ts';

/** A rule about an answer that asks for nothing: passes when the response holds a complete tool call. */
export function withoutCalls(rule: Rule): Rule {
  return {
    ...rule,
    applies: (facts, output, iteration) => facts.calls.length === 0 && rule.applies(facts, output, iteration),
  };
}
