/** How the person learns that the session waits: the window's title, a note of the desktop, the bell. */
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import type { Env } from '../../world.ts';
import { type ConversationState, isWorking } from '../conversation-state.ts';
import type { ScreenSettings } from './screen-settings.ts';

interface AttentionOptions {
  readonly settings: Pick<ScreenSettings, 'terminalTitle' | 'terminalBell' | 'terminalNotifications'>;
  /** Says by its names which terminal it is. */
  readonly env: Env;
  emit(sequence: string): void;
}

interface Attention {
  /** `lastKeyMs`: when the person pressed a key; undefined: not yet. All times are monotonic. */
  update(state: ConversationState, nowMs: number, lastKeyMs: number | undefined): void;
  /** What puts the title back. */
  readonly restoreText: string;
}

/** The terminal keeps titles on a stack (xterm and those after it). */
const TITLE = { keep: '\x1b[22;2t', back: '\x1b[23;2t' } as const;
const BELL = '\x07';
const MOST_TITLE_CHARS = 60;
/** The end of shorter work is no news, and neither is what happens while the person types. */
const LONG_WORK_MS = 20_000;
const TYPES_MS = 10_000;

/** The forms of notes: of iTerm2, kitty, WezTerm and Ghostty; of urxvt and foot. */
const NOTES = {
  plain: (text: string) => `\x1b]9;${text}\x07`,
  titled: (text: string) => `\x1b]777;notify;Turnwright;${text}\x07`,
} as const;

/** undefined: the terminal is not known to have notes. tmux does not hand them on. */
function noteOf({ TERM = '', TERM_PROGRAM = '', TMUX }: Env): ((text: string) => string) | undefined {
  if (TMUX !== undefined) return undefined;
  if (/^(?:iTerm\.app|WezTerm|ghostty)$/.test(TERM_PROGRAM)) return NOTES.plain;
  if (/^xterm-(?:kitty|ghostty)$/.test(TERM)) return NOTES.plain;
  return /^(?:foot|rxvt-unicode)/.test(TERM) ? NOTES.titled : undefined;
}

export function createAttention({ settings, env, emit }: AttentionOptions): Attention {
  const title = settings.terminalTitle && env['TERM'] !== 'linux';
  const note = settings.terminalNotifications ? noteOf(env) : undefined;
  let shown = '';
  let startedMs: number | undefined;
  let questions = 0;
  return {
    update(state, nowMs, lastKeyMs) {
      const isAsked = state.questions > questions;
      const isDone = startedMs !== undefined && !isWorking(state);
      if (settings.terminalBell && (isAsked || isDone)) emit(BELL);
      const isAway = lastKeyMs === undefined || nowMs - lastKeyMs >= TYPES_MS;
      const isLong = isDone && nowMs - (startedMs ?? nowMs) >= LONG_WORK_MS;
      if (note !== undefined && isAway && (isAsked || isLong))
        emit(note(`${isAsked ? 'A question waits' : 'Done'}: ${nameOf(state)}`));
      questions = state.questions;
      startedMs = isWorking(state) ? (startedMs ?? nowMs) : undefined;
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
  const mark = state.questions > 0 ? '? ' : isWorking(state) ? '* ' : '';
  return `${mark}${nameOf(state)} - turnwright`;
}

/** The session's title, or its folder. */
function nameOf({ session }: ConversationState): string {
  return oneLine(session.title ?? folderName(session.cwd)).slice(0, MOST_TITLE_CHARS);
}

export function folderName(cwd: string): string {
  return cwd.split(/[\\/]/).at(-1) ?? '';
}
