/** Asks the rules in the order of `rules/index.ts`; the first that does not pass decides. */
import { andThen } from '@turnwright/base/async/promises.ts';
import { type Decision, goOn, stop } from './decision.ts';
import { collectFacts, type WatchedFacts, watchReads } from './facts.ts';
import type { Iteration } from './iteration.ts';
import { PASS, type Pass, type Rule, type RuleOutcome } from './rule.ts';
import { ABORTED, RULES, UNEXPECTED_ERROR } from './rules/index.ts';
import { type StageOutput, type StageValues, stageOutput } from './stage-output.ts';
import { stageError, type Thrown } from './stages/stage-error.ts';
import { nextTurn } from './transitions.ts';
import { turnOutput } from './turn-output.ts';

export async function decide(values: StageValues, iteration: Iteration): Promise<Decision> {
  const output = stageOutput(values);
  let watched = watchReads(collectFacts(output, iteration));
  if (output.response.calls.length === 0 && watched.facts.thrown === undefined)
    iteration.deps.onStage?.('recovery_check');
  for (const rule of RULES) {
    if (rule.needs !== undefined && iteration.deps[rule.needs] === undefined) continue;
    let verdict: RuleOutcome;
    try {
      const answer = ask(rule, watched, output, iteration);
      if (answer === PASS) continue;
      verdict = await answer;
    } catch (error) {
      const thrown = stageError(error);
      const decisive = iteration.abortReason === undefined ? UNEXPECTED_ERROR : ABORTED;
      verdict = await insist(decisive, output, iteration, thrown);
    }
    // Work that an abort ended early ends in the abort terminal, whatever the rule made of it.
    if (rule !== ABORTED && iteration.abortReason !== undefined)
      verdict = await insist(ABORTED, output, iteration);
    if (verdict.kind !== 'pass') return decided(verdict, iteration);
    watched = watchReads(collectFacts(output, iteration)); // an abort may have come while the rule ran
  }
  if (output.response.calls.length === 0) return decided(stop(output.state, 'completed'), iteration);
  const next = afterCalls(output, iteration);
  return decided(next instanceof Promise ? await next : next, iteration);
}

function decided(reached: Decision, { tools, trace }: Iteration): Decision {
  const { verification } = trace;
  const decision: Decision =
    reached.kind === 'stop' && verification !== undefined
      ? { kind: 'stop', terminal: { ...reached.terminal, verification } }
      : reached;
  trace.decided(decision);
  if (decision.kind === 'park') tools.leave();
  return decision;
}

/** A rule that does not apply has passed; the record names the facts that it read. */
function ask(
  rule: Rule,
  { facts, watch }: WatchedFacts,
  output: StageOutput,
  iteration: Iteration,
): Pass | Promise<RuleOutcome> {
  const read = watch();
  const { trace } = iteration;
  if (!rule.applies(facts, output, iteration)) {
    trace.asked(rule.name, 'pass', read);
    return PASS;
  }
  return rule.run(facts, output, iteration).then((verdict) => {
    trace.asked(rule.name, verdict.kind, read);
    return verdict;
  });
}

async function insist(
  rule: Rule,
  output: StageOutput,
  iteration: Iteration,
  thrown?: Thrown,
): Promise<RuleOutcome> {
  return ask(rule, watchReads(collectFacts(output, iteration, thrown)), output, iteration);
}

/** No rule objected: the next turn follows. */
function afterCalls(output: StageOutput, iteration: Iteration): Decision | Promise<Decision> {
  const { params, deps } = iteration;
  const consumed = deps.attachments.acknowledge();
  iteration.acknowledgeJoined();
  if (consumed.length === 0) return anotherTurn(output, iteration);
  const { submission } = params;
  const recording = iteration.record({ type: 'inbox', id: iteration.id('inbox'), submission, consumed });
  return andThen(recording, () => anotherTurn(output, iteration));
}

function anotherTurn(output: StageOutput, iteration: Iteration): Decision {
  const { params, deps } = iteration;
  const { state, response, results } = output;
  const summary = deps.toolUseSummary?.start(
    response.calls.map((call) => call.block),
    results.messages,
  );
  // One request with a larger cap, after a truncated response whose tools ran (L7 rule 5).
  const largerCap = response.cutBesideTools && params.maxOutputTokens === undefined;
  return goOn(
    nextTurn(state, {
      ...turnOutput(output, iteration),
      ...(summary === undefined ? {} : { pendingSummary: summary }),
      ...(largerCap
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
