/** What the keys of the conversation do (S6.5), besides those of the editor. */
import type { Draft } from '@turnwright/terminal/editor/buffer.ts';
import type { ActionName } from '@turnwright/terminal/input/actions.ts';
import type { InputEvent } from '@turnwright/terminal/input/events.ts';
import { nameOfKey } from '@turnwright/terminal/input/key-names.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { counted } from '../../words/units.ts';
import type { ConversationClock } from '../conversation-clock.ts';
import { type ConversationState, isWorking, listBackground } from '../conversation-state.ts';
import type { TerminalConversation } from '../create-conversation.ts';
import type { Screen } from './conversation-screen.ts';
import { createHands } from './hands.ts';

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
const TWICE_MS = { clear: 1_000, interrupt: 600 } as const;

/** Keys of Claude Code that do nothing here: what to do in their place. */
export const FOREIGN_KEYS: Readonly<Record<string, string>> = {
  'alt+t': '/config alwaysThinkingEnabled switches thinking off and on; /effort says how hard.',
  'alt+o': '/config fastMode switches fast answers on, where the model has them.',
  'ctrl+shift+-': 'Ctrl+_ undoes.',
};

/** What a second press of the key does, and what becomes of what is not done. */
export function describeLeaving(state: Pick<ConversationState, 'queue' | 'tasks'>, key: string): string {
  const tasks = listBackground(state);
  const named = tasks.map(({ description }) => oneLine(description)).join(', ');
  const stops = tasks.length === 0 ? '' : ` and stops ${counted(tasks.length, 'background task')} (${named})`;
  const held = state.queue.length;
  const kept =
    held === 0 ? '' : ` ${counted(held, 'prompt')} that ${held === 1 ? 'waits is' : 'wait are'} kept.`;
  return `${key} again leaves${stops}.${kept}`;
}

/** The function that handles a key with its action. */
export function createKeys(targets: KeyTargets): (event: InputEvent, action: ActionName | undefined) => void {
  const { conversation, screen, clock } = targets;
  const { editor } = screen;
  let lastClearMs = Number.NEGATIVE_INFINITY;
  let lastEscapeMs = Number.NEGATIVE_INFINITY;
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
    else if (!conversation.interrupt())
      hint(describeLeaving(conversation.state, screen.bindings.keyOf('clear')));
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

  const hands = createHands({ conversation, screen, clock, hint });

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
        return hands.stash();
      case 'chooseModel':
        return targets.command('/model');
      case 'toBackground':
        return hands.toBackground();
      case 'stopTasks':
        return hands.stopTasks();
    }
    if (editor.handle(event, action)) return;
    if (action === undefined && event.kind === 'key') return hint(FOREIGN_KEYS[nameOfKey(event)]);
    if (action === 'send') send();
    else if (action === 'sendNow') send('now');
    else if (action === 'interrupt') goBack();
  };
}
