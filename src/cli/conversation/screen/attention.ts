/** The window's title and the bell, only where the settings ask for them. */
import { oneLine } from '../../../terminal/text/visible.ts';
import { type ConversationState, isWorking } from '../conversation-state.ts';

interface AttentionOptions {
  readonly title: boolean;
  readonly bell: boolean;
  emit(sequence: string): void;
}

interface Attention {
  update(state: ConversationState): void;
  /** What puts the title back. */
  readonly restoreText: string;
}

/** The terminal keeps titles on a stack (xterm and those after it). */
const TITLE = { keep: '\x1b[22;2t', back: '\x1b[23;2t' } as const;
const BELL = '\x07';
const MOST_TITLE_CHARS = 60;

export function createAttention({ title, bell, emit }: AttentionOptions): Attention {
  let shown = '';
  let wasWorking = false;
  let questions = 0;
  return {
    update(state) {
      const works = isWorking(state);
      // It waits for the person: with a question, or because the work is done.
      if (bell && (state.questions > questions || (wasWorking && !works))) emit(BELL);
      questions = state.questions;
      wasWorking = works;
      if (!title) return;
      const text = formatTitle(state);
      if (text === shown) return;
      emit(`${shown === '' ? TITLE.keep : ''}\x1b]2;${text}\x07`);
      shown = text;
    },
    get restoreText() {
      return shown === '' ? '' : TITLE.back;
    },
  };
}

function formatTitle(state: ConversationState): string {
  const folder = state.session.cwd.split(/[\\/]/).at(-1) ?? '';
  const name = oneLine(state.session.title ?? folder).slice(0, MOST_TITLE_CHARS);
  const mark = state.questions > 0 ? '? ' : isWorking(state) ? '* ' : '';
  return `${mark}${name} - turnwright`;
}
