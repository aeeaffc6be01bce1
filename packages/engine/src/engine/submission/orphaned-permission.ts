/**
 * An answer to a permission question whose process is gone: the call it belongs to runs (or is refused) now,
 * once. Before the first prompt (L1 phase 3), or when the submission is carried on that asked (L4.1).
 */
import { isDeepStrictEqual } from 'node:util';
import { openScope, type Scope } from '@turnwright/base/async/scope.ts';
import type { AssistantMessage, UserMessage } from '../../protocol/model/messages.ts';
import type { ToolUseBlock } from '../../protocol/model/wire.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import { resultIds } from '../../view/tool-results.ts';
import type { OrphanedPermission, QueryEngineConfig } from '../config.ts';
import { tellTaken } from '../output/block-acknowledgements.ts';
import { toSdkUser } from '../output/to-sdk-user.ts';
import type { Conversation } from '../session/conversation.ts';
import type { Session } from '../session/session.ts';

/**
 * What a new prompt closes of the interrupted submission, without the call that the answer is about: it is
 * not closed but answered, before the prompt.
 */
export function leftOpen(
  orphan: OrphanedPermission,
  closing: readonly JournalBody[],
  session: Pick<Session, 'conversation'>,
): readonly JournalBody[] {
  const id = orphan.permissionResult.toolUseID;
  const closes = (body: JournalBody) =>
    body.type === 'user' && body.nonExecution === 'aborted' && resultIds(body).includes(id);
  return problemWith(orphan, session) === undefined ? closing.filter((body) => !closes(body)) : closing;
}

export async function answerOrphan(
  orphan: OrphanedPermission,
  submission: string,
  scope: Scope,
  session: Session,
): Promise<readonly SDKMessage[]> {
  const { config, conversation } = session;
  const { permissionResult, assistantMessage } = orphan;
  const block = findCall(orphan);
  const problem = problemWith(orphan, session);
  if (block === undefined || problem !== undefined) {
    passOver(orphan, problem ?? NO_CALL, config);
    return [];
  }
  const known = [...conversation.messages].some((message) => message.uuid === assistantMessage.uuid);
  if (!known) await conversation.recorder.append([{ ...assistantMessage, submission, iteration: 0 }]);
  const results =
    permissionResult.behavior === 'deny'
      ? [denied(block, permissionResult.message, assistantMessage, session)]
      : await run(block, assistantMessage, submission, scope, permissionResult, session);
  await conversation.recorder.append(results.map((message) => ({ ...message, submission })));
  return results.map((message) => toSdkUser(message, conversation.sessionId));
}

/**
 * The submission with the question is about to be continued: its open calls pass the gate again, and this is
 * the host's answer there. `open`: their ids.
 */
export function presetOrphan(
  orphan: OrphanedPermission,
  open: readonly string[],
  session: Pick<Session, 'config' | 'conversation' | 'tools'>,
): void {
  const { permissionResult } = orphan;
  const problem =
    problemWith(orphan, session) ?? (open.includes(permissionResult.toolUseID) ? undefined : NOT_OPEN);
  if (problem === undefined) session.tools.presetAnswer(permissionResult);
  else passOver(orphan, problem, session.config);
}

const NO_CALL = 'the message that came with it does not hold that call.';
const NOT_OPEN = 'no call with this id waits for an answer in the session.';

/** Why the answer is to nothing that may run now. */
function problemWith(
  orphan: OrphanedPermission,
  { conversation }: Pick<Session, 'conversation'>,
): string | undefined {
  const block = findCall(orphan);
  if (block === undefined) return NO_CALL;
  if (isAnswered(block.id, conversation)) return 'that call has its result already.';
  const recorded = recordedCall(block.id, conversation);
  // What was approved is what was asked about: the record knows it, whatever came back (F162).
  return recorded === undefined || isSameCall(recorded, block)
    ? undefined
    : 'the call that came with it is not the recorded one.';
}

/** An answer is never lost without a word. */
function passOver(
  { permissionResult }: OrphanedPermission,
  problem: string,
  { stderr }: Pick<QueryEngineConfig, 'stderr'>,
): void {
  stderr?.(
    `The answer to the permission question about ${permissionResult.toolUseID} was ignored: ${problem}`,
  );
}

async function run(
  block: ToolUseBlock,
  assistant: AssistantMessage,
  submission: string,
  scope: Scope,
  answer: OrphanedPermission['permissionResult'],
  { notices, submissions, tools }: Pick<Session, 'notices' | 'submissions' | 'tools'>,
): Promise<readonly UserMessage[]> {
  tools.presetAnswer(answer);
  const own = openScope(scope);
  try {
    const executor = tools.port.open({ scope: own, iteration: 0, chainId: submission, depth: 0 });
    executor.add({ block, assistantUuid: assistant.uuid, effectKey: `${submission}/0/0/tool/${block.id}` });
    executor.delivered(block.id);
    const messages: UserMessage[] = [];
    while (executor.open > 0) {
      await executor.ready();
      for (const update of executor.take()) {
        if (update.kind === 'progress') tellTaken(update.message.data);
        else {
          messages.push(update.message, ...update.extraMessages);
          if (update.denial !== undefined) submissions.denied(update.denial);
          for (const body of update.said ?? []) notices.show(body);
        }
      }
    }
    return messages;
  } finally {
    await own.close();
  }
}

function denied(
  block: ToolUseBlock,
  message: string,
  assistant: AssistantMessage,
  { host, submissions, tools }: Pick<Session, 'host' | 'submissions' | 'tools'>,
): UserMessage {
  submissions.denied({
    tool_name: block.name,
    tool_use_id: block.id,
    tool_input: tools.port.outwardInput(block),
  });
  return {
    type: 'user',
    kind: 'tool_result',
    ...host.timedStamp(),
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: block.id, content: message, is_error: true }],
    },
    sourceAssistantUuid: assistant.uuid,
    nonExecution: 'denied',
  };
}

const findCall = ({ assistantMessage, permissionResult }: OrphanedPermission): ToolUseBlock | undefined =>
  callIn(assistantMessage, permissionResult.toolUseID);

function callIn(message: AssistantMessage, id: string): ToolUseBlock | undefined {
  return message.message.content.find(
    (block): block is ToolUseBlock => block.type === 'tool_use' && block.id === id,
  );
}

function recordedCall(id: string, { messages }: Pick<Conversation, 'messages'>): ToolUseBlock | undefined {
  for (const message of messages) {
    const block = message.type === 'assistant' ? callIn(message, id) : undefined;
    if (block !== undefined) return block;
  }
  return undefined;
}

function isSameCall(a: ToolUseBlock, b: ToolUseBlock): boolean {
  return a.name === b.name && isDeepStrictEqual(a.input, b.input);
}

function isAnswered(id: string, { messages }: Pick<Conversation, 'messages'>): boolean {
  return [...messages].some((message) => message.type === 'user' && resultIds(message).includes(id));
}
