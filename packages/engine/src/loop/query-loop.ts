/**
 * The loop (L2–L7). One copy: streaming or not, main agent or subagent. Each pass prepares the view, asks the
 * model, runs its tools, and decides once, at the bottom, whether to stop for a named reason, to park or to
 * continue.
 */

import type { Output } from '@turnwright/base/async/batch-output.ts';
import { Door } from '@turnwright/base/async/door.ts';
import { turnToIterate } from '@turnwright/base/async/event-loop-turns.ts';
import type { LoopBatch, LoopMessage } from '../protocol/model/messages.ts';
import { decide } from './decide.ts';
import type { LoopEnd } from './decision.ts';
import type { LoopDeps, LoopParams } from './deps.ts';
import { Iteration } from './iteration.ts';
import { buildRequest } from './stages/build-request.ts';
import { collectAttachments } from './stages/collect-attachments.ts';
import { prepareView } from './stages/prepare-view.ts';
import { settleTools } from './stages/settle-tools.ts';
import { streamResponse } from './stages/stream-response.ts';
import { FRESH_BUDGETS, FRESH_HOOKS, FRESH_RECOVERY, FRESH_VERIFY, type State } from './state.ts';
import { viewAtStart } from './turn-output.ts';

/**
 * Runs one submission to its end, or until it is parked. Returning or throwing into the iterator aborts the
 * submission's scope first.
 */
export function queryLoop(params: LoopParams, deps: LoopDeps): AsyncGenerator<LoopBatch, LoopEnd, void> {
  return new Door((output) => runQueryLoop(params, deps, { emit: (batch) => output.emit([batch]) }), {
    abort: (how) => params.scope.abort(how === 'return' ? 'returned' : 'thrown'),
  });
}

/** The same, for callers that take each batch as it is emitted. */
export async function runQueryLoop(
  params: LoopParams,
  deps: LoopDeps,
  output: Output<LoopMessage>,
): Promise<LoopEnd> {
  let state = initialState(params);
  const open = () => new Iteration(state, params, deps, output);
  // The sessions of a process share the turns of its event loop.
  await turnToIterate();
  while (true) {
    const end = await pass(open, async (iteration) => {
      // 1  Make the view fit. A limit without a recovery ends the run: blocking_limit, rapid_refill_breaker.
      const prepared = await prepareView(state, iteration);
      if (prepared.kind === 'stop') return prepared;
      // 2  What the model is asked.
      const request = buildRequest(prepared, iteration);
      // 3  Record, start, emit, block by block; a failure is withheld.
      const response = await streamResponse(request, prepared, iteration);
      // 4  Every tool_use gets its result.
      const results = await settleTools(response, iteration);
      // 5  What else the model is to know.
      const attachments = await collectAttachments({ prepared, response, results }, iteration);
      // 6  Stop, park or continue.
      const decision = await decide({ prepared, response, results, attachments }, iteration);
      if (decision.kind !== 'continue') return decision;
      // 7  The whole next state.
      state = decision.next;
      // Waited for within the iteration: its decision record is written together with the next request.
      await turnToIterate();
      return undefined;
    });
    if (end !== undefined) return end;
  }
}

/**
 * One pass, and the end of what it opened. It has a frame of its own: that of a loop may keep values of an
 * earlier pass for as long as it runs, and with them messages from before a compaction.
 */
async function pass<T>(open: () => Iteration, stages: (iteration: Iteration) => Promise<T>): Promise<T> {
  const iteration = open();
  try {
    return await stages(iteration);
  } finally {
    // The decision record; nothing outlives the iteration.
    await iteration.close();
  }
}

/** What the first iteration begins with: the prompt is the last message of the view. */
export function initialState(params: LoopParams): State {
  const { recovery, hooks, verify, compaction, continued } = params.startAt?.carried ?? {};
  return {
    iteration: params.startAt?.iteration ?? 1,
    turnCount: params.startAt?.turnCount ?? 1,
    transition: undefined,
    view: { messages: viewAtStart(params), freshFrom: 0, measured: undefined },
    recovery: { ...FRESH_RECOVERY, ...recovery },
    hooks: { ...FRESH_HOOKS, ...hooks },
    verify: { ...FRESH_VERIFY, ...verify },
    compaction: { ...params.compaction, ...compaction },
    budgets: {
      ...FRESH_BUDGETS,
      ...continued,
      taskRemaining: params.taskBudgetRemaining ?? params.taskBudget?.total,
    },
    model: { current: params.model, fallbacks: params.fallbackModels, effort: params.effort },
    pendingSummary: undefined,
  };
}
