/** Questions to the host, and its answers, as the session's record has them (L4.1). */
import { readAnswer } from '../../permissions/ask/read-answer.ts';
import type { AskPort } from '../../protocol/gate.ts';
import type { PermissionResult } from '../../protocol/permission.ts';
import type { EngineParts } from './session-parts.ts';

type Parts = Pick<EngineParts, 'config' | 'ids' | 'journal' | 'memory'>;

/**
 * On record before the host is asked, and its answer before the call may run: who was asked once is not asked again
 * when the process dies in between. What a host is asked on behalf of an agent is not: the agent ends with its process.
 */
export function askOnRecord(ask: AskPort, parts: () => Parts): AskPort {
  return async (question, signal) => {
    const { config, ids, journal, memory } = parts();
    const { submission } = memory;
    const { toolUseId, tool, message, input, agentId } = question;
    if (config.canUseTool === undefined || submission === undefined || agentId !== undefined)
      return ask(question, signal);
    const askId = ids.uuid();
    const asked = { tool_name: tool.name, message };
    await journal.recorder.append([
      { type: 'ask', id: `${submission}/ask/${askId}`, submission, askId, toolUseId, question: asked },
    ]);
    const answer = await ask(question, signal);
    // A question that was withdrawn has no answer.
    if (!signal.aborted && answer.behavior !== 'pending')
      await journal.recorder.append([
        {
          type: 'answer',
          id: `${submission}/answer/${askId}`,
          submission,
          askId,
          answer: withoutSame(answer, input),
        },
      ]);
    return answer;
  };
}

/** The input that was asked about stands with its call. */
function withoutSame(answer: PermissionResult, input: unknown): PermissionResult {
  if (answer.behavior !== 'allow' || JSON.stringify(answer.updatedInput) !== JSON.stringify(input))
    return answer;
  const { updatedInput: _, ...rest } = answer;
  return rest;
}

/** What an earlier life was answered and did not come to act upon. */
export function presetAnswers(
  answers: readonly { readonly toolUseId: string; readonly answer: unknown }[],
  { tools }: Pick<EngineParts, 'tools'>,
): void {
  for (const { toolUseId, answer } of answers) {
    const read = readAnswer(answer, toolUseId);
    if (read.ok) tools.presetAnswer({ ...read.answer, toolUseID: toolUseId });
  }
}
