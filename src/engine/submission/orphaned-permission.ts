/**
 * An answer to a permission question whose process is gone: the call it belongs to runs (or is refused) now,
 * once. Before the first prompt (L1 phase 3), or when the submission is carried on that asked (L4.1).
 */
import { isDeepStrictEqual } from 'node:util';
import type { AssistantMessage, UserMessage } from '../../protocol/model/messages.ts';
import type { ToolUseBlock } from '../../protocol/model/wire.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import { openScope, type Scope } from '../../util/async/scope.ts';
import type { OrphanedPermission, QueryEngineConfig } from '../config.ts';
import { tellTaken } from '../output/block-acknowledgements.ts';
import { toSdkUser } from '../output/to-sdk-user.ts';
import type { Conversation } from '../session/conversation.ts';
import type { Session } from '../session/session.ts';

export async function answerOrphan(
  orphan: OrphanedPermission,
  submission: string,
  scope: Scope,
  session: Session,
): Promise<readonly SDKMessage[]> {
  const { config, conversation } = session;
  const { permissionResult, assistantMessage } = orphan;
  const block = callIn(assistantMessage, permissionResult.toolUseID);
  if (block === undefined || isAnswered(block.id, conversation)) return [];
  const recorded = recordedCall(block.id, conversation);
  if (recorded !== undefined && !isSameCall(recorded, block)) {
    passOver(block, config);
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
 * The submission with the question is about to be continued: its open call passes the gate again, and this is
 * the host's answer there. No effect for a call that is not recorded or already has its result.
 */
export function presetOrphan(
  { permissionResult, assistantMessage }: OrphanedPermission,
  { config, conversation, tools }: Pick<Session, 'config' | 'conversation' | 'tools'>,
): void {
  const block = callIn(assistantMessage, permissionResult.toolUseID);
  if (block === undefined || isAnswered(block.id, conversation)) return;
  const recorded = recordedCall(block.id, conversation);
  if (recorded === undefined || !isSameCall(recorded, block)) passOver(block, config);
  else tools.presetAnswer(permissionResult);
}

/**
 * What was approved is what was asked about: the record knows it, whatever the message says that came back
 * (F162).
 */
function passOver({ id }: ToolUseBlock, config: Pick<QueryEngineConfig, 'stderr'>): void {
  config.stderr?.(
    `The answer to the permission question about ${id} was ignored: the call that came with it is not the recorded one.`,
  );
}

async function run(
  block: ToolUseBlock,
  assistant: AssistantMessage,
  submission: string,
  scope: Scope,
  answer: OrphanedPermission['permissionResult'],
  { notices, tools }: Pick<Session, 'notices' | 'tools'>,
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
  return [...messages].some(
    (message) =>
      message.type === 'user' &&
      typeof message.message.content !== 'string' &&
      message.message.content.some((block) => block.type === 'tool_result' && block.tool_use_id === id),
  );
}
