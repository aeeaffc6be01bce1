/** Questions of the session to the person, as the conversation's state counts them. */
import type { Asker } from './ask/asker.ts';
import type { ConversationClock } from './conversation-clock.ts';
import type { ConversationEvent } from './reduce/reduce.ts';

/** The asker, with each open question in the conversation's state. */
export function trackQuestions(
  asker: Asker,
  clock: ConversationClock,
  dispatch: (event: ConversationEvent) => void,
): Asker {
  const { canUseTool, onElicitation } = asker;
  const during = async <T>(ask: () => Promise<T>, toolUseId?: string, isNo?: (answer: T) => boolean) => {
    const sinceMs = clock.monotonicMs();
    const about = toolUseId === undefined ? {} : { toolUseId };
    dispatch({ kind: 'question', change: 1, ...about });
    let isDenied = false;
    try {
      const answer = await ask();
      isDenied = isNo?.(answer) ?? false;
      return answer;
    } finally {
      dispatch({ kind: 'question', change: -1, ...about, waitedMs: clock.monotonicMs() - sinceMs, isDenied });
    }
  };
  return {
    canUseTool: (name, input, context) =>
      during(
        () => canUseTool(name, input, context),
        context.toolUseID,
        // A question that was withdrawn has no answer.
        (answer) => answer?.behavior === 'deny',
      ),
    onElicitation: (request, options) => during(() => onElicitation(request, options)),
  };
}
