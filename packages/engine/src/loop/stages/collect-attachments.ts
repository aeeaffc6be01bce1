/** Stage 5: runs only after tools, and only when neither an abort nor a hook's stop is pending (L6). */

import { reminder, textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { AttachmentMessage } from '../../protocol/model/messages.ts';
import type { Iteration } from '../iteration.ts';
import { attachmentMessage } from '../loop-messages.ts';
import type { Response } from '../response.ts';
import { type Attachments, NO_ATTACHMENTS, type StageValues, type ToolResults } from '../stage-output.ts';
import { stageError } from './stage-error.ts';

export async function collectAttachments(
  { prepared, response, results }: Omit<StageValues, 'attachments'>,
  iteration: Iteration,
): Promise<Attachments> {
  const isOver =
    (results.thrown ?? response.thrown) !== undefined ||
    results.preventContinuation !== undefined ||
    results.deniedWithInterrupt ||
    results.waits.length > 0 ||
    iteration.abortReason !== undefined;
  if (response.calls.length === 0 || isOver) return NO_ATTACHMENTS;
  const { deps } = iteration;
  const messages: AttachmentMessage[] = [];
  try {
    const batch = deps.hooks.has('PostToolBatch') ? await batchHooks(response, results, iteration) : NO_HOOKS;
    const { preventContinuation } = batch;
    if (preventContinuation !== undefined) return { messages, preventContinuation };
    const content = [...results.hookContext, ...batch.hookContext];
    if (content.length > 0) {
      const attachment = { type: 'hook_context', event: 'PostToolUse', content } as const;
      messages.push(
        await iteration.emit(attachmentMessage(deps, attachment, [reminder(content.join('\n'))])),
      );
    }
    const { view, turnCount } = prepared.state;
    const toolUses = response.calls.map((call) => call.block);
    const input = { toolUses, results: results.messages, view: view.messages, turnCount };
    const collecting = deps.attachments.collect(input, iteration.scope);
    for (const attachment of 'then' in collecting ? await collecting : collecting) {
      messages.push(attachment);
      await iteration.emitAttachment(attachment);
    }
    return { messages };
  } catch (error) {
    return { messages, thrown: stageError(error) };
  }
}

type BatchVerdict = Pick<ToolResults, 'hookContext' | 'preventContinuation'>;

const NO_HOOKS: BatchVerdict = Object.freeze({ hookContext: [], preventContinuation: undefined });

/** A PostToolBatch hook that blocks ends the run before the model is asked again. */
async function batchHooks(
  { calls }: Response,
  results: ToolResults,
  { deps, signal }: Iteration,
): Promise<BatchVerdict> {
  const responses = new Map(results.messages.flatMap(resultTexts));
  const verdict = await deps.hooks.run(
    {
      event: 'PostToolBatch',
      tool_calls: calls.map(({ block }) => ({
        tool_name: block.name,
        tool_input: deps.tools.outwardInput(block),
        tool_use_id: block.id,
        ...(responses.has(block.id) && { tool_response: responses.get(block.id) }),
      })),
    },
    { signal },
  );
  const [blocked] = verdict.blockingErrors;
  return {
    hookContext: verdict.additionalContext,
    preventContinuation:
      verdict.preventContinuation ?? (blocked === undefined ? undefined : { stopReason: blocked }),
  };
}

/** The text that the model reads of each call, by the call's id. */
function resultTexts({ message }: ToolResults['messages'][number]): [string, string][] {
  if (typeof message.content === 'string') return [];
  return message.content.flatMap((block): [string, string][] =>
    block.type === 'tool_result' ? [[block.tool_use_id, textOfContent(block.content ?? '')]] : [],
  );
}
