/** The overlays of a conversation: one is shown at a time, others wait, and one may open another above it. */
import type { InputEvent, KeyEvent } from '@turnwright/terminal/input/events.ts';
import type { Overlay, OverlayHost, OverlayOf } from './overlay.ts';

export interface Overlays {
  /** The overlay that is shown. */
  readonly current: Overlay<unknown> | undefined;
  /** Opens it once those that were asked for earlier have closed. */
  open<T>(overlay: OverlayOf<T>): Promise<T | undefined>;
  /** False: the event belongs to the editor. */
  onEvent(event: InputEvent): boolean;
  /** Closes everything that is open or waits. */
  closeAll(): void;
}

const ESCAPE: KeyEvent = { kind: 'key', name: 'escape', ctrl: false, alt: false, shift: false, atMs: 0 };

export function createOverlays(host: Omit<OverlayHost, 'open'>): Overlays {
  const stack: Overlay<unknown>[] = [];
  let last: Promise<unknown> = Promise.resolve();
  let isClosing = false;

  const show = async <T>(make: OverlayOf<T>): Promise<T | undefined> => {
    if (isClosing) return undefined;
    const overlay = make({ ...host, open: show });
    stack.push(overlay);
    host.invalidate();
    try {
      return await overlay.closed;
    } finally {
      stack.splice(stack.indexOf(overlay), 1);
      host.invalidate();
    }
  };

  return {
    get current() {
      return stack.at(-1);
    },
    open(make) {
      const shown = last.then(() => show(make));
      last = shown.catch(() => undefined);
      return shown;
    },
    onEvent(event) {
      const overlay = stack.at(-1);
      if (overlay === undefined) return false;
      const isCtrlC = event.kind === 'key' && event.ctrl && event.name === 'c';
      return overlay.onEvent(isCtrlC ? { ...ESCAPE, atMs: event.atMs } : event);
    },
    closeAll() {
      isClosing = true;
      for (const overlay of [...stack].reverse()) overlay.onEvent(ESCAPE);
      // What waits its turn resolves with undefined, before anything new is opened.
      void last.then(() => {
        isClosing = false;
      });
    },
  };
}
