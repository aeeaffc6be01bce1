/** Questions of the session to the person, and what those who draw them may use. */
import type { CanUseTool, Options } from '../../index.ts';
import type { Row } from '../../terminal/renderer/frame.ts';
import type { Theme } from '../../terminal/text/theme.ts';
import type { ConversationClock } from './clock.ts';
import type { OverlayOf, ViewDocument } from './overlay.ts';
import type { ConversationEvent } from './reduce/reduce.ts';
import type { ConversationState } from './state.ts';

export interface AskHost {
  readonly theme: Theme;
  readonly clock: ConversationClock;
  /** Columns for texts, now. */
  readonly columns: number;
  readonly state: ConversationState;
  /** Opens an overlay, once those before it have closed. */
  open<T>(overlay: OverlayOf<T>): Promise<T | undefined>;
  view(document: ViewDocument): Promise<void>;
  /** Commits lines: a decision, in one line. */
  print(rows: readonly Row[]): void;
  /** Stops what runs. */
  interrupt(): void;
}

/** Answers the questions of a session by dialogs. */
export interface Asker {
  readonly canUseTool: CanUseTool;
  readonly onElicitation?: Options['onElicitation'];
}

/** The same, with each open question in the conversation's state. */
export function counted(
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
        (answer) => answer?.behavior !== 'allow',
      ),
    ...(onElicitation !== undefined && {
      onElicitation: (request, options) => during(() => onElicitation(request, options)),
    }),
  };
}
