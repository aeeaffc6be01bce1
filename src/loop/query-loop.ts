/**
 * The loop (L2–L7). One copy: streaming or not, main agent or subagent. Each pass prepares the view, asks the
 * model, runs its tools, and decides once, at the bottom, whether to stop for a named reason or to go round again.
 */
import type { LoopMessage, Said } from '../protocol/messages.ts';
import type { Terminal } from '../protocol/terminal.ts';
import { endableIterator } from '../util/endable-iterator.ts';
import { flattened } from '../util/flattened.ts';
import { decide } from './decide.ts';
import type { LoopDeps, LoopParams } from './deps.ts';
import { openIteration } from './iteration.ts';
import { buildRequest } from './stages/build-request.ts';
import { collectAttachments } from './stages/collect-attachments.ts';
import { prepareView } from './stages/prepare-view.ts';
import { settleTools } from './stages/settle-tools.ts';
import { streamResponse } from './stages/stream-response.ts';
import { takeThrow } from './stages/take-throw.ts';
import { initialState } from './state.ts';

/** Runs one submission to its end. Returning or throwing into the iterator aborts the submission's scope first. */
export function queryLoop(params: LoopParams, deps: LoopDeps): AsyncGenerator<LoopMessage, Terminal, void> {
  return flattened(queryLoopAtOnce(params, deps));
}

/** As `queryLoop`, with what came of one read of the stream handed over together. */
export function queryLoopAtOnce(params: LoopParams, deps: LoopDeps): AsyncGenerator<Said, Terminal, void> {
  return endableIterator(loop(params, deps), (how) =>
    params.scope.abort(how === 'return' ? 'returned' : 'thrown'),
  );
}

async function* loop(params: LoopParams, deps: LoopDeps): AsyncGenerator<Said, Terminal, void> {
  let state = initialState(params);
  while (true) {
    const iteration = openIteration(state, params, deps);
    try {
      try {
        const stopped = yield* prepareView(iteration); //          1  make the view fit
        if (stopped !== undefined) return stopped; //                 blocking_limit, rapid_refill_breaker
        const request = buildRequest(iteration); //                2  what is asked
        yield* streamResponse(request, iteration); //              3  record, start, yield; failures withheld
        if (iteration.response.calls.length > 0) {
          yield* settleTools(iteration); //                        4  every tool_use gets its result
          yield* collectAttachments(iteration); //                 5  what else the model should know
        } else deps.onStage?.('recovery_check'); //                   nothing to follow up: an end, or a way on
      } catch (error) {
        yield* takeThrow(error, iteration); //                        a fact for the rules, unless the journal is lost
      }
      const decision = yield* decide(iteration); //                6  stop or go on
      if (decision.kind === 'stop') return decision.terminal;
      state = decision.next; //                                    7  the whole next state
    } finally {
      await iteration.close(); //                                     decision record; nothing outlives the pass
    }
  }
}
