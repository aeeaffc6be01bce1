/** Stage 5: runs after tools alone, and only when neither an abort nor a hook's stop is pending (L6). */
import type { LoopMessage, UserMessage } from '../../protocol/messages.ts';
import { reminder } from '../../util/reminder.ts';
import { textOfContent } from '../../util/text-of-content.ts';
import type { Iteration } from '../iteration.ts';
import { attachmentMessage } from '../say.ts';

export async function* collectAttachments(iteration: Iteration): AsyncGenerator<LoopMessage, void> {
  const { response, deps, state } = iteration;
  if (iteration.preventContinuation !== undefined) return;
  if (iteration.abortReason !== undefined || iteration.deniedWithInterrupt) return;
  const toolUses = response.calls.map((call) => call.block);
  if (deps.hooks.has('PostToolBatch')) await batchHooks(iteration);
  if (iteration.preventContinuation !== undefined) return;
  if (iteration.hookContext.length > 0) {
    const content = [...iteration.hookContext];
    iteration.attachments.push(
      yield* iteration.say(
        attachmentMessage(deps, { type: 'hook_context', event: 'PostToolUse', content }, [
          reminder(content.join('\n')),
        ]),
      ),
    );
  }
  const collected = deps.attachments.collect(
    { toolUses, results: iteration.results, view: state.view.messages, turnCount: state.turnCount },
    iteration.scope,
  );
  for (const attachment of 'then' in collected ? await collected : collected) {
    iteration.attachments.push(attachment);
    yield* iteration.say(attachment);
  }
}

/** A hook that blocks ends the run before the model is asked again. */
async function batchHooks(iteration: Iteration): Promise<void> {
  const { deps, response } = iteration;
  const responses = new Map(iteration.results.flatMap(resultOf));
  const verdict = await deps.hooks.run(
    {
      event: 'PostToolBatch',
      tool_calls: response.calls.map(({ block }) => ({
        tool_name: block.name,
        tool_input: deps.tools.outwardInput(block),
        tool_use_id: block.id,
        ...(responses.has(block.id) && { tool_response: responses.get(block.id) }),
      })),
    },
    { signal: iteration.signal },
  );
  iteration.hookContext.push(...verdict.additionalContext);
  const [blocked] = verdict.blockingErrors;
  iteration.preventContinuation ??=
    verdict.preventContinuation ?? (blocked === undefined ? undefined : { stopReason: blocked });
}

/** What the model reads of a call, by its id. */
function resultOf({ message }: UserMessage): [string, string][] {
  if (typeof message.content === 'string') return [];
  return message.content.flatMap((block): [string, string][] =>
    block.type === 'tool_result' ? [[block.tool_use_id, textOfContent(block.content ?? '')]] : [],
  );
}
