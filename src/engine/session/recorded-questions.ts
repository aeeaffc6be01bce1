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

type Asks = InterruptedSubmission['asks'];

/**
 * A question is recorded before the host receives it, and its answer before the call may run: when the
 * process dies in between, the host is not asked again. Questions of agents are not recorded: an agent ends
 * with its process.
 */
export class RecordedQuestions {
  readonly #ports: QuestionPorts;
  #earlier: Asks = [];

  constructor(ports: QuestionPorts) {
    this.#ports = ports;
  }

  /** Questions of an earlier process: they keep their ids when they are asked again. */
  carryOn(asks: Asks): void {
    this.#earlier = asks;
  }

  async ask(answerer: AskPort, ...[question, signal]: Parameters<AskPort>): ReturnType<AskPort> {
    const { ids, conversation, submissions } = this.#ports;
    const { recorder } = conversation;
    const { running: submission } = submissions;
    const { toolUseId, tool, message, input, agentId } = question;
    if (submission === undefined || agentId !== undefined) return answerer(question, signal);
    const earlier = this.#takeEarlier(toolUseId);
    const askId = earlier?.askId ?? ids.uuid();
    const asked = { tool_name: tool.name, message };
    if (earlier === undefined)
      await recorder.append([
        { type: 'ask', id: `${submission}/ask/${askId}`, submission, askId, toolUseId, question: asked },
      ]);
    const answer = await answerer({ ...question, askId }, signal);
    // A withdrawn question has no answer.
    if (!signal.aborted && answer.behavior !== 'pending' && earlier?.answer === undefined)
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
  }

  #takeEarlier(toolUseId: string): Asks[number] | undefined {
    const earlier = this.#earlier.find((ask) => ask.toolUseId === toolUseId);
    if (earlier !== undefined) this.#earlier = this.#earlier.filter((ask) => ask !== earlier);
    return earlier;
  }
}

/** Without an input that equals the one in the recorded call. */
function withoutSame(answer: PermissionResult, input: unknown): PermissionResult {
  if (answer.behavior !== 'allow' || JSON.stringify(answer.updatedInput) !== JSON.stringify(input))
    return answer;
  const { updatedInput: _, ...rest } = answer;
  return rest;
}

/** Answers that an earlier process recorded and did not act upon. */
export function presetAnswers(asks: Asks, tools: Pick<ToolsRoom, 'presetAnswer'>): void {
  for (const { toolUseId, answer } of asks) {
    if (answer === undefined) continue;
    const read = readAnswer(answer, toolUseId);
    if (read.ok) tools.presetAnswer({ ...read.answer, toolUseID: toolUseId });
  }
}
