import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import { goOn, stop } from '../decision.ts';
import type { Facts } from '../facts.ts';
import type { Iteration } from '../iteration.ts';
import { attachmentMessage, loopUserMessage, systemMessage } from '../loop-messages.ts';
import { PASS, type Rule } from '../rule.ts';
import { stopHookBlocking } from '../transitions.ts';
import { turnOutput } from '../turn-output.ts';
import { askStopHooks, formatHookFeedback, stopEventOf, tellStopped } from './run-stop-hooks.ts';

/** Before the end: the Stop hooks, and a structured value that is still missing. */
export const stopHooks: Rule = {
  name: 'stop_hooks',
  applies: (facts, _output, { deps, params }) =>
    facts.structuredOutputOwed || deps.hooks.has(stopEventOf(params)),
  async run(facts, output, iteration) {
    const { state } = output;
    const { deps, params } = iteration;
    const event = stopEventOf(params);
    const verdict = await askStopHooks(facts, state, iteration);
    if (verdict?.preventContinuation !== undefined) {
      await tellStopped(verdict.preventContinuation, iteration);
      return stop(state, 'stop_hook_prevented');
    }
    const owed = owedValue(facts, iteration);
    const { blockingErrors = [], additionalContext = [] } = verdict ?? {};
    if (owed === undefined && blockingErrors.length === 0 && additionalContext.length === 0) return PASS;
    const { blocks } = state.hooks;
    // A hook that blocks every time must not keep the run alive without limit (F95).
    const isOverridden =
      blocks >= params.stopHookBlockCap && (blockingErrors.length > 0 || additionalContext.length > 0);
    if (isOverridden) {
      const content = `${formatHookFeedback([...blockingErrors, ...additionalContext])}\nStop hooks have blocked ${blocks} times in this submission; it ends all the same.`;
      await iteration.emit(systemMessage(deps, { subtype: 'informational', level: 'warning', content }));
      if (owed === undefined) return PASS;
    }
    const context: ViewMessage[] = [];
    if (owed !== undefined)
      context.push(await iteration.emit(loopUserMessage(deps, owed, 'structured_nudge')));
    if (!isOverridden && blockingErrors.length > 0)
      context.push(
        await iteration.emit(loopUserMessage(deps, formatHookFeedback(blockingErrors), 'hook_feedback')),
      );
    // Context sends the model back as well, and is no message of the conversation.
    if (!isOverridden && additionalContext.length > 0) {
      const attachment = { type: 'hook_context', event, content: additionalContext } as const;
      const rendered = [reminder(`${event} hook: ${additionalContext.join('\n')}`)];
      context.push(await iteration.emit(attachmentMessage(deps, attachment, rendered)));
    }
    const byHook = !isOverridden && (blockingErrors.length > 0 || additionalContext.length > 0);
    return goOn(stopHookBlocking(state, { ...turnOutput(output, iteration, context), byHook }));
  },
};

/** The message to a model that owes a structured value. */
function owedValue({ structuredOutputOwed }: Facts, { params }: Iteration): string | undefined {
  if (!structuredOutputOwed || params.structuredOutput === undefined) return undefined;
  return `Hand over the result by calling the ${params.structuredOutput.toolName} tool; plain text does not count.`;
}
