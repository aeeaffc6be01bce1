/** Records questions to the host and its answers (L4.1). */
import { readAnswer } from '../../permissions/ask/read-answer.ts';
import type { Ids } from '../../protocol/ports.ts';
import type { AskPort } from '../../protocol/tools/gate-ports.ts';
import type { PermissionResult } from '../../protocol/tools/permission.ts';
import type { InterruptedSubmission } from '../../session/resume/interrupted.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { ToolsRoom } from '../tools/tools-room.ts';
import type { Conversation } from './conversation.ts';
import type { Submissions } from './submissions.ts';

interface QuestionPorts {
  readonly ids: Ids;
  readonly conversation: Pick<Conversation, 'recorder'>;
  readonly submissions: Pick<Submissions, 'running'>;
}

type Asks = InterruptedSubmission['asks'];

interface RecordedQuestion {
  /** Id of the call that it is about. */
  readonly toolUseId: string;
  /** As it is recorded. */
  readonly question: unknown;
  /** Whether a question that an earlier process recorded about this call is the same one. */
  isSame(earlier: unknown): boolean;
}

interface OpenQuestion {
  readonly askId: string;
  /** What an earlier process recorded as its answer; undefined: nothing. */
  readonly answer: unknown;
  /** Records the answer, unless one is recorded. */
  answered(answer: unknown): Promise<void>;
}

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

  /** Asks about a call of the main agent. */
  async ask(answerer: AskPort, ...[question, signal]: Parameters<AskPort>): ReturnType<AskPort> {
    const { toolUseId, tool, message, input, agentId } = question;
    const asked = { tool_name: tool.name, message };
    const isSame = (earlier: unknown) => isRecord(earlier) && 'tool_name' in earlier;
    const opened =
      agentId === undefined ? await this.open({ toolUseId, question: asked, isSame }) : undefined;
    if (opened === undefined) return answerer(question, signal);
    const answer = await answerer({ ...question, askId: opened.askId }, signal);
    // A withdrawn question has no answer.
    if (!signal.aborted && answer.behavior !== 'pending') await opened.answered(withoutSame(answer, input));
    return answer;
  }

  /** Records a question that is about to be asked. undefined: no submission runs. */
  async open({ toolUseId, question, isSame }: RecordedQuestion): Promise<OpenQuestion | undefined> {
    const { ids, conversation, submissions } = this.#ports;
    const { recorder } = conversation;
    const { running: submission } = submissions;
    if (submission === undefined) return undefined;
    const earlier = this.#earlier.find((ask) => ask.toolUseId === toolUseId && isSame(ask.question));
    // A call may ask the same twice.
    this.#earlier = this.#earlier.filter((ask) => ask !== earlier);
    const askId = earlier?.askId ?? ids.uuid();
    if (earlier === undefined)
      await recorder.append([
        { type: 'ask', id: `${submission}/ask/${askId}`, submission, askId, toolUseId, question },
      ]);
    return {
      askId,
      answer: earlier?.answer,
      async answered(answer) {
        if (earlier?.answer !== undefined) return;
        const id = `${submission}/answer/${askId}`;
        await recorder.append([{ type: 'answer', id, submission, askId, answer }]);
      },
    };
  }
}

/** Without an input that equals the one in the recorded call. */
function withoutSame(answer: PermissionResult, input: unknown): PermissionResult {
  if (answer.behavior !== 'allow' || JSON.stringify(answer.updatedInput) !== JSON.stringify(input))
    return answer;
  const { updatedInput: _, ...rest } = answer;
  return rest;
}

/** Answers that an earlier process recorded and did not act upon, and those that it did not hear of. */
export async function presetAnswers(
  asks: Asks,
  tools: Pick<ToolsRoom, 'presetAnswer'>,
  unheard: QueryEngineConfig['earlierAnswers'],
): Promise<void> {
  const open = asks.filter(({ answer }) => answer === undefined).map(({ askId }) => askId);
  const later = open.length === 0 ? undefined : await unheard?.(open);
  for (const { askId, toolUseId, answer = later?.get(askId) } of asks) {
    if (answer === undefined) continue;
    const read = readAnswer(answer, toolUseId);
    if (read.ok) tools.presetAnswer({ ...read.answer, toolUseID: toolUseId });
  }
}

const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null;
