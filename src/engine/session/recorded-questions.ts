/** Records questions to the host and its answers (L4.1). */
import { readAnswer } from '../../permissions/ask/read-answer.ts';
import type { Ids } from '../../protocol/ports.ts';
import type { AskPort } from '../../protocol/tools/gate.ts';
import type { PermissionResult } from '../../protocol/tools/permission.ts';
import type { InterruptedSubmission } from '../../session/resume/interrupted.ts';
import type { ToolsRoom } from '../tools/tools-room.ts';
import type { Conversation } from './conversation.ts';
import type { Submissions } from './submissions.ts';

interface QuestionPorts {
  readonly ids: Ids;
  readonly conversation: Pick<Conversation, 'recorder'>;
  readonly submissions: Pick<Submissions, 'running'>;
}

/**
 * A question is recorded before the host receives it, and its answer before the call may run: when the
 * process dies in between, the host is not asked again. Questions of agents are not recorded: an agent ends
 * with its process.
 */
export function askOnRecord(ask: AskPort, { ids, conversation, submissions }: QuestionPorts): AskPort {
  return async (question, signal) => {
    const { recorder } = conversation;
    const { running: submission } = submissions;
    const { toolUseId, tool, message, input, agentId } = question;
    if (submission === undefined || agentId !== undefined) return ask(question, signal);
    const askId = ids.uuid();
    const asked = { tool_name: tool.name, message };
    await recorder.append([
      { type: 'ask', id: `${submission}/ask/${askId}`, submission, askId, toolUseId, question: asked },
    ]);
    const answer = await ask(question, signal);
    // A withdrawn question has no answer.
    if (!signal.aborted && answer.behavior !== 'pending')
      await recorder.append([
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

/** Without an input that equals the one in the recorded call. */
function withoutSame(answer: PermissionResult, input: unknown): PermissionResult {
  if (answer.behavior !== 'allow' || JSON.stringify(answer.updatedInput) !== JSON.stringify(input))
    return answer;
  const { updatedInput: _, ...rest } = answer;
  return rest;
}

/** Answers that an earlier process recorded and did not act upon. */
export function presetAnswers(
  asks: InterruptedSubmission['asks'],
  tools: Pick<ToolsRoom, 'presetAnswer'>,
): void {
  for (const { toolUseId, answer } of asks) {
    if (answer === undefined) continue;
    const read = readAnswer(answer, toolUseId);
    if (read.ok) tools.presetAnswer({ ...read.answer, toolUseID: toolUseId });
  }
}
