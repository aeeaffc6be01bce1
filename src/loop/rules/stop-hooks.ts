import type { ViewMessage } from '../../protocol/model/messages.ts';
import { reminder } from '../../util/text/reminder.ts';
import { goOn, stop } from '../decision.ts';
import type { LoopParams } from '../deps.ts';
import { attachmentMessage, systemMessage, userMessage } from '../loop-messages.ts';
import { PASS, type Rule } from '../rule.ts';
import { stopHookBlocking } from '../transitions.ts';
import { turnOutput } from '../turn-output.ts';

/** Before the end: a structured value that is still missing, then the Stop hooks. */
export const stopHooks: Rule = {
  name: 'stop_hooks',
  applies: (facts, _output, { deps, params }) =>
    facts.structuredOutputOwed || deps.hooks.has(eventOf(params)),
  async *run(facts, output, iteration) {
    const { state } = output;
    const { deps, params } = iteration;
    if (
      facts.structuredOutputOwed &&
      params.structuredOutput !== undefined &&
      facts.stopReason !== 'refusal'
    ) {
      const text = `Hand over the result by calling the ${params.structuredOutput.toolName} tool; plain text does not count.`;
      const nudge = yield* iteration.emit(userMessage(deps, text, 'structured_nudge'));
      return goOn(stopHookBlocking(state, { ...turnOutput(output, iteration, [nudge]), byHook: false }));
    }
    const event = eventOf(params);
    const verdict = await deps.hooks.run(
      {
        event,
        stop_hook_active: state.hooks.stopHookActive,
        last_assistant_message: lastText(facts.messages),
      },
      { signal: iteration.signal },
    );
    if (verdict.preventContinuation !== undefined) return stop(state, 'stop_hook_prevented');
    const { blockingErrors, additionalContext } = verdict;
    if (blockingErrors.length === 0 && additionalContext.length === 0) return PASS;
    const feedback = (reasons: readonly string[]) => `Stop hook feedback:\n${reasons.join('\n')}`;
    const { blocks } = state.hooks;
    // A hook that blocks every time must not keep the run alive without limit (F95).
    if (blocks >= params.stopHookBlockCap) {
      const content = `${feedback([...blockingErrors, ...additionalContext])}\nStop hooks have blocked ${blocks} times in this submission; it ends all the same.`;
      yield* iteration.emit(systemMessage(deps, { subtype: 'informational', level: 'warning', content }));
      return PASS;
    }
    const context: ViewMessage[] = [];
    if (blockingErrors.length > 0)
      context.push(yield* iteration.emit(userMessage(deps, feedback(blockingErrors), 'hook_feedback')));
    // Context sends the model back as well, and is no message of the conversation.
    if (additionalContext.length > 0) {
      const attachment = { type: 'hook_context', event, content: additionalContext } as const;
      const rendered = [reminder(`${event} hook: ${additionalContext.join('\n')}`)];
      context.push(yield* iteration.emit(attachmentMessage(deps, attachment, rendered)));
    }
    return goOn(stopHookBlocking(state, { ...turnOutput(output, iteration, context), byHook: true }));
  },
};

const eventOf = ({ depth }: LoopParams): 'Stop' | 'SubagentStop' => (depth === 0 ? 'Stop' : 'SubagentStop');

function lastText(
  messages: readonly { readonly message: { readonly content: readonly { readonly type: string }[] } }[],
): string {
  for (const { message } of [...messages].reverse()) {
    for (const block of message.content)
      if (block.type === 'text' && 'text' in block) return String(block.text);
  }
  return '';
}
