/** What the keys of the conversation do (S6.5), besides those of the editor. */
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Draft } from '@turnwright/terminal/editor/buffer.ts';
import type { ActionName } from '@turnwright/terminal/input/actions.ts';
import type { InputEvent } from '@turnwright/terminal/input/events.ts';
import { nameOfKey } from '@turnwright/terminal/input/key-names.ts';
import { counted } from '../../words/units.ts';
import type { ConversationClock } from '../conversation-clock.ts';
import { type ConversationState, isWorking, listBackground } from '../conversation-state.ts';
import type { TerminalConversation } from '../create-conversation.ts';
import type { Screen } from './conversation-screen.ts';

interface KeyTargets {
  readonly conversation: TerminalConversation;
  readonly screen: Screen;
  readonly clock: ConversationClock;
  /** Sends, queues or runs what was typed. */
  submit(draft: Draft, mode: 'prompt' | 'shell', how?: 'now'): void;
  /** Runs a command line as if it had been entered. */
  command(line: string): void;
  showKeys(): void;
  showTranscript(): void;
  editOutside(): void;
  suspend(): void;
  /** `now`: without waiting for the session to end. */
  leave(how?: 'now'): void;
}

/** Two presses within this time are one gesture: Ctrl+C leaves, Escape opens the list of prompts. */
const TWICE_MS = { clear: 1_000, interrupt: 600, stopTasks: 3_000 } as const;

/** Calls that can go on without being waited for. */
const DETACHED: readonly string[] = ['Bash', 'Agent'];

/** Keys of Claude Code that do nothing here: what to do in their place. */
export const FOREIGN_KEYS: Readonly<Record<string, string>> = {
  'alt+t': '/config alwaysThinkingEnabled switches thinking off and on; /effort says how hard.',
  'alt+o': '/config fastMode switches fast answers on, where the model has them.',
  'ctrl+shift+-': 'Ctrl+_ undoes.',
};

/** The function that handles a key with its action. */
export function createKeys(targets: KeyTargets): (event: InputEvent, action: ActionName | undefined) => void {
  const { conversation, screen, clock } = targets;
  const { editor } = screen;
  let lastClearMs = Number.NEGATIVE_INFINITY;
  let lastEscapeMs = Number.NEGATIVE_INFINITY;
  let lastStopMs = Number.NEGATIVE_INFINITY;
  const hint = (text: string | undefined) => conversation.dispatch({ kind: 'hint', text });

  const send = (how?: 'now') => {
    const { mode } = editor;
    const draft = editor.take();
    if (draft.text.trim() === '' && draft.images.length === 0) conversation.sendHeld();
    else targets.submit(draft, mode, how);
  };
  const clear = () => {
    const nowMs = clock.monotonicMs();
    const isTwice = nowMs - lastClearMs <= TWICE_MS.clear;
    lastClearMs = nowMs;
    if (conversation.state.phase === 'exiting') return targets.leave('now');
    if (isTwice) return targets.leave();
    if (!editor.isEmpty) editor.clear();
    else if (!conversation.interrupt()) hint(`${screen.bindings.keyOf('clear')} again leaves.`);
  };
  const goBack = () => {
    const nowMs = clock.monotonicMs();
    const isTwice = nowMs - lastEscapeMs <= TWICE_MS.interrupt;
    lastEscapeMs = nowMs;
    if (conversation.goOnWithoutServers() || conversation.interrupt())
      lastEscapeMs = Number.NEGATIVE_INFINITY;
    else if (isTwice && editor.isEmpty && !isWorking(conversation.state)) targets.command('/rewind');
  };
  const takeQueued = async () => {
    const prompt = await conversation.takeQueued();
    if (prompt === undefined) return hint('The queue has nothing that has not begun.');
    // What is being typed is not lost.
    editor.prepend(prompt);
  };

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
    const runs = conversation.state.tools.some(({ name, isOwn }) => !isOwn && DETACHED.includes(name));
    if (!runs) return hint('No command or agent runs that could go on in the background.');
    await conversation.query.backgroundTasks();
    hint('It goes on in the background: /tasks shows it.');
  };
  const stopTasks = async () => {
    const running = listBackground(conversation.state);
    if (running.length === 0) return hint('Nothing runs in the background.');
    const nowMs = clock.monotonicMs();
    const isTwice = nowMs - lastStopMs <= TWICE_MS.stopTasks;
    lastStopMs = nowMs;
    const what = counted(running.length, 'task');
    if (!isTwice) return hint(`${screen.bindings.keyOf('stopTasks')} again stops ${what} in the background.`);
    await Promise.all(running.map(({ id }) => conversation.query.stopTask(id)));
    hint(`Stopped ${what} in the background.`);
  };
  const attempt = (work: Promise<void>) => work.catch((error: unknown) => hint(errorText(error)));

  return (event, action) => {
    if (action !== 'clear') hint(undefined);
    // An open list of completions, or a search, comes before everything else.
    const isChoosing = editor.context === 'completion' || editor.context === 'search';
    if (isChoosing && editor.handle(event, action)) return;
    const hasQueue = conversation.state.queue.length > 0;
    if (action === 'up' && editor.isEmpty && hasQueue) return void takeQueued();
    switch (action) {
      case 'clear':
        return clear();
      case 'takeQueued':
        return hasQueue ? void takeQueued() : undefined;
      case 'exit':
        return targets.leave();
      case 'suspend':
        return targets.suspend();
      case 'cycleMode':
        return conversation.cycleMode();
      case 'transcript':
        return targets.showTranscript();
      case 'todos':
        return conversation.dispatch({ kind: 'todosToggled' });
      case 'redraw':
        return screen.redraw();
      case 'help':
        return targets.showKeys();
      case 'externalEditor':
        return targets.editOutside();
      case 'stash':
        return stash();
      case 'chooseModel':
        return targets.command('/model');
      case 'toBackground':
        return void attempt(toBackground());
      case 'stopTasks':
        return void attempt(stopTasks());
    }
    if (editor.handle(event, action)) return;
    if (action === undefined && event.kind === 'key') return hint(FOREIGN_KEYS[nameOfKey(event)]);
    if (action === 'send') send();
    else if (action === 'sendNow') send('now');
    else if (action === 'interrupt') goBack();
  };
}
