/** MessageDisplay: hooks may show another text than the one that the model wrote, which is what is kept. */
import type { AssistantBlock } from '../../protocol/model/wire.ts';
import type { SDKAssistantMessage, SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { Session } from '../session/session.ts';
import type { Submission } from '../submission/submission.ts';
import type { SubmissionOutcome } from './result.ts';

/** undefined: no hook is asked. */
export function displayFor(
  outcome: Pick<SubmissionOutcome, 'shownAs'>,
  { scope }: Pick<Submission, 'scope'>,
  session: Displays,
): ((shown: readonly SDKMessage[]) => Promise<readonly SDKMessage[]>) | undefined {
  if (!session.hooks.has('MessageDisplay')) return undefined;
  return (shown) => displayed(shown, session, outcome, scope.signal);
}

type Displays = Pick<Session, 'hooks' | 'submissions' | 'world'>;

async function displayed(
  messages: readonly SDKMessage[],
  { hooks, submissions, world }: Displays,
  outcome: Pick<SubmissionOutcome, 'shownAs'>,
  signal: AbortSignal,
): Promise<readonly SDKMessage[]> {
  const turn_id = submissions.promptId ?? submissions.running ?? world.ids.uuid();
  const ofOne = async (message: SDKMessage): Promise<SDKMessage> => {
    const delta = textToShow(message);
    if (delta === '' || message.type !== 'assistant') return message;
    const { displayContent } = await hooks.run(
      { event: 'MessageDisplay', turn_id, message_id: message.uuid, index: 0, final: true, delta },
      { signal },
    );
    if (displayContent === undefined) return message;
    outcome.shownAs(message.uuid, displayContent);
    return withText(message, displayContent);
  };
  return Promise.all(messages.map(ofOne));
}

function textToShow(message: SDKMessage): string {
  if (message.type !== 'assistant' || message.parent_tool_use_id !== null) return '';
  return message.message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

function withText(message: SDKAssistantMessage, text: string): SDKAssistantMessage {
  return {
    ...message,
    message: { ...message.message, content: inPlaceOfText(message.message.content, text) },
  };
}

/** The first text becomes the whole one, and further ones are dropped. */
function inPlaceOfText(content: readonly AssistantBlock[], text: string): readonly AssistantBlock[] {
  const first = content.findIndex(({ type }) => type === 'text');
  return content.flatMap((block, at): AssistantBlock[] =>
    block.type !== 'text' ? [block] : at === first ? [{ type: 'text', text }] : [],
  );
}
