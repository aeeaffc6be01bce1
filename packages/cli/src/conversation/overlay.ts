/**
 * What lies over the conversation and takes the keys until it closes: a dialog, a list, a picker, the help.
 */
import type { InputEvent } from '@turnwright/terminal/input/events.ts';
import type { ScreenFrame, Size } from '@turnwright/terminal/renderer/frame.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import type { ConversationClock } from './conversation-clock.ts';

/** An open overlay. */
export interface Overlay<T = void> {
  /** Its rows, for the room between the transcript and the status line. A pure function of its state. */
  frame(size: Size): ScreenFrame;
  /**
   * A key, a paste or a reply of the terminal. False: not the overlay's; it then goes to the editor. Escape
   * and Ctrl+C always close an overlay.
   */
  onEvent(event: InputEvent): boolean;
  /** Resolves when the overlay has closed; with undefined if nothing was chosen. */
  readonly closed: Promise<T | undefined>;
  /** True: the editor stays visible below and has the cursor while the frame has none. Default false. */
  readonly keepsEditor?: boolean;
}

/** What an overlay may use of the conversation that it lies over. */
export interface OverlayHost {
  readonly theme: Theme;
  readonly clock: ConversationClock;
  /** Asks for a new frame, after a change of the overlay's state. */
  invalidate(): void;
  /** How the person is typing, for overlays that must not be answered by accident (S6.4). */
  typing(): Typing;
  /** Opens an overlay above this one, which gets the keys until it closes. */
  open<T>(overlay: OverlayOf<T>): Promise<T | undefined>;
  /** Shows a long text in the full-screen viewer; resolves when the person has left it. */
  view(document: ViewDocument): Promise<void>;
}

interface Typing {
  /** Monotonic ms of the last key or paste; undefined: none so far. */
  readonly lastKeyMs: number | undefined;
  readonly draftIsEmpty: boolean;
}

/** Makes an overlay, when its turn has come: overlays that are asked for together are shown one by one. */
export type OverlayOf<T = void> = (host: OverlayHost) => Overlay<T>;

/** A text for the viewer, in parts that can be folded. */
export interface ViewDocument {
  readonly title: string;
  readonly parts: readonly ViewPart[];
}

export interface ViewPart {
  /** One line, shown also when the part is folded. */
  readonly heading: string;
  /** Lines below the heading; sanitised by the viewer. */
  readonly lines: readonly string[];
  /** Default false. */
  readonly folded?: boolean;
}
