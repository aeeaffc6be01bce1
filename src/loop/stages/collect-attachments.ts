/** Stage 5: runs after tools alone, and only when neither an abort nor a hook's stop is pending (L6). */
import type { LoopMessage } from '../../protocol/messages.ts';
import type { Iteration } from '../iteration.ts';
import { attachmentMessage } from '../say.ts';

export async function* collectAttachments(iteration: Iteration): AsyncGenerator<LoopMessage, void> {
  const { response, deps, state } = iteration;
  if (response.calls.length === 0 || iteration.preventContinuation !== undefined) return;
  if (iteration.abortReason !== undefined || iteration.deniedWithInterrupt) return;
  const toolUses = response.calls.map((call) => call.block);
  await batchHooks(iteration);
  if (iteration.hookContext.length > 0) {
    const content = [...iteration.hookContext];
    const text = `<system-reminder>\n${content.join('\n')}\n</system-reminder>`;
    iteration.attachments.push(
      yield* iteration.say(
        attachmentMessage(deps, { type: 'hook_context', event: 'PostToolUse', content }, [
          { type: 'text', text },
        ]),
      ),
    );
  }
  const collected = deps.attachments.collect(
    { toolUses, results: iteration.results, view: state.view.messages, turnCount: state.turnCount },
    iteration.signal,
  );
  for await (const attachment of collected) {
    iteration.attachments.push(attachment);
    yield* iteration.say(attachment);
  }
}

async function batchHooks(iteration: Iteration): Promise<void> {
  const { deps, response } = iteration;
  if (!deps.hooks.has('PostToolBatch')) return;
  const verdict = await deps.hooks.run(
    {
      event: 'PostToolBatch',
      tool_calls: response.calls.map(({ block }) => ({
        tool_name: block.name,
        tool_input: block.input,
        tool_use_id: block.id,
      })),
    },
    { signal: iteration.signal },
  );
  iteration.hookContext.push(...verdict.additionalContext);
}
