/** Keys that put a draft aside, and that steer what runs beside the conversation. */
import { errorText } from '@turnwright/base/text/error-text.ts';
import { counted } from '../../words/units.ts';
import type { ConversationClock } from '../conversation-clock.ts';
import { type ConversationState, listBackground } from '../conversation-state.ts';
import type { TerminalConversation } from '../create-conversation.ts';
import { isWaitedFor } from '../tasks/task-rows.ts';
import type { Screen } from './conversation-screen.ts';

interface HandTargets {
  readonly conversation: TerminalConversation;
  readonly screen: Screen;
  readonly clock: ConversationClock;
  hint(text: string): void;
}

/** Two presses within this time stop all background work. */
const TWICE_MS = 3_000;

interface Hands {
  stash(): void;
  toBackground(): void;
  stopTasks(): void;
}

export function createHands({ conversation, screen, clock, hint }: HandTargets): Hands {
  const { editor } = screen;
  let lastStopMs = Number.NEGATIVE_INFINITY;
  const setStash = (stash: ConversationState['stash']) => conversation.dispatch({ kind: 'stashed', stash });
  const stash = () => {
    const { stash: aside } = conversation.state;
    const last = aside.at(-1);
    if (!editor.isEmpty) {
      setStash([...aside, editor.putAside()]);
      hint(`Put aside. ${screen.bindings.keyOf('stash')} on an empty prompt brings it back.`);
    } else if (last === undefined) hint('Nothing is put aside.');
    else {
      setStash(aside.slice(0, -1));
      editor.replace(last);
    }
  };
  const toBackground = async () => {
    if (!conversation.state.tools.some(isWaitedFor))
      return hint('No command or agent runs that could go on in the background.');
    await conversation.query.backgroundTasks();
    hint('It goes on in the background: /tasks shows it.');
  };
  const stopTasks = async () => {
    const running = listBackground(conversation.state);
    if (running.length === 0) return hint('Nothing runs in the background.');
    const nowMs = clock.monotonicMs();
    const isTwice = nowMs - lastStopMs <= TWICE_MS;
    lastStopMs = nowMs;
    const what = counted(running.length, 'task');
    if (!isTwice) return hint(`${screen.bindings.keyOf('stopTasks')} again stops ${what} in the background.`);
    await Promise.all(running.map(({ id }) => conversation.query.stopTask(id)));
    hint(`Stopped ${what} in the background.`);
  };
  const attempt = (work: Promise<void>) => void work.catch((error: unknown) => hint(errorText(error)));
  return {
    stash,
    toBackground: () => attempt(toBackground()),
    stopTasks: () => attempt(stopTasks()),
  };
}
