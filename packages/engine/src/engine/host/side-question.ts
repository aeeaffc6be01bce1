/** A question of the person beside the conversation: answered from it, and never a part of it. */
import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import { readTextAnswer, settleAnswer } from '../../context/compact/helper-call.ts';
import { syntheticMessage } from '../../context/notices.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import { FRESH_RETRY_STATE, type ModelRequest } from '../../protocol/model/model.ts';
import { openSession } from '../session/open-session.ts';
import type { Session } from '../session/session.ts';

const SYSTEM = 'You answer a short question of a person about their work with a coding agent.';
const ASIDE = `The user asks a question beside the work. Answer it from what you know already, in a few sentences. Call no tool: none will run. What you say here is not kept, so do not promise to do anything.`;
const MAX_ANSWER_TOKENS = 8_000;

export interface SideQuestion {
  readonly question: string;
  /** Ends the request. */
  readonly signal?: AbortSignal | undefined;
  /** Called with all of the answer so far, as it comes. */
  readonly onText?: ((text: string) => void) | undefined;
}

/**
 * The whole answer. While a submission runs, it knows all but the calls that have not answered. Its cost is
 * the session's. Rejects with the reason when there is no answer.
 */
export async function askAside(
  { question, signal = new AbortController().signal, onText }: SideQuestion,
  session: Session,
): Promise<string> {
  await openSession(session);
  const { budget, model } = session;
  const asked = model.inUse;
  await model.client.ready(asked, { signal });
  const request = await buildRequest(question, asked, session);
  const answer = await readTextAnswer(
    model.client.call(request, { signal, retry: FRESH_RETRY_STATE }),
    onText,
  );
  // Its cost is that of the question, also when it was given up: it is not asked again.
  settleAnswer(request, answer, { ledger: budget.account, wasted: false });
  const { outcome } = answer;
  const text = answer.text.trim();
  if (outcome.kind === 'complete' && text !== '') return text;
  signal.throwIfAborted();
  throw new Error('failure' in outcome ? outcome.failure.message : 'The model gave no answer in words.');
}

/** Begins as the conversation's own requests do, so that its prefix is cached. */
async function buildRequest(question: string, model: string, session: Session): Promise<ModelRequest> {
  const { conversation, model: models, submissions, tools, world } = session;
  const head = models.request;
  const { sessionId } = conversation;
  return {
    querySource: 'side_question',
    foreground: true,
    effectKey: `${submissions.running ?? sessionId}/aside/${world.ids.uuid()}`,
    sessionId,
    model,
    system: head?.system ?? [SYSTEM],
    tools: head === undefined ? [] : await tools.port.wireTools(model),
    maxTokens: Math.min(head?.maxOutputTokens ?? head?.defaultOutputCap ?? MAX_ANSWER_TOKENS, MAX_TOKENS),
    view: PersistentList.from([
      ...withoutOpenCalls(conversation.messages.slice()),
      syntheticMessage(world, 'nudge', `${ASIDE}\n\n${question}`),
    ]),
    stream: true,
    ...(head !== undefined && { userContext: head.userContext }),
    ...(head?.thinking !== undefined && { thinking: head.thinking }),
    ...(head?.effort !== undefined && { effort: head.effort }),
    ...(head?.betas !== undefined && { betas: head.betas }),
  };
}

/** Thinking is a part of it. */
const MAX_TOKENS = 32_000;

/** A request may not end with calls that have no results: what runs now is left out. */
function withoutOpenCalls(messages: readonly ViewMessage[]): readonly ViewMessage[] {
  const answered = new Set<string>();
  for (const message of messages)
    if (message.type === 'user' && typeof message.message.content !== 'string')
      for (const block of message.message.content)
        if (block.type === 'tool_result') answered.add(block.tool_use_id);
  const open = messages.findIndex(
    (message) =>
      message.type === 'assistant' &&
      message.message.content.some((block) => block.type === 'tool_use' && !answered.has(block.id)),
  );
  if (open < 0) return messages;
  // Parts of one response are messages of their own.
  const response = (messages[open] as Extract<ViewMessage, { type: 'assistant' }>).message.id;
  const from = messages.findIndex((each) => each.type === 'assistant' && each.message.id === response);
  return messages.slice(0, from);
}
