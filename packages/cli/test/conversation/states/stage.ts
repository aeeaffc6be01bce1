/** Plays events into the reducer, and draws what a person would see. */

import type { SDKMessage } from '@turnwright/engine';
import { createHighlighter } from '@turnwright/terminal/markup/highlight.ts';
import type { ScreenFrame, Size } from '@turnwright/terminal/renderer/frame.ts';
import { createTheme } from '@turnwright/terminal/text/theme.ts';
import {
  type ConversationState,
  type PendingPrompt,
  startingState,
} from '../../../src/conversation/conversation-state.ts';
import type { ViewDocument } from '../../../src/conversation/overlay.ts';
import { type ConversationEvent, reduce } from '../../../src/conversation/reduce/reduce.ts';
import { drawDiff } from '../../../src/conversation/view/diff-of.ts';
import { type LiveParts, liveRegion, textColumns } from '../../../src/conversation/view/live-region.ts';
import { createTranscript } from '../../../src/conversation/view/transcript.ts';

/** A message, an event, or ms that pass. */
export type Play = SDKMessage | ConversationEvent | number;

export interface Stage {
  readonly state: ConversationState;
  readonly printed: readonly string[];
  readonly live: ScreenFrame;
  /** What the viewer shows. */
  readonly document: ViewDocument;
}

const isMessage = (play: SDKMessage | ConversationEvent): play is SDKMessage => 'type' in play;

export function perform(
  plays: readonly Play[],
  size: Size,
  { typed = '', overlay }: { readonly typed?: string; readonly overlay?: LiveParts['overlay'] } = {},
): Stage {
  const theme = createTheme('none');
  const highlighter = createHighlighter(theme);
  const printed: string[] = [];
  let nowMs = 1_000;
  let state = startingState(nowMs, { cwd: '/work/app' });
  const transcript = createTranscript({
    theme,
    columns: () => textColumns(size),
    cwd: () => state.session.cwd,
    commit: (rows) => void printed.push(...rows),
    diff: drawDiff,
    highlighter,
  });
  for (const play of plays) {
    if (typeof play === 'number') {
      nowMs += play;
      continue;
    }
    const step = reduce(state, isMessage(play) ? { kind: 'message', message: play } : play, nowMs);
    state = step.state;
    transcript.add(step.items);
  }
  transcript.flush();
  const live = liveRegion(
    {
      state,
      nowMs,
      theme,
      keys: { interrupt: 'Esc', exit: 'Ctrl+C', editQueue: 'Alt+↑' },
      answer: transcript.open,
      editor: () => ({ rows: [`› ${typed}`], cursor: { row: 0, column: 2 + typed.length } }),
      overlay,
      customStatus: undefined,
      reducedMotion: false,
    },
    size,
  );
  return { state, printed, live, document: transcript.document() };
}

/** What is on the screen, with a line between the two regions. */
export function picture(plays: readonly Play[], size: Size, more?: Parameters<typeof perform>[2]): string {
  const { printed, live } = perform(plays, size, more);
  const title = `== ${size.columns}×${size.rows}`;
  return [title, ...printed, '-- live', ...live.rows].map((row) => row.trimEnd()).join('\n');
}

export const prompt = (text: string, uuid = `p-${text}`): PendingPrompt => ({
  uuid,
  text,
  images: [],
  place: 'session',
});
