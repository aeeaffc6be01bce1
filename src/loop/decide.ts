/** Asks the rules in the order of `rules/index.ts`; the first that does not pass decides. */
import type { LoopMessage } from '../protocol/messages.ts';
import { andThen } from '../util/and-then.ts';
import { type Decision, goOn, PASS, type Pass, type Rule, stop, type Verdict } from './decision.ts';
import { type WatchedFacts, watchReads } from './facts.ts';
import type { Iteration } from './iteration.ts';
import { isLostJournal } from './lost-journal.ts';
import { outcomeOf } from './outcome.ts';
import { ABORTED, RULES, THREW } from './rules/index.ts';
import { nextTurn } from './transitions.ts';

export async function* decide(iteration: Iteration): AsyncGenerator<LoopMessage, Decision> {
  let watched = watchReads(iteration.facts());
  for (const rule of RULES) {
    let verdict: Verdict;
    try {
      const answer = ask(rule, watched, iteration);
      if (answer.kind === 'pass') continue;
      verdict = yield* answer.run();
    } catch (error) {
      if (isLostJournal(error)) throw error;
      iteration.thrown = { error };
      verdict = yield* insist(iteration.abortReason === undefined ? THREW : ABORTED, iteration);
    }
    // Work cut short by an abort ends in the abort terminal, whatever the rule made of it.
    if (rule !== ABORTED && iteration.abortReason !== undefined) verdict = yield* insist(ABORTED, iteration);
    if (verdict.kind !== 'pass') return decided(verdict, iteration);
    watched = watchReads(iteration.facts()); // the rule may have changed them
  }
  if (iteration.response.calls.length === 0) return decided(stop(iteration.state, 'completed'), iteration);
  const next = afterCalls(iteration);
  return decided(next instanceof Promise ? await next : next, iteration);
}

function decided(decision: Decision, { trace }: Iteration): Decision {
  trace.decided(decision);
  return decision;
}

type Answer = Pass | { readonly kind: 'runs'; run(): AsyncGenerator<LoopMessage, Verdict> };

/** A rule without a say has passed; the record names what it looked at. */
function ask(rule: Rule, { facts, watch }: WatchedFacts, iteration: Iteration): Answer {
  const read = watch();
  const { trace } = iteration;
  if (!rule.applies(facts, iteration.state, iteration)) {
    trace.asked(rule.name, 'pass', read);
    return PASS;
  }
  return {
    kind: 'runs',
    run: async function* () {
      const verdict = yield* rule.run(facts, iteration.state, iteration);
      trace.asked(rule.name, verdict.kind, read);
      return verdict;
    },
  };
}

async function* insist(rule: Rule, iteration: Iteration): AsyncGenerator<LoopMessage, Verdict> {
  const answer = ask(rule, watchReads(iteration.facts()), iteration);
  return answer.kind === 'pass' ? PASS : yield* answer.run();
}

/** No rule objected: the next turn follows. */
function afterCalls(iteration: Iteration): Decision | Promise<Decision> {
  const { params, deps } = iteration;
  const consumed = deps.attachments.acknowledge();
  iteration.queueAcknowledged = true;
  if (consumed.length === 0) return anotherTurn(iteration);
  const { submission } = params;
  const recording = iteration.record({ type: 'inbox', id: iteration.id('inbox'), submission, consumed });
  return andThen(recording, () => anotherTurn(iteration));
}

function anotherTurn(iteration: Iteration): Decision {
  const { state, params, deps, response } = iteration;
  const summary = deps.toolUseSummary?.start(
    response.calls.map((call) => call.block),
    iteration.results,
  );
  // One request with room, after a cut response whose tools ran (L7 rule 5).
  const roomy = response.cutBesideTools && params.maxOutputTokens === undefined;
  return goOn(
    nextTurn(state, {
      ...outcomeOf(iteration),
      ...(summary === undefined ? {} : { pendingSummary: summary }),
      ...(roomy
        ? {
            oneRequestAtCap: Math.min(
              params.escalatedOutputCap,
              deps.modelLimits(state.model.current).maxOutputTokens,
            ),
          }
        : {}),
    }),
  );
}
